from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from activities.ledger import LedgerActivities
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.results import ResultRow
from ledger.studies.scores import Score, ScoreReader, write_scores
from ledger.studies.writing import enter
from report.build import build_report
from runtime.settings import Settings
from starter.commands.export import report_command as command
from tests.fakes.entered import entered, line_of


@pytest.fixture
async def ledger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A ledger with a study, of which two rows ran: real councils, and rehearsals of consensuses."""
    url = f"sqlite:///{tmp_path / 'books.db'}"
    monkeypatch.setenv("PARLEY_DATABASE_URL", url)
    store, whole = Store(url), entered()
    await upgrade(store)
    await enter(store, *whole.parts)
    scores = []
    for number, instance in enumerate(whole.instances[:4]):
        await LedgerActivities(store).record_deliberation(line_of(instance, rehearsal=number % 2 == 1))
        made: dict[str, Any] = {
            "kind": "f1",
            "fingerprint": "ab" * 32,
            "version": "0.1.0",
            "outcome": "scored",
            "value": number / 4,
        }
        scores += [Score(scorer=name, deliberation_id=instance.deliberation_id, **made) for name in _SCORERS]
    await write_scores(store, "toy", scores)
    await store.close()


_SCORERS = ("agreeing", "bleu-like", "covering")


def invoke(*arguments: str) -> Result:
    """Run the command as a user does."""
    return CliRunner().invoke(command, list(arguments))


@pytest.mark.usefixtures("ledger")
def test_a_study_becomes_one_file() -> None:
    """The file is named after the study, its name is printed, and rehearsals learn of."""
    done = invoke("toy")
    assert (done.exit_code, done.stdout) == (0, "toy-report.html\n"), done.stderr
    assert "4 deliberations" in done.stderr
    assert "REHEARSAL: scripted models answered in 2 of them" in done.stderr
    assert "REHEARSAL (2 of 4 deliberations)" in Path("toy-report.html").read_text("utf-8")


class _RunsOn(StudyReader):
    """The ledger of a study of which another deliberation ends when all of its rows were read."""

    async def every(self, study: str, *, whole: bool = False) -> AsyncIterator[ResultRow]:
        """Yield every instance once, then write the line of one that is open."""
        async for row in super().every(study, whole=whole):
            yield row
        store = Store(Settings().database_url)
        await LedgerActivities(store).record_deliberation(line_of(entered().instances[4]))
        await store.close()


@pytest.mark.usefixtures("ledger")
async def test_a_report_of_a_running_study_counts_its_deliberations_once() -> None:
    """What ends after the rows were read is in no figure, so the facts, the methods and the tables count the same."""
    url = Settings().database_url
    async with _RunsOn(url) as reader, ScoreReader(url) as scores:
        found = await build_report(reader, scores, "toy", [])
    assert (4, False) == (found.deliberations, "1 not ended yet" in found.document)
    assert "2 not ended yet" in found.document
    assert "so far 4 of 6 deliberations have ended" in found.document


@pytest.mark.usefixtures("ledger")
def test_a_report_names_the_chosen_scorers_alone() -> None:
    """Tables, methods, agreement and disagreements have the scorers of ``--score`` and no other; by default all."""
    assert invoke("toy").exit_code == 0
    every = Path("toy-report.html").read_text("utf-8")
    assert all(every.count(name) > 3 for name in _SCORERS)
    done = invoke("toy", "--score", "agreeing,covering")
    page = Path("toy-report.html").read_text("utf-8")
    assert (done.exit_code, "bleu-like" in page) == (0, False), done.stderr
    assert all(f"By {name}" in page and f"The scorer {name}" in page for name in ("agreeing", "covering"))
    assert page.count("Agreement of ") < every.count("Agreement of ")


@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("toy", "--score", "bleu"), "no scorer 'bleu' has scored 'toy'; those that have are agreeing, bleu-like"),
        (("toy/q0.council", "--score", "agreeing"), "the report of one deliberation has no scores; leave out --score"),
    ],
)
def test_scores_that_are_not_there_are_refused(asked: tuple[str, ...], said: str) -> None:
    """One sentence names the scorer and those that there are, and no file is written."""
    done = invoke(*asked)
    assert (done.exit_code, list(Path().glob("*.html"))) == (2, [])
    assert said in " ".join(done.stderr.split())


@pytest.mark.usefixtures("ledger")
def test_a_deliberation_becomes_one_file() -> None:
    """The id of a deliberation does where the name of a study does; its slash makes no folder."""
    done = invoke("toy/q0.council")
    assert done.stdout == "toy.q0.council-report.html\n", done.stderr
    assert "toy/q0.council" in Path("toy.q0.council-report.html").read_text("utf-8")


@pytest.mark.usefixtures("ledger")
def test_an_earlier_report_is_replaced_and_nothing_else_is() -> None:
    """A file that states of itself that it is a report goes; any other is kept unless an option says otherwise."""
    assert [invoke("toy").exit_code for _ in range(2)] == [0, 0]
    Path("mine.html").write_text("mine", "utf-8")
    refused = invoke("toy", "-o", "mine.html")
    assert (refused.exit_code, Path("mine.html").read_text("utf-8")) == (2, "mine")
    assert "--force" in refused.stderr
    assert invoke("toy", "-o", "mine.html", "--force").exit_code == 0


@pytest.mark.usefixtures("ledger")
def test_a_report_goes_into_a_folder_that_is_there(tmp_path: Path) -> None:
    """A folder that is not there is named with the remedy, and not made."""
    done = invoke("toy", "-o", str(tmp_path / "no" / "r.html"))
    assert (2, False) == (done.exit_code, (tmp_path / "no").exists())
    assert "no' is no folder" in done.stderr
    assert "make it first" in done.stderr


@pytest.mark.usefixtures("ledger")
def test_an_unknown_name_is_reported() -> None:
    """Neither a study nor a deliberation: the message says where both are listed."""
    done = invoke("nobody")
    assert done.exit_code == 2
    assert "'nobody'" in done.stderr
    assert "parley batch list" in done.stderr
