"""What a debater is shown of the debate, and within which budget (seed 003, sections 3.5, 3.6, 7.1 and 7.4 to 7.6).

Round N is asked with the state, rounds N-3 and N-2 in short, round N-1 in full, and of its own round what its order
allows; what is older stands in the state alone. No component exceeds its maximum. When everything together, system
message included, exceeds 8,000 tokens, state and round before come down to their targets, the oldest claims and the
longest turns first; then the oldest material goes: the older summary, the other, then the round before is shortened
evenly, then this round, then the state. In no case are there more than 10,000.
"""

from collections.abc import Iterator, Sequence
from statistics import mean, median
from typing import NamedTuple

from protocols.debate.model.course import (
    PREVIOUS_MOST,
    PREVIOUS_TARGET,
    STATE_MOST,
    STATE_TARGET,
    TOTAL_MOST,
    TOTAL_TARGET,
    Budget,
    HeldRound,
)
from protocols.debate.model.turns import AgentResponse
from protocols.debate.prompts import packets, registries
from protocols.debate.prompts.four_layers import row
from protocols.debate.prompts.occasion import On, Table
from protocols.debate.prompts.shown import TURN_LEAST, Piece, Showing, showing, turns
from protocols.exchange import ParticipantId
from protocols.tokens import count

NOBODY = "Nobody has spoken yet."

_SUMMARISED = 2
"""Rounds in short: N-3 and N-2."""
_STATE_LEAST = 1000
_HEADINGS = 30
"""Tokens of a heading, and of what joins it to its neighbours."""


class _Sheet(NamedTuple):
    """What is shown, piece by piece."""

    state: Piece
    older: tuple[str, ...]
    previous: Piece
    present: Piece


class _View(NamedTuple):
    """Everything that may be shown on one occasion."""

    how: Showing
    on: On
    older: tuple[HeldRound, ...]
    previous: HeldRound | None
    present: tuple[AgentResponse, ...]

    def state(self, most: int) -> Piece:
        """Layer A."""
        heading = "=== DEBATE STATE ===\n"
        told = registries.state(self.how, most - _HEADINGS)
        return told._replace(text=heading + told.text)

    def before(self, most: int) -> Piece:
        """The round before, in full, with the group's statistics where peers are anonymous."""
        if self.previous is None:
            return Piece("" if self.present else NOBODY)
        heading = f"=== ROUND {self.previous.number}{_kind(self.previous)}: EVERY TURN ===\n"
        if self.how.is_anonymous:
            heading += f"{_group(self.previous.turns)}\n"
        told = turns(self.previous.turns, self.how, most - count(heading))
        return told._replace(text=heading + told.text)

    def now(self, most: int) -> Piece:
        """What was said in this round already."""
        if not self.present:
            return Piece("")
        heading = f"=== ROUND {self.on.round}, THE PRESENT ONE, SO FAR ===\n"
        told = turns(self.present, self.how, most - count(heading))
        return told._replace(text=heading + told.text)

    def in_short(self, older: Sequence[str]) -> str:
        """The rounds before the round before."""
        if not older:
            return ""
        numbers = [str(held.number) for held in self.older[-len(older) :]]
        return f"=== ROUND {' AND '.join(numbers)} IN SHORT ===\n{packets.historical(older, self.how)}"

    def laid_out(self, sheet: _Sheet, instructions: str) -> str:
        """The user message."""
        told = (sheet.state.text, self.in_short(sheet.older), sheet.previous.text, sheet.present.text, instructions)
        return "\n\n".join(filter(None, told))


def context(
    table: Table, seat: ParticipantId, on: On, *, nonce: str, system: str, instructions: str
) -> tuple[str, Budget]:
    """The user message of ``seat``, and what it comes to together with everything else that is sent in ``system``."""
    view = _view(table, seat, on, nonce)
    sheet = _whole(view)
    beside = count(system)

    def total(sheet: _Sheet) -> int:
        return beside + count(view.laid_out(sheet, instructions))

    steps = sum(piece.is_cut for piece in (sheet.state, sheet.previous, sheet.present))
    for most, has_floor in ((TOTAL_TARGET, True), (TOTAL_MOST, False)):
        excess = total(sheet) - most
        while excess > 0 and (smaller := next(_smaller(view, sheet, excess, has_floor=has_floor), None)):
            sheet, steps = smaller, steps + 1
            excess = total(sheet) - most
    return view.laid_out(sheet, instructions), Budget(
        state=count(sheet.state.text),
        historical=max(map(count, sheet.older), default=0),
        previous=count(sheet.previous.text) + count(sheet.present.text),
        instructions=count(instructions),
        total=total(sheet),
        compressed=steps,
    )


def visible(table: Table, seat: ParticipantId) -> tuple[AgentResponse, ...]:
    """The turns of the present round that ``seat`` may see: by order all before it, or blue red's, or none."""
    mode, spoken = row(table.inp), table.course.open
    if mode.order == "sequential":
        return tuple(turn for turn in spoken if turn.agent != seat)
    if mode.order == "parallel" or mode.part(table.inp.position(seat)).team == "red":
        return ()
    return tuple(turn for turn in spoken if mode.part(table.inp.position(turn.agent)).team == "red")


def _view(table: Table, seat: ParticipantId, on: On, nonce: str) -> _View:
    held = {one.number: one for one in table.course.rounds}
    older = range(on.round - 1 - _SUMMARISED, on.round - 1)
    return _View(
        how=showing(table, nonce),
        on=on,
        older=tuple(held[number] for number in older if number in held),
        previous=held.get(on.round - 1),
        present=visible(table, seat),
    )


def _whole(view: _View) -> _Sheet:
    """Every component within its own maximum; of two that share one, the older is shortened first."""
    spared = _least(view.previous.turns) if view.previous else 0
    present = view.now(PREVIOUS_MOST - spared)
    return _Sheet(
        state=view.state(STATE_MOST),
        older=tuple(packets.in_short(held.summary, view.how) for held in view.older),
        previous=view.before(PREVIOUS_MOST - count(present.text)),
        present=present,
    )


def _smaller(view: _View, sheet: _Sheet, excess: int, *, has_floor: bool) -> Iterator[_Sheet]:
    """What may be done next, the first of it being what concerns the oldest material."""
    if has_floor:
        yield from _towards_targets(view, sheet, excess)
    if sheet.older:
        yield sheet._replace(older=sheet.older[1:])
    least = _least(view.previous.turns) if view.previous and has_floor else 0
    if (size := count(sheet.previous.text)) > least and view.previous:
        yield from _if_smaller(sheet, sheet._replace(previous=view.before(max(least, size - excess))))
    least = _least(view.present) if has_floor else 0
    if (size := count(sheet.present.text)) > least:
        yield from _if_smaller(sheet, sheet._replace(present=view.now(max(least, size - excess))))
    least = _STATE_LEAST if has_floor else 0
    if (size := count(sheet.state.text)) > least:
        yield from _if_smaller(sheet, sheet._replace(state=view.state(max(least, size - excess))))


def _towards_targets(view: _View, sheet: _Sheet, excess: int) -> Iterator[_Sheet]:
    """State and round before no longer than they should be (section 7.5, "Target"), for the sake of what is older."""
    if (size := count(sheet.state.text)) > STATE_TARGET:
        yield from _if_smaller(sheet, sheet._replace(state=view.state(max(STATE_TARGET, size - excess))))
    if (size := count(sheet.previous.text)) > PREVIOUS_TARGET and view.previous:
        least = max(PREVIOUS_TARGET, _least(view.previous.turns))
        yield from _if_smaller(sheet, sheet._replace(previous=view.before(max(least, size - excess))))


def _if_smaller(before: _Sheet, after: _Sheet) -> Iterator[_Sheet]:
    if sum(map(count, _texts(after))) < sum(map(count, _texts(before))):
        yield after


def _texts(sheet: _Sheet) -> tuple[str, str, str]:
    return sheet.state.text, sheet.previous.text, sheet.present.text


def _least(spoken: Sequence[AgentResponse]) -> int:
    """In how many tokens ``spoken`` can be shown at all."""
    return (TURN_LEAST + 3) * len(spoken) + 3 * _HEADINGS if spoken else 0


def _kind(held: HeldRound) -> str:
    return "" if held.kind == "ordinary" else f" ({held.kind} round)"


def _group(spoken: Sequence[AgentResponse]) -> str:
    """The statistics of the group (delphi)."""
    told = [turn.confidence for turn in spoken if turn.confidence is not None]
    votes = [turn.vote or "none" for turn in spoken]
    cast = ", ".join(f"{votes.count(vote)} {vote}" for vote in ("ACCEPT", "MINOR", "BLOCKER", "none") if vote in votes)
    spread = (
        f"mean {mean(told):.0%}, median {median(told):.0%}, lowest {min(told):.0%}, highest {max(told):.0%}"
        if told
        else "nobody gave one"
    )
    return f"The group of {len(spoken)}: confidence {spread}; votes {cast or 'none'}."
