"""The next step after a completed round (seed 003, section 2, P1, and decision 3).

First whether it can continue at all, then groupthink, since a doubtful agreement must not end a debate; then the exits
of P1 in the seed's order::

    consensus   >= 80 % ACCEPT or MINOR, no BLOCKER, all confidences >= 0.70, and those that accept the motion agree
                with it (``motion``): never in round 1, where there is none, nor where parts are assigned
    plateau     two rounds in a row: mean confidence change < 10 %, < 10 % of the votes changed, no new [FACT]
    round cap   as many ordinary rounds as are allowed; objection rounds do not count

A user who continues a debate after a failed objection round gets another round, even beyond the cap.
"""

from collections.abc import Mapping
from typing import Literal

from protocols.debate.model.history import CompletedRound, DebateHistory, Measures
from protocols.debate.model.io import FEWEST, DebateInput, StopReason
from protocols.debate.rules.groupthink import has_failed
from protocols.debate.rules.motion import why_not_carried
from protocols.debate.rules.safety import is_blocked

Next = Literal["round", "objection", "escalate", "release"] | StopReason
"""Another round, of either kind; waiting for a user, who decides or releases a turn; or the end."""

AGREEMENT = 0.80
CONFIDENCE = 0.70
"""Of consensus."""

CHANGE = 0.10
PLATEAU_ROUNDS = 2
"""Of the plateau; a change of exactly a tenth is one."""


_DECIDED: Mapping[str | None, Next] = {
    None: "escalate",
    "accept": "accepted",
    "reject": "rejected",
    "timed_out": "escalation_timed_out",
    "continue": "round",
}
"""What a user makes of an objection round that failed."""


def decide_next(course: DebateHistory, inp: DebateInput) -> Next:
    """Return the next step after the last round of ``course``."""
    last = course.rounds[-1]
    return _broken(course, inp) or _doubted(course, last) or _exit(course, last, inp) or "round"


def _broken(course: DebateHistory, inp: DebateInput) -> Next | None:
    """Return the end of a debate that cannot continue."""
    if inp.failure_mode == "strict" and course.failed:
        return "participant_lost"
    if len(course.active) < FEWEST or not course.rounds[-1].turns:
        return "debate_too_small"
    return "release" if is_blocked(course) else None


def _doubted(course: DebateHistory, last: CompletedRound) -> Next | None:
    """Return the step that groupthink or a user's decision on it requires."""
    if last.fired:
        return "objection"
    if last.kind == "ordinary" or not has_failed(last):
        return None
    decisions = [one.decision for one in course.escalations[-1:] if one.round == last.number]
    return _DECIDED[decisions[0]] if decisions else "escalate"


def _exit(course: DebateHistory, last: CompletedRound, inp: DebateInput) -> StopReason | None:
    if not why_no_consensus(inp, last):
        return "consensus"
    if _is_plateau(course):
        return "plateau"
    return "round_cap" if course.ordinary >= course.limit else None


def why_no_consensus(inp: DebateInput, completed: CompletedRound) -> str:
    """Return every condition of a consensus that ``completed`` does not meet; empty when it meets all."""
    measures, sure = completed.measures, completed.measures.lowest_confidence
    below = "" if sure is not None and sure >= CONFIDENCE else f"a confidence is below {CONFIDENCE:.2f}"
    lacking = (
        f"agreement is below {AGREEMENT:.0%}" if measures.agreement < AGREEMENT else "",
        f"{measures.blockers} BLOCKER" if measures.blockers else "",
        "a confidence is missing" if sure is None else below,
        why_not_carried(inp, completed),
    )
    return "; ".join(filter(None, lacking))


def _is_plateau(course: DebateHistory) -> bool:
    latest = course.rounds[-PLATEAU_ROUNDS:]
    return len(latest) == PLATEAU_ROUNDS and all(_is_still(completed.measures) for completed in latest)


def _is_still(measures: Measures) -> bool:
    """Return whether positions stayed the same; not known before the second turn."""
    change, votes = measures.mean_confidence_change, measures.votes_changed
    return measures.new_facts == 0 and change is not None and change < CHANGE and votes is not None and votes < CHANGE
