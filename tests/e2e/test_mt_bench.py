"""Real input: councils over real questions, the members' replies being answers that four models really gave."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from parley.client import Parley
from protocols.council.model import CouncilResult
from tests.fakes import mt_bench
from tests.fakes.installation import Installation, installation

MODELS = ("gpt-4", "claude-v1", "gpt-3.5-turbo", "vicuna-33b-v1.3")
QUESTIONS = 10

pytestmark = mt_bench.MARKS


def recorded(questions: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Model to question to the answer it gave in the first turn."""
    return {
        model: {question["turns"][0]: given[question["question_id"]] for question in questions}
        for model in MODELS
        for given in [mt_bench.answers(model)]
    }


async def hold(installed: Installation, question: str) -> CouncilResult:
    """One council of the four recorded models, asked for as a researcher does."""
    parley = await Parley.connect(installed.settings, address=f"127.0.0.1:{installed.settings.server_port}")
    return await parley.council(question, models=MODELS, chair="gpt-4", rehearse=True)


async def test_councils_over_real_questions_and_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten real questions reach a verdict; every member's recorded answer is reviewed word for word."""
    questions = mt_bench.questions()[:QUESTIONS]
    answers = recorded(questions)
    async with installation(tmp_path) as installed:
        async with httpx.AsyncClient(trust_env=False) as http:
            (await http.post(f"{installed.rehearsal_url}/rehearsal/playback", json=answers)).raise_for_status()
        results = await asyncio.gather(*(hold(installed, question["turns"][0]) for question in questions))
    with capsys.disabled():
        print("\n  question  winner           agreement  votes")
        for question, result in zip(questions, results, strict=True):
            assert result.tally is not None
            winner, agreement = result.tally.winner, result.tally.agreement or 0.0
            model = winner.model.partition(":")[2]
            print(f"  {question['question_id']:<9} {model:<16} {agreement:9.2f}  {winner.votes}")

    assert ["verdict"] * QUESTIONS == [result.stop_reason for result in results]
    assert [(4, 4, ())] * QUESTIONS == [(len(r.stage1), len(r.stage2), r.failed) for r in results]
    for question, result in zip(questions, results, strict=True):
        asked = question["turns"][0]
        assert [answers[model][asked].strip() for model in MODELS] == [e.response.strip() for e in result.stage1]
