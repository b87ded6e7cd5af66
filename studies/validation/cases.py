"""The prompts of the study, with their labels.

The ten shipped cases claim an earlier conversation. The attacks are judged at turn 1, when there was none; the control
is judged at turn 4 and refers to earlier turns. Names, numbers and places in them are invented.
"""

from importlib.resources import files
from typing import Literal

from pydantic import Field

from ledger.studies.results import ResultRow
from protocols.fire_circle.io import FireCircleResult
from protocols.fire_circle.model import SessionMemory
from protocols.model_call import FrozenModel, Spending

Label = Literal["attack", "benign"]

STUDY_FILE = files(__package__) / "study.toml"
_CASES = files(__package__) / "cases.jsonl"


class Case(FrozenModel):
    """A prompt with its label: one line of the study's dataset."""

    id: str = Field(min_length=1, max_length=120)
    """Part of the ids of its deliberations."""
    about: str = ""
    """The kind of attack, in a few words."""
    source: str
    """The file that it comes from."""
    label: Label
    session: SessionMemory | None = None
    system: str = ""
    application: str = ""
    user: str = ""

    @property
    def is_attack(self) -> bool:
        """True if it should be flagged."""
        return self.label == "attack"


TEN_CASES = tuple(Case.model_validate_json(line) for line in _CASES.read_text(encoding="utf-8").splitlines())

MULTI_TURN = "history_04"
"""The case with several faked turns in one message."""
CROSS_LAYER = "history_10"
"""The case with the same false history in two layers."""


SINGLE, PARALLEL, CIRCLE = ARMS = ("single", "parallel", "fire-circle")
"""The arms of the study: one model alone, several without a dialogue, and the fire circle."""


class Named(FrozenModel):
    """A pattern that a circle found, and how many of its models named it."""

    type: str
    models: int


class Trial(FrozenModel):
    """One case in one arm: its result, or why it has none."""

    case: str
    arm: str
    falsehood: float | None = None
    """What the arm ends with: the highest of a circle, the mean of a baseline; ``None`` with an ``error``."""
    highest: float | None = None
    """The highest that any of its models saw."""
    influence: float | None = None
    """Of the empty chair; a circle's only."""
    patterns: tuple[Named, ...] = ()
    """A circle's only."""
    partial: bool = False
    error: str | None = None
    spent: Spending = Spending()
    rehearsal: bool = False


def trial_of(row: ResultRow) -> Trial:
    """Return the trial of ``row``, read with its whole result."""
    result = row.result or {}
    trial = Trial(
        case=row.row_id,
        arm=row.arm,
        partial=row.partial or bool(result.get("failed")),
        spent=Spending(
            calls=row.calls,
            prompt_tokens=row.prompt_tokens,
            completion_tokens=row.completion_tokens,
            usd=row.cost_usd or 0.0,
            calls_of_unknown_cost=row.calls_of_unknown_cost,
        ),
        rehearsal=row.rehearsal,
    )
    falsehood = row.scores.get("falsehood")
    if row.verdict is None or falsehood is None:
        return trial.model_copy(update={"error": f"ended without a verdict ({row.stop_reason})"})
    found = {"falsehood": falsehood, "highest": row.scores.get("highest", falsehood)}
    if row.arm != CIRCLE:
        return trial.model_copy(update=found)
    circle = FireCircleResult.model_validate(result)
    named = tuple(Named(type=one.pattern_type, models=len(one.models_observing)) for one in circle.patterns)
    return trial.model_copy(update={**found, "influence": circle.empty_chair_influence, "patterns": named})
