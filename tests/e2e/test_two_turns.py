"""MT-bench's questions of two turns as a study: the second turn has the first question and its verdict before it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes import mt_bench
from tests.fakes.installation import installation
from tests.fakes.real_studies import begin, ended, parley

MODELS = ("gpt-4", "claude-v1", "gpt-3.5-turbo")
QUESTIONS = 8
STUDY = """\
name = "two-turns"
window = 6
[dataset]
path = "questions.jsonl"
id = "question_id"
turns = "turns"
extra = ["category"]
[[arms]]
name = "alone"
protocol = "single"
options = { models = ["rehearsal:gpt-4"] }
[[arms]]
name = "council"
protocol = "council"
options = { models = ["rehearsal:gpt-4", "rehearsal:claude-v1", "rehearsal:gpt-3.5-turbo"], chair = "rehearsal:gpt-4" }
"""

pytestmark = [pytest.mark.long, *mt_bench.MARKS]


def recorded(questions: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Return by model and question the answer that it really gave, in both turns."""
    found = {}
    for model in MODELS:
        given = mt_bench.both_answers(model)
        pairs = (zip(one["turns"], given[one["question_id"]], strict=True) for one in questions)
        found[model] = {question: answer for pair in pairs for question, answer in pair}
    return found


async def test_questions_of_two_turns_are_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each row is asked in two deliberations; what was sent in the second is read from its history."""
    questions = mt_bench.questions()[:QUESTIONS]
    answers = recorded(questions)
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)), "utf-8")
    (tmp_path / "study.toml").write_text(STUDY, "utf-8")
    async with installation(tmp_path) as installed:
        async with httpx.AsyncClient(trust_env=False) as http:
            (await http.post(f"{installed.rehearsal_url}/rehearsal/playback", json=answers)).raise_for_status()
        begun = await begin(installed, tmp_path / "study.toml")
        status = await ended(installed, "two-turns")
        lines = tmp_path / "lines.jsonl"
        await parley(installed, "export", "two-turns", "--what", "results", "-o", str(lines))
        rows = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
        ids = [row["deliberation_id"] for row in rows if row["arm"] == "alone"]
        sent = await asyncio.gather(*(parley(installed, "prompts", one, "--json") for one in ids[:2]))
    with capsys.disabled():
        print(f"\n  {QUESTIONS} questions of two turns, 2 arms: {status.progress.completed} completed")
        print("  question  arm      calls  first verdict             second verdict")
        for row in sorted(rows, key=lambda row: (row["row_id"], row["arm"]))[:8]:
            first = row["result"]["turns"][0]["verdict"]
            print(f"  {row['row_id']:<9} {row['arm']:<8} {row['calls']:5}  {first[:24]!r:<26}{row['verdict'][:24]!r}")

    assert begun is not None
    assert (2 * QUESTIONS, 2 * QUESTIONS) == (status.progress.completed, len(rows))
    by_id = {str(one["question_id"]): one for one in questions}
    given = answers["gpt-4"]
    for row in rows:
        first, second = by_id[row["row_id"]]["turns"]
        (turn,) = row["result"]["turns"]
        assert (first, second) == (turn["question"], row["question"])
        if row["arm"] == "alone":
            assert (given[first].strip(), given[second].strip()) == (turn["verdict"].strip(), row["verdict"].strip())
        assert row["calls"] == (2 if row["arm"] == "alone" else 2 * 7)
    for printed, name in zip(sent, ids, strict=False):
        row = next(one for one in rows if one["deliberation_id"] == name)
        first, second = by_id[row["row_id"]]["turns"]
        assert first in printed
        assert json.dumps(given[first].strip())[1:60] in printed
        assert json.dumps(second)[1:-1] in printed
