"""A refusal in words becomes the loss that a provider's refusal is.

A reader is called first: a reply in which it found a ballot, scores or a verdict was understood.
Only a reply of which the reader could use nothing, and one that is read as prose, can be a refusal.
"""

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from activities.providers.replies import refused_in_words
from protocols.model_call import Answered, Failed
from protocols.refusals import is_refusal

_Fields = Mapping[str, JsonValue]


def _has_scores(reading: _Fields) -> bool:
    assessment = reading.get("assessment")
    return isinstance(assessment, dict) and assessment.get("source") != "heuristic"


def _has_types(reading: _Fields) -> bool:
    types = reading.get("types")
    return isinstance(types, list) and any(types)


_UNDERSTOOD: Mapping[str, Callable[[_Fields], bool]] = {
    "council.ballot": lambda reading: reading.get("standing") != "void",
    "consensus.evaluation": lambda reading: reading.get("accepted") is True,
    "fire_circle.assessment": _has_scores,
    "fire_circle.discussion": _has_scores,
    "fire_circle.refinement": _has_scores,
    "fire_circle.classification": _has_types,
    "debate.turn": lambda reading: bool(reading.get("position")) and reading.get("source") != "prose",
    "debate.safety": lambda reading: "is_clean" in reading,
    "debate.synthesis": lambda reading: bool(reading.get("key_evidence") or reading.get("final_positions")),
    "debate.decision": lambda reading: bool(reading.get("decision")),
}
"""By reader, whether it understood a reply as more than prose. The other readers take every text as it is."""

_STATED = ("position", "decision", "executive_summary", "verdict")
"""Fields of readings that a model may fill with a refusal."""


def check_refusal(reply: Answered, reader: str) -> Answered | Failed:
    """Return ``reply`` as read by ``reader``, or a loss if it is a refusal."""
    understood = _UNDERSTOOD.get(reader)
    fields = reply.reading if isinstance(reply.reading, dict) else {}
    if any(is_refusal(str(fields.get(name) or "")) for name in _STATED):
        return refused_in_words(reply)
    if understood is not None and isinstance(reply.reading, dict) and understood(reply.reading):
        return reply
    return refused_in_words(reply) if is_refusal(reply.text) else reply
