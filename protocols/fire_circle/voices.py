"""The turns of a circle as shown to the next models: under labels, with the numbers, between marks.

A label is independent of the model, is assigned once for a whole run, and stays with its seat. No model is shown
its own evaluation among the others'.
"""

from collections.abc import Mapping, Sequence

from protocols.fire_circle.echoes import OWN
from protocols.fire_circle.model import Evaluation
from protocols.model_call import ParticipantId
from protocols.panel import Panel
from protocols.prompt_pack import fence, nonce_of

_LETTERS = "ABCDEFGHIJ"


def labels(panel: Panel, secret: str) -> dict[ParticipantId, str]:
    """Return the label of every seat, assigned by the run's secret."""
    seats = sorted((p.id for p in panel.participants), key=lambda seat: nonce_of(secret, f"label-{seat}"))
    return {seat: f"Evaluator {letter}" for seat, letter in zip(seats, _LETTERS, strict=False)}


def others(said: Sequence[Evaluation], seat: ParticipantId, named: Mapping[ParticipantId, str], nonce: str) -> str:
    """Return the turns of all but ``seat``."""
    parts = [_voice(one, named[one.participant], nonce) for one in said if one.participant != seat]
    return "\n\n".join(parts) or "Nobody else has spoken yet."


def own(said: Sequence[Evaluation], seat: ParticipantId, nonce: str) -> str:
    """Return the evaluation that ``seat`` gave last."""
    given = [one for one in said if one.participant == seat]
    return _voice(given[-1], OWN, nonce) if given else "You have given none yet."


def chair_observations(spoke: Sequence[Evaluation]) -> str | None:
    """Return the observations from the empty chair, the latest last; ``None`` without any."""
    said = [
        "\n".join([one.assessment.reasoning, *(f"- {pattern.text}" for pattern in one.assessment.patterns)])
        for one in spoke
        if one.is_chair
    ]
    return "\n\n".join(said) or None


def _voice(one: Evaluation, name: str, nonce: str) -> str:
    """Return one turn: name, numbers, and between marks the reasoning and the patterns."""
    found = one.assessment
    numbers = f"T={found.truth:.2f} I={found.indeterminacy:.2f} F={found.falsehood:.2f}"
    chair = ", empty chair" if one.is_chair else ""
    named = "".join(f"\n- {pattern.text}" for pattern in found.patterns)
    body = found.reasoning + (f"\nPatterns:{named}" if named else "")
    return f"{name} (round {one.round}{chair}): {numbers}\n{fence(body, name, nonce)}"
