"""Real input: consensuses over real questions, each beginning with the answer that a model really gave."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes import mt_bench
from tests.fakes.installation import installation
from tests.fakes.rehearsals import begin, rehearsed
from tests.fakes.seed_panel import SEED_SPEAKERS

GENERATOR = "gpt-4"
EVERY = 16
"""Of the 80 questions in eight categories: five, each of another category."""

pytestmark = mt_bench.MARKS


def recorded(questions: list[dict[str, Any]]) -> dict[str, str]:
    """Question to the answer that the generator gave in the first turn, in the order of the questions."""
    given = mt_bench.answers(GENERATOR)
    return {question["turns"][0]: given[question["question_id"]] for question in questions}


async def test_consensuses_over_real_questions_and_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Five real questions reach a consensus, each of them over the recorded answer, word for word."""
    questions = mt_bench.questions()[::EVERY]
    answers = recorded(questions)
    models = (GENERATOR, *SEED_SPEAKERS[1:])
    async with installation(tmp_path) as installed:
        async with httpx.AsyncClient(trust_env=False) as http:
            playback = await http.post(f"{installed.rehearsal_url}/rehearsal/playback", json={GENERATOR: answers})
            playback.raise_for_status()
        handles = [
            await begin(installed, rehearsed(models=models, question=asked), f"mt-bench-{number}")
            for number, asked in enumerate(answers)
        ]
        results = await asyncio.gather(*(handle.result() for handle in handles))
    with capsys.disabled():
        print("\n  question  category    rounds  draft by   tokens")
        for question, result in zip(questions, results, strict=True):
            name, rounds = question["category"], len(result.rounds)
            print(
                f"  {question['question_id']:<9} {name:<11} {rounds:6}  {result.draft_by:<9} {result.spent.tokens:7,}"
            )

    assert [("consensus", "curator", True)] * 5 == [(r.stop_reason, r.written_by, r.rehearsal) for r in results]
    firsts = [result.conversation.messages[0] for result in results]
    assert [("generator", 1)] * 5 == [(first.speaker, first.round) for first in firsts]
    assert [text.strip() for text in answers.values()] == [first.content.strip() for first in firsts]
