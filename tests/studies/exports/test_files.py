import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from activities.ledger import LedgerActivities
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.studies.results import ResultRow
from ledger.studies.scores import Score
from ledger.studies.writing import enter
from parley.errors import RequestError
from starter.cli import parley
from studies.exports.columns import TABLES, TableName
from studies.exports.files import FORMATS, Exported, Format, export, schema_of, whole_file
from studies.exports.rows import Page, rows_of
from tests.fakes.entered import DAY, MODELS, entered, line_of
from tests.fakes.exported import exported

HOSTILE = '=HYPERLINK("http://x")\n\x07 \'quote", ,;\u2028end'


def row(number: int = 0, **changes: Any) -> ResultRow:
    """One result of a study."""
    whole: dict[str, Any] = {
        "study": "toy",
        "number": number,
        "deliberation_id": f"toy/q{number}.council",
        "row_id": f"q{number}",
        "arm": "council",
        "repeat": 1,
        "question": "Why?",
        "expected": None,
        "extra": {"topic": "x"},
        "protocol": "council",
        "protocol_version": "1",
        "prompts": "1@abc",
        "title": "Why",
        "verdict": "Because.",
        "stop_reason": "verdict",
        "partial": False,
        "degraded": False,
        "failure_mode": "resilient",
        "models": MODELS,
        "served_models": (),
        "upstreams": (),
        "scores": {"kendall_w": 0.75},
        "votes": {"p1": {"place": 1}},
        "quorum": {"opinion": {"asked": 2, "answered": 2}},
        "calls": 3,
        "prompt_tokens": 30,
        "completion_tokens": 12,
        "cost_usd": 0.002,
        "calls_of_unknown_cost": 0,
        "cost_source": "provider",
        "rehearsal": False,
        "started_at": DAY,
        "ended_at": DAY + timedelta(seconds=90),
    }
    return ResultRow.model_validate(whole | changes)


SCORES = {
    "toy/q0.council": [
        Score(
            scorer="judge",
            deliberation_id="toy/q0.council",
            other_id="toy/q9",
            outcome="scored",
            value=0.5,
            details={
                "as_first": "first",
                "as_second": "first",
                "length": 8,
                "other_length": 9,
                "graded_by": ["a", "b"],
            },
            kind="pairwise",
            fingerprint="0" * 64,
            version="1",
            recorded_at=DAY,
        )
    ]
}
CALLED = {
    **dict.fromkeys(("call_id", "salt", "stage", "participant", "model", "provider", "outcome", "cost_source"), "x"),
    **dict.fromkeys(("served_model", "upstream", "request_id", "error_type", "message", "finish", "reply"), None),
    **dict.fromkeys(("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens", "cost_usd"), None),
    **dict.fromkeys(("reasoning", "asked_with_schema", "seconds", "first_token_seconds", "status"), None),
    "round": 1,
    "attempts": 1,
    "unanswered_requests": 0,
    "rehearsal": False,
    "recorded_at": DAY,
    "repairs": [],
    "reading": {"a": [1]},
    "messages": [{"role": "user", "content": "Why?", "attachments": ["plan.pdf"]}],
    "parameters": {"sampling": {"temperature": 0.5}},
}
CALLS = {"toy/q0.council": [CALLED]}
CITED = {"participant": "p1", "model": "lab:one", "stage": "opinion", "round": 1, "number": 1}


def filled(kind: Format, table: TableName) -> tuple[list[ResultRow], Format, TableName]:
    """A deliberation that has something in every table."""
    cited = [CITED | {"url": "https://one.example/", "title": "A page", "excerpt": ""}]
    return [row(result={"cited": cited})], kind, table


def cells(raw: bytes) -> list[dict[str, str]]:
    """A CSV file as any program reads it."""
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8"), newline="")))


def table_of(raw: bytes) -> Any:
    """A Parquet file as any program reads it."""
    return parquet.read_table(pa.BufferReader(raw))


async def test_json_lines_keep_everything() -> None:
    """Every line is one JSON object that is the result itself, with what it states of itself."""
    rows = [row(0), row(1, verdict=None, cost_usd=None, question=HOSTILE)]
    lines = (await exported(rows, "jsonl")).decode("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    fields = [name for name in ResultRow.model_fields if name not in {"result", "missing_reason"}]
    assert [ResultRow.model_validate({name: one[name] for name in fields}) for one in told] == rows
    assert [(one["tokens"], one["seconds"], one["is_failed"]) for one in told] == [(42, 90.0, False), (42, 90.0, True)]


async def test_csv_is_read_back_as_it_was_reported() -> None:
    """Quotes, line feeds and separators survive; values with parts are JSON; what is not known is empty."""
    text = 'a "b", c;\r\nd'
    (told,) = cells(await exported([row(question=text, cost_usd=None)], "csv"))
    assert (told["question"], told["cost_usd"], told["rehearsal"], told["tokens"]) == (text, "", "false", "42")
    assert json.loads(told["quorum"]) == {"opinion": {"asked": 2, "answered": 2}}
    assert json.loads(told["models"]) == list(MODELS)
    assert told["started_at"] == "2026-05-01T00:00:00Z"


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "-1-1", "+1=2"])
async def test_no_cell_is_a_formula(text: str) -> None:
    """What a model wrote is never calculated: a cell that a spreadsheet would take for a formula is quoted."""
    (told,) = cells(await exported([row(verdict=text)], "csv"))
    assert told["verdict"] == f"'{text}"


@pytest.mark.parametrize("number", ["-3", "-0.5", "+4", "-1.5e-3", "-.5"])
async def test_a_number_stays_a_number(number: str) -> None:
    """An answer that is a negative number is not mistaken for a formula."""
    (told,) = cells(await exported([row(verdict=number, scores={"a": float(number)})], "csv"))
    assert (told["verdict"], json.loads(told["scores"])) == (number, {"a": float(number)})


@given(st.text(), st.text())
async def test_any_text_survives_every_format(question: str, verdict: str) -> None:
    """Nothing that a model may write breaks a file; in CSV a formula has its apostrophe and nothing else changes."""
    one = row(question=question, verdict=verdict)
    (line,) = (await exported([one], "jsonl")).split(b"\n")[:-1]
    assert (json.loads(line)["question"], json.loads(line)["verdict"]) == (question, verdict)
    (told,) = cells(await exported([one], "csv"))
    assert (told["question"].removeprefix("'"), told["verdict"].removeprefix("'")) == (
        question.removeprefix("'"),
        verdict.removeprefix("'"),
    )
    assert table_of(await exported([one], "parquet"))["verdict"].to_pylist() == [verdict]


def objects(kind: Format, raw: bytes) -> list[dict[str, Any]]:
    """The results in a file of that format, as objects."""
    if kind == "parquet":
        found: list[dict[str, Any]] = table_of(raw).to_pylist()
        return found
    return (
        [json.loads(line) for line in raw.split(b"\n")[:-1]] if kind == "jsonl" else [dict(one) for one in cells(raw)]
    )


@pytest.mark.parametrize("kind", FORMATS)
async def test_lone_surrogates_stop_no_export(kind: Format) -> None:
    """A result may hold what no UTF-8 can: JSON escapes it, a column that cannot has a question mark."""
    one = row(votes={"a\ud800": 1}, verdict="b\udfff", result={"said": "\ud800"})
    raw = await exported([one], kind, "results")
    if kind == "jsonl":
        assert json.loads(raw)["result"] == {"said": "\ud800"}
    elif kind == "csv":
        assert (cells(raw)[0]["verdict"], json.loads(cells(raw)[0]["result"])) == ("b?", {"said": "\ud800"})
    else:
        assert json.loads(table_of(raw)["votes"].to_pylist()[0]) == {"a\ud800": 1}


async def test_parquet_has_typed_columns() -> None:
    """Numbers are numbers, moments are moments in UTC, lists are lists, and scores a map of numbers."""
    found = table_of(await exported([row(0), row(1, cost_usd=None, scores={}, models=())], "parquet"))
    types = {name: str(found.schema.field(name).type) for name in found.column_names}
    assert (types["number"], types["cost_usd"], types["partial"]) == ("int64", "double", "bool")
    assert (types["started_at"], types["scores"]) == ("timestamp[us, tz=UTC]", "map<string, double ('scores')>")
    assert found["models"].to_pylist() == [list(MODELS), []]
    assert found["cost_usd"].to_pylist() == [0.002, None]
    assert found["started_at"].to_pylist()[0] == DAY
    assert found["scores"].to_pylist() == [[("kendall_w", 0.75)], []]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", FORMATS)
async def test_all_formats_have_the_same_columns(kind: Format, table: TableName) -> None:
    """Whichever format is chosen, a table has the columns of the dictionary in its order, and Parquet their types."""
    raw = await exported(*filled(kind, table), scores=SCORES, calls=CALLS, arms={"toy/q9": "single"})
    columns = TABLES[table].columns
    assert list(objects(kind, raw)[0]) == [column.name for column in columns]
    if kind == "parquet":
        assert table_of(raw).schema.remove_metadata() == schema_of(columns)


@pytest.mark.parametrize("kind", FORMATS)
async def test_a_large_study_is_written_piece_by_piece(kind: Format) -> None:
    """More results than run at a time are all there, in order, and counted with their rehearsals."""
    to = io.BytesIO()
    rows = [row(number, rehearsal=number % 2 == 1) for number in range(1201)]

    async def each() -> AsyncIterator[dict[str, Any]]:
        for one in rows_of(Page(rows), "deliberations"):
            yield one

    assert await export(each(), "deliberations", to, kind) == Exported(rows=1201, missing=0, rehearsals=600)
    numbers = [int(one["number"]) for one in objects(kind, to.getvalue())]
    assert numbers == list(range(1201))


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    """The refusal names the file and the remedy; with force it is replaced."""
    path = tmp_path / "out.jsonl"
    path.write_text("precious")
    with pytest.raises(RequestError, match=r"out\.jsonl.*--force"), whole_file(path, force=False):
        pass
    assert path.read_text() == "precious"
    with whole_file(path, force=True) as file:
        file.write(b"new")
    assert path.read_text() == "new"


def test_a_file_comes_whole_or_not_at_all(tmp_path: Path) -> None:
    """When writing breaks off, what was there is there still and nothing is left beside it."""
    path = tmp_path / "out.jsonl"
    path.write_text("precious")
    with pytest.raises(TypeError), whole_file(path, force=True) as file:
        file.writelines([b"half", cast("Any", "no bytes")])
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("out.jsonl", "precious")]


def test_the_draft_of_a_killed_export_is_removed_by_the_next_one(tmp_path: Path) -> None:
    """That of a process that works stays, and so does any other file."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f".out [1].csv.{pid}.part" for pid in (ended.pid, os.getppid(), "other")]
    for name in names:
        (tmp_path / name).write_text("half")
    with whole_file(tmp_path / "out [1].csv", force=False) as file:
        file.write(b"whole")

    assert {*names[1:], "out [1].csv"} == {one.name for one in tmp_path.iterdir()}


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    """The message names the folder, the file and the remedy."""
    place, said = tmp_path / "no" / "x.csv", r"no' is no folder, so '.*x\.csv' cannot be written; make it first"
    with pytest.raises(RequestError, match=said), whole_file(place, force=False):
        pass


@pytest.mark.parametrize("name", ["x" * 250, "漢" * 85], ids=["letters", "characters of three bytes"])
def test_a_name_as_long_as_the_system_takes_can_be_written(tmp_path: Path, name: str) -> None:
    """The file's draft has a shorter name than the file."""
    with whole_file(tmp_path / name, force=False) as file:
        file.write(b"x")
    assert [name] == [one.name for one in tmp_path.iterdir()]


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """The message has the beginning of the name, the reason and the remedy."""
    place, said = tmp_path / ("x" * 1000), "…' cannot be written: File name too long; name another file$"
    with pytest.raises(RequestError, match=said) as refused, whole_file(place, force=True):
        pass
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("force", [True, False])
def test_a_folder_is_no_file_to_replace(tmp_path: Path, *, force: bool) -> None:
    """For the name of a folder no --force is recommended, and with it nothing of the folder is lost."""
    with pytest.raises(RequestError, match="is a folder; name a file in it"), whole_file(tmp_path, force=force):
        pass
    assert tmp_path.is_dir()


@pytest.fixture
async def ledger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A ledger with a study, of which one real council and one rehearsal of a consensus ran."""
    url = f"sqlite:///{tmp_path / 'books.db'}"
    monkeypatch.setenv("PARLEY_DATABASE_URL", url)
    store, whole = Store(url), entered()
    await upgrade(store)
    await enter(store, *whole.parts)
    await LedgerActivities(store).record_deliberation(line_of(whole.instances[0]))
    await LedgerActivities(store).record_deliberation(line_of(whole.instances[1], rehearsal=True))
    await LedgerActivities(store).record_deliberation(line_of(whole.instances[0], id="council-why"))
    await store.close()


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(parley, ["export", *arguments])


@pytest.mark.usefixtures("ledger")
def test_a_study_is_exported_to_standard_output() -> None:
    """Without a file the lines go to standard output, and messages to standard error."""
    done = invoke("toy")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["deliberation_id"] for one in lines if one["status"] == "completed"] == [
        "toy/q0.council",
        "toy/q0.consensus",
    ]
    assert "6 results of toy" in done.stderr
    assert "REHEARSAL: scripted models answered in 1 of them" in done.stderr


@pytest.mark.usefixtures("ledger")
def test_the_name_of_the_file_names_the_format(tmp_path: Path) -> None:
    """A file called .parquet becomes one; every row states whether it is a rehearsal."""
    done = invoke("toy", "-o", str(tmp_path / "out.parquet"))
    assert done.exit_code == 0, done.stderr
    assert parquet.read_table(tmp_path / "out.parquet")["rehearsal"].to_pylist() == [False, True, *([False] * 4)]


@pytest.mark.usefixtures("ledger")
def test_one_deliberation_is_exported_with_what_was_said() -> None:
    """The id of a deliberation does where the name of a study does."""
    done = invoke("council-why", "--what", "results", "--format", "csv")
    (told,) = cells(done.stdout_bytes)
    assert (told["deliberation_id"], json.loads(told["result"])["said"]) == ("council-why", "because")


@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "no study and no deliberation 'nobody'"),
        (["toy", "--format", "parquet"], "with -o FILE"),
        (["toy", "--what", "calls", "--format", "inspect"], "of whole deliberations; leave out --what calls"),
        (["nobody", "--what", "recording"], "no deliberation 'nobody' that has ended"),
        (["toy", "--what", "recording"], "'toy' is a study, and a recording is of one deliberation"),
        (["council-why", "--what", "recording", "--format", "parquet"], "is JSON lines"),
        (["council-why", "--what", "recording", "-o", "why.CSV"], "is JSON lines"),
    ],
)
def test_what_cannot_be_exported_is_reported(arguments: list[str], said: str) -> None:
    """A wrong name and Parquet for a screen are refused with what to do, and nothing is printed."""
    done = invoke(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_without_a_ledger_it_states_who_makes_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user who has no ledger yet learns how it comes into being."""
    monkeypatch.setenv("PARLEY_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    done = invoke("toy")
    assert (done.exit_code, "parley up" in done.stderr) == (2, True)
