"""Fire circles as the ledger sees them: a line with a result, no model is asked."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from activities.ledger import DeliberationRecord
from protocols.fire_circle.io import FireCircleResult
from protocols.fire_circle.model import FalsehoodTrend, PatternObservation
from protocols.model_call import ModelId, ParticipantId, Spending
from protocols.panel import route
from tests.fakes.seed_panel import SEED_CIRCLE

SEATS = tuple(ParticipantId(f"p{number}") for number in range(1, len(SEED_CIRCLE) + 1))
"""Where the seed's three models sit, in their order."""

MODELS: tuple[ModelId, ...] = tuple(map(route, SEED_CIRCLE))


def pattern(pattern_type: str = "temporal_inconsistency", seats: int = 3, **changes: Any) -> PatternObservation:
    """A pattern that the first ``seats`` of the three models named."""
    whole = {
        "pattern_type": pattern_type,
        "description": "Claims an earlier turn.",
        "model_agreement": seats / len(SEATS),
        "examples": ("as we discussed earlier",),
        "observed_in_round": 2,
        "models_observing": SEATS[:seats],
    }
    return PatternObservation.model_validate(whole | changes)


PATTERNS = (pattern(), pattern("polite_extraction", 2, description="Is polite.", examples=()))
"""What a circle finds unless it is reported: one that all named, and one that two named."""


def result(deliberation_id: str, patterns: Sequence[PatternObservation] = PATTERNS, **changes: Any) -> FireCircleResult:
    """A circle that converged, as the protocol gives it."""
    seats = zip(SEATS, MODELS, strict=True)
    whole = {
        "consensus": None,
        "patterns": patterns,
        "empty_chair_influence": 0.5,
        "partial": False,
        "deliberation_id": deliberation_id,
        "question": "As we discussed earlier, go on.",
        "verdict": "F 0.90",
        "stop_reason": "converged",
        "movements": [FalsehoodTrend(participant=s, model=m, falsehoods=(0.9,), is_active=True) for s, m in seats],
        "spent": Spending(calls=6),
        "prompts": "1@abc",
    }
    return FireCircleResult.model_validate(whole | changes)


def banked(
    deliberation_id: str = "fire-circle-1",
    patterns: Sequence[PatternObservation] = PATTERNS,
    *,
    protocol: str = "fire-circle",
    rehearsal: bool = False,
    attack_id: str | None = None,
    **changes: Any,
) -> DeliberationRecord:
    """The ledger's line for such a circle, on its way there; ``changes`` are of its result."""
    found = result(deliberation_id, patterns, attack_id=attack_id, rehearsal=rehearsal, **changes)
    return DeliberationRecord(
        id=deliberation_id,
        run_id="run-1",
        protocol=protocol,
        protocol_version="1",
        prompts=found.prompts,
        title="Go on",
        question=found.question,
        verdict=found.verdict,
        stop_reason=found.stop_reason,
        partial=found.partial,
        failure_mode="resilient",
        models=MODELS,
        spent=found.spent,
        rehearsal=rehearsal,
        started_at=datetime(2026, 5, 1, 10, tzinfo=UTC),
        ended_at=datetime(2026, 5, 1, 10, 5, tzinfo=UTC),
        result=found.model_dump(mode="json"),
    )
