"""The rules for turns, checks and rounds (seed 004, "Decision Logic", "Round Transitions").

A turn leaves a draft behind; a check leaves opinions. Neither ever looks at more than the latest draft::

    turn                                   the draft afterwards
    the bare question is answered          the answer, also one that is cut off, with the mark
    ACCEPT                                 unchanged: the word never becomes the draft
    a corrected text                       the text, without remarks about it
    an objection, or a doubtful reply      unchanged: remarks never become the draft
    a correction cut off by its length     as it was: half a text does not replace a whole one
    the call was lost                      as it was, and its speaker has no say in this round's check

All who are active must accept, also who has no say in this round's check, and at least two must be left. A speaker
that is lost twice in a row is a zombie: it is asked no more and counts no more.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from protocols.consensus.model import (
    CURATOR,
    ConsensusInput,
    ConsensusState,
    Curation,
    Draft,
    Evaluation,
    Opinion,
    RoundSummary,
    Speaker,
    SpeakerState,
    Stance,
    StopReason,
)
from protocols.consensus.prompts import EVALUATE_AGAIN, POLISH_AGAIN
from protocols.flaws import Flaw, is_cut
from protocols.model_call import Answered, Failed, ParticipantId, lost_call

FEWEST = 2
"""Speakers without whom no agreement is possible."""

_FIRST_ANSWER = 600
_SHORTEST = 40
_CHARACTERS_PER_TOKEN = 4
_FULL = 90
_LOST_IN_A_ROW = 2
_LONGEST_OBJECTION = 200


def bar(tokens: int, expected: int) -> int:
    """Return the progress of a running stage, 0 to 90: only its completion makes it 100."""
    return min(_FULL, round(_FULL * max(tokens, 0) / max(expected, 1)))


def expected_tokens(draft: str | None) -> int:
    """Estimate the length of an answer: a correction is about as long as the draft."""
    return _FIRST_ANSWER if draft is None else max(_SHORTEST, len(draft) // _CHARACTERS_PER_TOKEN)


def apply_turn(course: ConsensusState, speaker: Speaker, reply: Answered | Failed, round_number: int) -> ConsensusState:
    """Apply ``reply``, the turn of ``speaker``, to the draft."""
    course = apply_reply(course, speaker, reply, speaker, round_number)
    if isinstance(reply, Failed):
        return course
    is_first = course.draft is None
    text = Draft.model_validate(reply.reading).text if is_first else Evaluation.model_validate(reply.reading).draft
    if not text or (is_cut(reply) and not is_first):
        return course
    changes = {"draft": text, "draft_by": ParticipantId(speaker), "is_draft_cut": is_cut(reply)}
    return course.model_copy(update=changes)


def apply_reply(
    course: ConsensusState, speaker: Speaker, reply: Answered | Failed, stage: str, round_number: int
) -> ConsensusState:
    """Update the state of ``speaker`` after a call: an answer clears a loss, two losses in a row end its part."""
    is_lost = isinstance(reply, Failed)
    failures = course.speakers[speaker].failures + 1 if is_lost else 0
    state = SpeakerState(failures=failures, is_zombie=failures >= _LOST_IN_A_ROW)
    failed = (*course.failed, lost_call(reply, stage, round_number)) if isinstance(reply, Failed) else course.failed
    return course.model_copy(update={"speakers": {**course.speakers, speaker: state}, "failed": failed})


def voters(course: ConsensusState, round_number: int) -> tuple[Speaker, ...]:
    """Return the voters of this round's check: active speakers without a lost turn in it."""
    silent = {call.participant for call in course.failed if call.round == round_number}
    return tuple(name for name in course.active if name not in silent)


def opinion(reply: Answered | Failed | None) -> Opinion | None:
    """Return the opinion in a check's reply; ``None`` without a reply. A cut reply is no plain ACCEPT."""
    given = stance(reply)
    return None if given is None else "NO" if given == "accept" else "YES"


def stance(reply: Answered | Failed | None) -> Stance | None:
    """Return how the opinion in a check's reply was given; ``None`` when there is no reply."""
    if not isinstance(reply, Answered):
        return None
    if reply.finish != "complete":
        return "cut"
    evaluation = Evaluation.model_validate(reply.reading)
    if evaluation.accepted:
        return "accept"
    return "correction" if evaluation.draft else "objection" if evaluation.found_as == "objection" else "unread"


def unclear_turn(reply: Answered) -> str | None:
    """Return the further request for a turn that neither accepts nor offers a text; ``None`` without need.

    An objection is asked for its text, because only a text travels on.
    """
    evaluation = Evaluation.model_validate(reply.reading)
    return None if evaluation.accepted or evaluation.draft else EVALUATE_AGAIN


def unclear_check(reply: Answered) -> str | None:
    """Return the further request for a doubtful check; ``None`` for ACCEPT, a text and an objection."""
    return EVALUATE_AGAIN if stance(reply) == "unread" else None


def unclear_curation(reply: Answered) -> str | None:
    """Return the further request for a curator's reply without text or verdict; ``None`` without need."""
    return POLISH_AGAIN if Curation.model_validate(reply.reading).found_as == "doubtful" else None


def unread(reply: Answered | Failed, stage: str, round_number: int) -> Flaw | None:
    """Return the flaw of a reply that stayed doubtful; ``None`` for a clear one."""
    if not isinstance(reply, Answered) or not isinstance(reply.reading, dict):
        return None
    if reply.reading.get("found_as") != "doubtful" or reply.finish != "complete":
        return None
    note = (
        "no polished text: the verdict is the accepted draft"
        if stage == CURATOR
        else "neither ACCEPT nor a corrected text"
    )
    return Flaw(kind="unread", stage=stage, round=round_number, participant=reply.participant, note=note)


def objection(reply: Answered | Failed | None) -> str:
    """Return what a check's reply holds against the draft, in one line; blank when it accepts or there is no reply."""
    given = stance(reply)
    if given in {None, "accept"} or not isinstance(reply, Answered):
        return ""
    if given == "correction":
        return "offers a correction"
    said = " ".join(reply.text.split())
    return f"{given}: {said if len(said) <= _LONGEST_OBJECTION else said[:_LONGEST_OBJECTION] + '…'}"


def apply_check(
    course: ConsensusState,
    round_number: int,
    replies: Mapping[Speaker, Answered | Failed | None],
    corrections: Sequence[str] = (),
) -> ConsensusState:
    """Close the round: its summary, and the number of rounds without a change of the draft.

    ``replies`` are those of all who are active; ``None`` for who has no say.
    """
    digest = sha256(" ".join((course.draft or "").split()).encode()).hexdigest()
    is_same = digest == course.checked
    summary = RoundSummary(
        round=round_number,
        opinions={name: opinion(reply) for name, reply in replies.items()},
        stances={name: given for name, reply in replies.items() if (given := stance(reply))},
        draft_by=course.draft_by,
        draft_changed=not is_same,
    )
    return course.model_copy(
        update={
            "rounds": (*course.rounds, summary),
            "checked": digest,
            "same_for": course.same_for + 1 if is_same else 1,
            "objections": {name: said for name, reply in replies.items() if (said := objection(reply))},
            "corrections": tuple(corrections),
        }
    )


def is_consensus(opinions: Mapping[Speaker, Opinion | None]) -> bool:
    """Return whether all active speakers accept, and enough of them."""
    return len(opinions) >= FEWEST and all(given == "NO" for given in opinions.values())


def is_majority(opinions: Mapping[Speaker, Opinion | None]) -> bool:
    """Return whether more than half of the active speakers accept."""
    return 2 * sum(given == "NO" for given in opinions.values()) > len(opinions)


def decide(inp: ConsensusInput, course: ConsensusState, max_rounds: int) -> StopReason | None:
    """Return the ending after this round; ``None`` for another round."""
    last = course.rounds[-1]
    is_late = inp.majority_after is not None and last.round >= inp.majority_after
    reasons: tuple[tuple[bool, StopReason], ...] = (
        (is_consensus(last.opinions), "consensus"),
        (len(course.active) < FEWEST, "quorum_lost"),
        (is_late and is_majority(last.opinions), "majority"),
        (inp.deadlock_after is not None and course.same_for >= inp.deadlock_after, "deadlock"),
        (last.round >= max_rounds, "round_limit"),
    )
    return next((reason for is_so, reason in reasons if is_so), None)
