"""The rows of every exported table, from a ledger in SQLite and in PostgreSQL."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ledger.studies.exports import ExportReader
from parley.errors import RequestError
from parley.results import view_of
from runtime.settings import Settings
from studies.comparison.study import compare_study
from studies.exports.columns import TABLES, TableName
from studies.exports.files import export, whole_file
from studies.exports.rows import table_rows
from tests.fakes.debate_results import debate_result
from tests.studies.exports.conftest import SECRET, Exported


async def rows(
    reader: ExportReader, table: TableName, name: str = "toy", scorers: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """All rows of the table."""
    return [one async for one in table_rows(reader, name, table, scorers)]


async def test_a_deliberation_has_its_answer_and_what_each_scorer_said(reader: ExportReader) -> None:
    """Answer and correct are by the study's own rule, a choice as its labels have it; every scorer is beside them."""
    right, wrong, failed, missing, *still = await rows(reader, "deliberations")
    told = [(one["answer"], one["correct"], one["status"]) for one in (right, wrong, failed, missing)]
    assert told == [
        ("B", True, "completed"),
        ("A", False, "completed"),
        (None, False, "failed"),
        (None, False, "missing"),
    ]
    assert [(one["status"], one["correct"]) for one in still] == [("open", None)] * 2
    assert right["scorer_values"] == {"words": 0.25, "strict": 1.0}
    assert right["scorer_answers"] == {"words": "b", "strict": "B"}
    assert [one["scorer_correct"] for one in (right, wrong, failed)] == [
        {"strict": True},
        {"strict": False},
        {"strict": False},
    ]
    assert right["scorer_versions"]["strict"] == f"0.1.0@{'ab' * 6}"


async def test_a_deliberation_has_its_making_and_the_reason_of_its_loss(reader: ExportReader) -> None:
    """Seed, sampling, seats, served models, version and budget are there, and the reason where there is no verdict."""
    right, wrong, failed, missing, *_ = await rows(reader, "deliberations")
    assert (right["seed"], right["sampling"]) == (9, {"temperature": 0.5, "seed": 9})
    assert [seat["name"] for seat in right["seats"]] == ["sceptic"]
    assert (right["served_by"], right["version"]) == ({"p1": ["anthropic/claude-opus-4.6"]}, "0.1.0-gabc")
    assert (right["budget"]["used_usd"], right["attachments"], wrong["budget"]) == (0.1, [], None)
    reasons = ("p1: the account is empty", "terminated by hand")
    assert [one["reason"] for one in (right, failed, missing)] == [None, *reasons]


async def test_calls_have_prompt_and_reply(reader: ExportReader) -> None:
    """A prompt is as it was sent, with the instruction of its schema; a lost call has its prompt and its failure."""
    answered, lost = await rows(reader, "calls")
    assert [one["content"] for one in answered["messages"]] == ["Be brief.", "Why 0?\nAnswer as JSON."]
    assert answered["parameters"]["sampling"] == {"temperature": 0.5, "seed": 9}
    assert (answered["reply"], answered["reasoning"], answered["seat_name"]) == ("FINAL ANSWER: B", "Hm.", "sceptic")
    served = ("served_model", "upstream", "request_id", "finish", "cost_usd", "attempts")
    assert [answered[name] for name in served] == [
        "anthropic/claude-opus-4.6",
        "Anthropic",
        "gen-1",
        "complete",
        0.001,
        1,
    ]
    assert [one["content"] for one in lost["messages"]] == ["Be brief.", "And why?"]
    assert (lost["outcome"], lost["error_type"], lost["reply"], lost["attempts"]) == (
        "api_error",
        "provider.bad_request",
        None,
        3,
    )
    assert {one["row_id"] for one in (answered, lost)} == {"q0"}


async def test_a_transcript_is_one_document_in_order(reader: ExportReader) -> None:
    """Deliberations with a readable result have their contributions in order; one that cannot be read has none."""
    assert [(one["row_id"], len(one["turns"])) for one in await rows(reader, "transcripts")] == [
        ("q0", 1),
        ("q1", 0),
        ("q1", 0),
    ]
    (debate,) = await rows(reader, "transcripts", "council-alone")
    said = view_of(debate_result()).utterances
    assert [(one["speaker"], one["place"], one["text"], one["note"]) for one in debate["turns"]] == [
        (one.who, one.where, one.text, one.note) for one in said
    ]
    assert len(said) > 2


async def test_a_pair_has_both_orders(reader: ExportReader) -> None:
    """Orders that contradict each other are a tie, and the row is marked as inconsistent."""
    (pair,) = await rows(reader, "pairs")
    assert (pair["arm"], pair["other_arm"], pair["row_id"]) == ("council", "consensus", "q1")
    assert (pair["as_first"], pair["as_second"], pair["value"]) == ("first", "first", 0.5)
    assert (pair["winner"], pair["inconsistent"], pair["graded_by"]) == ("tie", True, ["g/1", "g/2"])


async def test_scores_have_their_place_in_the_study(reader: ExportReader) -> None:
    """Every score is there once, with row, arm and repeat."""
    told = [(one["scorer"], one["row_id"], one["arm"], one["value"]) for one in await rows(reader, "scores")]
    assert told == [
        ("strict", "q0", "council", 1.0),
        ("words", "q0", "council", 0.25),
        ("judge", "q1", "council", 0.5),
        ("strict", "q1", "council", 0.0),
        ("strict", "q1", "consensus", None),
    ]


async def test_the_scores_of_named_scorers_leave_alone(reader: ExportReader) -> None:
    """Every table with scores has those of the named scorers and every deliberation that it had before."""
    told = [(one["scorer"], one["row_id"]) for one in await rows(reader, "scores", scorers=["words", "judge"])]
    assert told == [("words", "q0"), ("judge", "q1")]
    found = await rows(reader, "deliberations", scorers=["words"])
    assert (len(found), found[0]["scorer_values"], found[0]["scorer_correct"]) == (6, {"words": 0.25}, {})
    assert (found[0]["scorer_answers"], list(found[0]["scorer_versions"])) == ({"words": "b"}, ["words"])
    assert [one["scorer"] for one in await rows(reader, "pairs", scorers=["judge"])] == ["judge"]


@pytest.mark.parametrize(
    ("table", "scorers", "said"),
    [
        ("scores", ["words", "wrods"], "no scorer 'wrods' has scored 'toy'; those that have are judge, strict, words"),
        ("deliberations", ["judgd"], "no scorer 'judgd' has scored 'toy'"),
        ("pairs", ["words"], "no judged pairs by words of 'toy'"),
        ("calls", ["words"], "the table calls has no scores; leave out --score words"),
        ("transcripts", ["words", "strict"], "the table transcripts has no scores; leave out --score words, strict"),
    ],
)
async def test_a_scorer_that_is_not_there_is_refused(
    reader: ExportReader, table: TableName, scorers: list[str], said: str
) -> None:
    """One sentence names it and those that there are, or the table without scores."""
    with pytest.raises(RequestError, match=said):
        await rows(reader, table, scorers=scorers)


@pytest.mark.parametrize("table", ["deliberations", "results", "calls", "transcripts", "sources"])
async def test_one_deliberation_is_exported_alone(reader: ExportReader, table: TableName) -> None:
    """Its id does where the name of a study does; it has no study, and its arm is its protocol."""
    told = await rows(reader, table, "council-alone")
    assert all((one["study"], one["row_id"], one["arm"]) == ("", "council-alone", "council") for one in told)
    assert len(told) == (1 if table in {"deliberations", "results", "transcripts"} else 0)


@pytest.mark.parametrize(
    ("table", "name", "said"),
    [
        ("deliberations", "none", "no study and no deliberation 'none'"),
        ("pairs", "council-alone", "no judged pairs of"),
        ("scores", "council-alone", "no scores of 'council-alone'.*parley score"),
    ],
)
async def test_what_is_not_there_is_refused(reader: ExportReader, table: TableName, name: str, said: str) -> None:
    """One sentence names it and the remedy."""
    with pytest.raises(RequestError, match=said):
        await rows(reader, table, name)


async def test_no_key_leaves_the_ledger(reader: ExportReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """No table has what an environment holds, nor a header or an address of a provider."""
    monkeypatch.setenv("OPENROUTER_API_KEY", SECRET)
    told = json.dumps([await rows(reader, table) for table in TABLES], default=str)
    assert not any(part in told for part in (SECRET, "Authorization", "Bearer", "https://openrouter"))


QUERY = """
import json, sys, duckdb
found = duckdb.connect().execute(
    "select arm, count(*) filter (correct), count(*), sum(tokens), avg(seconds) from read_parquet(?)"
    " where status <> 'open' group by arm order by arm", [sys.argv[1]]
)
print(json.dumps(found.fetchall()))
"""


def queried(path: Path) -> list[list[Any]]:
    """What duckdb reads in the file, in a process of its own: it writes to the screen when it ends."""
    done = subprocess.run([sys.executable, "-c", QUERY, str(path)], capture_output=True, text=True, check=True)
    found: list[list[Any]] = json.loads(done.stdout)
    return found


async def test_figures_of_the_file_are_those_of_the_comparison(
    reader: ExportReader, study: Exported, tmp_path: Path
) -> None:
    """Accuracy, tokens and times by arm, as duckdb and pandas read them in Parquet, are those of ``compare``."""
    pd = pytest.importorskip("pandas")
    path = tmp_path / "toy.parquet"
    with whole_file(path, force=False) as file:
        await export(table_rows(reader, "toy", "deliberations"), "deliberations", file, "parquet")
    told = pd.read_parquet(path)
    ended = told[told["status"] != "open"]
    compared = await compare_study(Settings(database_url=study.url), "toy")
    by_arm = {one.arm: one for one in compared.arms}
    assert set(by_arm) == set(ended["arm"])
    for arm, found in ended.groupby("arm"):
        assert found["correct"].astype(float).mean() == pytest.approx(by_arm[arm].accuracy.value)
        assert (found["tokens"].sum(), found["calls"].sum()) == (by_arm[arm].tokens, by_arm[arm].calls)
    right = ended["correct"].astype(bool)
    assert ((ended["answer"] == ended["expected"]) == right).all()
    counted = await asyncio.to_thread(queried, path)
    assert [row[:4] for row in counted] == [
        [arm, by_arm[arm].correct, by_arm[arm].n, by_arm[arm].tokens] for arm in sorted(by_arm)
    ]
    assert [row[4] for row in counted] == [90.0, 90.0]
