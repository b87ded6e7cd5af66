"""The data dictionary and the tables of a study in Python."""

from typing import Any, cast

import pytest

from parley.client import Parley
from parley.errors import RequestError
from runtime.settings import Settings
from studies.exports.columns import TABLES, TableName
from studies.exports.files import schema_of
from studies.exports.study_tables import StudyTables
from tests.studies.exports.conftest import Exported
from tests.studies.exports.dictionary import PATH, dictionary


def test_the_dictionary_is_that_of_the_code() -> None:
    """``docs/data.md`` is what ``python -m tests.studies.exports.dictionary`` writes."""
    assert PATH.read_text("utf-8") == dictionary()


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_described_once(table: TableName) -> None:
    """No table has two columns of one name, and each has a meaning that breaks no table and no sentence."""
    columns = TABLES[table].columns
    assert len({column.name for column in columns}) == len(columns)
    assert all(column.meaning for column in columns)
    assert not any(column.meaning.endswith(".") or "|" in column.meaning + column.null for column in columns)


@pytest.mark.parametrize("table", TABLES)
async def test_a_study_gives_its_tables_to_python(study: Exported, table: TableName) -> None:
    """An Arrow table has the columns and types of the dictionary, also where there is no row."""
    found = await StudyTables("toy", Settings(database_url=study.url)).table(table)
    assert found.schema == schema_of(TABLES[table].columns)
    assert found.num_rows == {
        "deliberations": 6,
        "results": 6,
        "calls": 2,
        "transcripts": 3,
        "pairs": 1,
        "scores": 5,
    }.get(table, 0)


async def test_the_tables_have_methods(study: Exported) -> None:
    """The most wanted tables have a method each, and pandas reads them."""
    pytest.importorskip("pandas")
    tables = StudyTables("toy", Settings(database_url=study.url))
    assert (await tables.deliberations()).to_pandas()["correct"].tolist() == [True, False, False, False, None, None]
    assert (await tables.calls()).column("outcome").to_pylist() == ["answered", "api_error"]
    assert (await tables.scores()).column("scorer").to_pylist()[0] == "strict"
    assert (await tables.pairs()).column("winner").to_pylist() == ["tie"]


@pytest.mark.parametrize("table", ["votes", None, ["calls"]])
async def test_a_table_that_is_not_there_is_refused_with_those_that_are(study: Exported, table: Any) -> None:
    """Another name and another type are no defect of the program."""
    with pytest.raises(RequestError, match=r"there is no table .*; known are deliberations, "):
        await StudyTables("toy", Settings(database_url=study.url)).table(table)


async def test_the_tables_take_a_scorer(study: Exported) -> None:
    """One name or several choose the scores, in Python as on the command line."""
    tables = StudyTables("toy", Settings(database_url=study.url))
    assert set((await tables.scores(score="strict")).column("scorer").to_pylist()) == {"strict"}
    assert (await tables.scores(score=["strict", "words"])).num_rows == 4
    assert dict((await tables.deliberations(score="words")).column("scorer_values")[0].as_py()) == {"words": 0.25}
    assert (await tables.pairs(score="judge")).num_rows == 1
    with pytest.raises(RequestError, match="no scorer 'strct'"):
        await tables.scores(score="strct")
    for unusable in (cast("Any", 5), cast("Any", None)):
        with pytest.raises(RequestError, match="score is the name of a scorer, or a list of names"):
            await tables.deliberations(score=unusable)


def test_tables_are_of_an_installation() -> None:
    """Settings of another kind are refused before anything is read."""
    with pytest.raises(RequestError, match="'home' cannot be used: settings are"):
        StudyTables("toy", cast("Any", "home"))


async def test_a_client_gives_the_tables_of_its_installation(study: Exported, monkeypatch: pytest.MonkeyPatch) -> None:
    """``parley.study(name)`` reads the ledger of the client's settings and asks no server where all is decided."""
    monkeypatch.setattr(Parley, "__init__", lambda self: setattr(self, "settings", Settings(database_url=study.url)))
    parley: Parley = Parley()  # type: ignore[call-arg]  # the connection is not needed
    parley.client = cast("Any", None)
    assert (await parley.study("toy").deliberations()).num_rows == 6
