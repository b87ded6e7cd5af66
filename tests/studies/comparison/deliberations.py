"""Deliberations of a study as a comparison reads them, made up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from ledger.studies.results import Standing
from protocols.flaws import FlawKind


@dataclass(frozen=True)
class FakeRow:
    """One deliberation that ended."""

    row_id: str = "q1"
    arm: str = "solo"
    repeat: int = 1
    expected: str | None = None
    protocol: str = "council"
    verdict: str | None = "FINAL ANSWER: A"
    stop_reason: str = "verdict"
    degraded: bool = False
    flaws: Mapping[FlawKind, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    votes: Mapping[str, JsonValue] = field(default_factory=dict)
    calls: int = 2
    tokens: int = 100
    cost_usd: float | None = 0.01
    calls_of_unknown_cost: int = 0
    rehearsal: bool = False
    seconds: float | None = 10.0

    @property
    def standing(self) -> Standing:
        """Held with a verdict, else as its stop reason says."""
        ended: Standing = "held" if self.verdict is not None else "failed"
        missing: dict[str, Standing] = {"lost": "lost", "open": "open"}
        return missing.get(self.stop_reason, ended)


CHOICES: dict[str, JsonValue] = {"seed": 11, "label": {"read": "choice", "choices": ["A", "B", "C", "D"]}}
"""The content of a study of multiple choice."""

YES_NO: dict[str, JsonValue] = {"seed": 11, "label": {"read": "yes_no"}}
"""The content of a study with a positive and a negative answer."""


def answered(arm: str, answers: Sequence[str | None], expected: Sequence[str | None]) -> list[FakeRow]:
    """One deliberation per row, that said the answer; ``None`` failed."""
    return [
        FakeRow(
            row_id=f"q{number:03}",
            arm=arm,
            expected=label,
            verdict=None if answer is None else f"Because of this and that.\n\nFINAL ANSWER: {answer}",
            stop_reason="verdict" if answer is not None else "no_answers",
        )
        for number, (answer, label) in enumerate(zip(answers, expected, strict=True), start=1)
    ]
