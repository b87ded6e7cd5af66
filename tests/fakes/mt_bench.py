"""Real questions, and the answers that models really gave to them: the files of MT-bench beside the project."""

import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[3] / "shared" / "data" / "mt-bench"

MARKS = [
    pytest.mark.e2e,
    pytest.mark.data,
    pytest.mark.timeout(120),
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the real questions are not at {DATA}"),
]


def questions() -> list[dict[str, Any]]:
    """All questions, in order."""
    return _rows(DATA / "question.jsonl")


def answers(model: str) -> dict[int, str]:
    """Question id to what ``model`` answered in the first turn."""
    return {question: turns[0] for question, turns in both_answers(model).items()}


def both_answers(model: str) -> dict[int, list[str]]:
    """Question id to what ``model`` answered in each of the two turns."""
    given = _rows(DATA / "model_answer" / f"{model}.jsonl")
    return {row["question_id"]: row["choices"][0]["turns"] for row in given}


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
