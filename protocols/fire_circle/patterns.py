"""The patterns of a fire circle: the ideas, their counts, and those from the empty chair.

Everything here is counted over the models that are active in the end (seed 000, sections 4.3, 5.3 and 6.2). Neither
the ids of the seats nor the names of the models decide anything: mentions are put in order by round and wording.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from protocols.fire_circle.model import UNCLASSIFIED, CircleState, Evaluation, PatternObservation
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import ParticipantId

Chairs = Mapping[int, ParticipantId]
"""Round to the seat of the empty chair in it."""

UNSEATED: Chairs = {}
UNGROUPED: Mapping[str, str] = {}
"""No pattern text has a type that a model gave it."""

_PERFORMATIVE = 0.10
_SIMILAR = 0.6
_MOST_EXAMPLES = 3

_WORD = lazy_pattern(r"[^\W_]+")
_STOP_WORDS = frozenset(
    (
        *("a", "an", "the", "this", "that", "it", "its", "of", "to", "in", "on", "at", "by", "for", "with", "from"),
        *("as", "and", "or", "but", "is", "are", "was", "were", "be", "been", "there"),
    )
)
_QUOTED = lazy_pattern(r'"([^"\n]{3,200})"|“([^”\n]{3,200})”|«([^»\n]{3,200})»|(?<!\w)\'([^\'\n]{3,200})\'(?!\w)')


class Mention(NamedTuple):
    """A pattern as one model named it in one round; ``words`` distinguish unclassified ones."""

    by: Evaluation
    text: str
    type: str
    words: frozenset[str]


Idea = list[Mention]
"""All mentions of one pattern, the earliest round first."""


def observe(
    circle: CircleState, seats: Sequence[ParticipantId], threshold: float, grouped: Mapping[str, str] = UNGROUPED
) -> tuple[PatternObservation, ...]:
    """Return the patterns that enough active models named, most agreed first, then the earliest (section 6.2).

    ``threshold`` is a share of the active models, never of the initial ones. ``grouped`` gives a pattern text the type
    that a model found for it.
    """
    active = circle.active(seats)
    found = [_observation(idea, active, grouped) for idea in _ideas(circle.evaluations, active, grouped)]
    kept = [pattern for pattern in found if pattern.model_agreement >= threshold]
    return tuple(sorted(kept, key=lambda one: (-one.model_agreement, one.observed_in_round, one.pattern_type)))


def influence(
    chairs: Chairs,
    circle: CircleState,
    seats: Sequence[ParticipantId],
    grouped: Mapping[str, str] = UNGROUPED,
    *,
    round_number: int | None = None,
) -> float:
    """Return the share of patterns that only the empty chair named in their first round.

    Section 4.3. Every unclassified idea counts as one pattern. With ``round_number`` only the patterns that were first
    named in that round are looked at; where there are none, the influence is 0.
    """
    counted = _ideas(circle.evaluations, circle.active(seats), grouped)
    if round_number is not None:
        counted = [idea for idea in counted if idea[0].by.round == round_number]
    mentions = _mentions(circle.evaluations, grouped)
    brought = sum(_is_brought_by_chair(idea, chairs, mentions) for idea in counted)
    return brought / len(counted) if counted else 0.0


def is_performative(
    chairs: Chairs, circle: CircleState, seats: Sequence[ParticipantId], grouped: Mapping[str, str] = UNGROUPED
) -> bool:
    """Return whether a model spoke from the chair and brought in less than a tenth of the patterns (section 4.3)."""
    active = circle.active(seats)
    has_chaired = any(one.is_chair and one.participant in active for one in circle.evaluations)
    has_patterns = bool(_ideas(circle.evaluations, active, grouped))
    return has_chaired and has_patterns and influence(chairs, circle, seats, grouped) < _PERFORMATIVE


def named_in(circle: CircleState) -> tuple[str, ...]:
    """Return the distinct pattern texts of the dialogue, by round and then in the order of the alphabet."""
    return tuple(dict.fromkeys(mention.text for mention in _mentions(circle.evaluations, UNGROUPED)))


def _is_brought_by_chair(idea: Idea, chairs: Chairs, mentions: Sequence[Mention]) -> bool:
    """Return whether the chair introduced the idea; earlier mentions by lost models count as known."""
    first = idea[0].by.round
    known = {one.by.participant for one in mentions if one.by.round <= first and _is_same(idea[0], one)}
    known |= {one.by.participant for one in idea if one.by.round == first}
    return known == {chairs.get(first)}


def _mentions(evaluations: Iterable[Evaluation], grouped: Mapping[str, str]) -> list[Mention]:
    """Return all mentions after the baseline, by round and wording."""
    said = [
        Mention(
            one,
            pattern.text,
            grouped.get(pattern.text, pattern.type),
            frozenset(_WORD.findall(pattern.text.lower())) - _STOP_WORDS,
        )
        for one in evaluations
        if one.round > 1
        for pattern in one.assessment.patterns
    ]
    return sorted(said, key=lambda one: (one.by.round, one.text))


def _ideas(
    evaluations: Iterable[Evaluation], active: Collection[ParticipantId], grouped: Mapping[str, str]
) -> list[Idea]:
    """Return the mentions by ``active`` models, grouped by idea, in the order of the first of each."""
    ideas: list[Idea] = []
    for mention in _mentions((one for one in evaluations if one.participant in active), grouped):
        idea = next((idea for idea in ideas if _is_same(idea[0], mention)), None)
        if idea:
            idea.append(mention)
        else:
            ideas.append([mention])
    return ideas


def _is_same(first: Mention, other: Mention) -> bool:
    if first.type != UNCLASSIFIED or other.type != UNCLASSIFIED:
        return first.type == other.type
    shared, either = first.words & other.words, first.words | other.words
    return first.text == other.text or len(shared) / max(len(either), 1) >= _SIMILAR


def _observation(idea: Idea, active: Sequence[ParticipantId], grouped: Mapping[str, str]) -> PatternObservation:
    named = {mention.by.participant for mention in idea}
    quoted = (text for mention in idea for found in _QUOTED.findall(mention.text) for text in found if text)
    return PatternObservation(
        pattern_type=idea[0].type,
        description=idea[0].text,
        model_agreement=len(named) / len(active),
        examples=tuple(dict.fromkeys(quoted))[:_MOST_EXAMPLES],
        observed_in_round=idea[0].by.round,
        models_observing=tuple(seat for seat in active if seat in named),
        classified_by="model" if any(mention.text in grouped for mention in idea) else "keywords",
    )
