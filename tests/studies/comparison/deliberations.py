"""Deliberations of a study as a comparison reads them, made up."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import JsonValue

from ledger.studies.results import ResultRow
from studies.comparison.compare import compare_scored
from studies.comparison.model import StudyComparison
from studies.comparison.scoring import LabelRule, score_row

_BEGAN = datetime(2026, 5, 1, tzinfo=UTC)
_WHOLE: dict[str, Any] = {
    **dict.fromkeys(("study", "question", "title", "protocol_version", "prompts", "failure_mode"), ""),
    **dict.fromkeys(("models", "served_models", "upstreams"), ()),
    "number": 0,
    "deliberation_id": "s/q1.solo",
    "row_id": "q1",
    "arm": "solo",
    "repeat": 1,
    "protocol": "council",
    "verdict": "FINAL ANSWER: A",
    "stop_reason": "verdict",
    "partial": False,
    "degraded": False,
    "calls": 2,
    "prompt_tokens": 100,
    "completion_tokens": 0,
    "cost_usd": 0.01,
    "calls_of_unknown_cost": 0,
    "cost_source": "provider",
    "rehearsal": False,
    "started_at": _BEGAN,
    "ended_at": _BEGAN + timedelta(seconds=10),
}


def deliberation(**changes: Any) -> ResultRow:
    """One deliberation that ended, with its ``tokens`` and ``seconds`` where they matter."""
    return ResultRow.model_validate(_WHOLE | _fields(changes))


def replace(row: ResultRow, **changes: Any) -> ResultRow:
    """The same deliberation with other values."""
    return row.model_copy(update=_fields(changes))


def _fields(changes: dict[str, Any]) -> dict[str, Any]:
    named = {"tokens": "prompt_tokens"}
    fields = {named.get(name, name): value for name, value in changes.items() if name != "seconds"}
    if "seconds" not in changes:
        return fields
    seconds = changes["seconds"]
    return {**fields, "ended_at": None if seconds is None else _BEGAN + timedelta(seconds=seconds)}


CHOICES: dict[str, JsonValue] = {"seed": 11, "label": {"read": "choice", "choices": ["A", "B", "C", "D"]}}
"""The content of a study of multiple choice."""

YES_NO: dict[str, JsonValue] = {"seed": 11, "label": {"read": "yes_no"}}
"""The content of a study with a positive and a negative answer."""


def answered(arm: str, answers: Sequence[str | None], expected: Sequence[str | None]) -> list[ResultRow]:
    """One deliberation per row, that said the answer; ``None`` failed."""
    return [
        deliberation(
            row_id=f"q{number:03}",
            arm=arm,
            expected=label,
            verdict=None if answer is None else f"Because of this and that.\n\nFINAL ANSWER: {answer}",
            stop_reason="verdict" if answer is not None else "no_answers",
        )
        for number, (answer, label) in enumerate(zip(answers, expected, strict=True), start=1)
    ]


def compare(study: str, rows: Iterable[ResultRow], content: Mapping[str, Any], **chosen: Any) -> StudyComparison:
    """Compare the arms of deliberations that are read and marked first."""
    rule = LabelRule.of(content)
    return compare_scored(study, [score_row(row, rule) for row in rows], content, **chosen)
