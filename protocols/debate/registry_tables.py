"""Tables of the state of a debate: positions, claims, evidence and decisions."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from protocols.debate.model.state import PERSON, AgentStatus, Claim, ClaimStatus, DebateState, Evidence
from protocols.debate.rules.registry import status_of
from protocols.model_call import ParticipantId
from protocols.tables import NETWORK, UNKNOWN, Cell, Note, Table, Tone, columns, listed, notes, rows, share

_TONES: Mapping[ClaimStatus, Tone] = {"accepted": "good", "contested": "warning", "retracted": "muted", "open": ""}
_WIDTH, _WHOLE = 200, 2000
"""Characters of a text on a terminal; text of a user is shown whole."""
_NAME = 22
"""Characters of the name of a debater."""
_NO_MODELS: Mapping[ParticipantId, str] = {}


class SeatNames(NamedTuple):
    """The debaters of a running debate: their names, teams and losses."""

    names: Mapping[ParticipantId, str]
    """In the order of the seats."""
    lost: Collection[ParticipantId]
    teams: Mapping[ParticipantId, str]
    """Empty in a mode without teams."""
    has_stances: bool


def positions_table(
    state: DebateState, models: Mapping[ParticipantId, str] = _NO_MODELS, *, running: SeatNames | None = None
) -> Table:
    """Return the position of each debater at its last turn.

    ``models`` holds the model of each seat. Of a ``running`` debate those without a turn are shown, too.
    """
    standing = state.agent_status
    if running is not None:
        standing = tuple(status_of(state, seat) for seat in running.names)
    elif not standing:
        return Table(notes=notes("no debater has spoken yet"))
    seats = running or SeatNames({}, (), {}, any(one.stance is not None for one in standing))
    part = ("team",) if seats.teams else ("stance",) if seats.has_stances else ()
    known = (*(["model"] if models else []), *part)
    shown = []
    for one in standing:
        values = {
            "model": models.get(one.agent, ""),
            "stance": one.stance or UNKNOWN,
            "team": seats.teams.get(one.agent),
        }
        name = Cell(seats.names.get(one.agent, one.agent), width=_NAME)
        is_lost = one.is_lost or one.agent in seats.lost
        shown.append((name, *(values[column] or UNKNOWN for column in known), *_position(one, is_lost=is_lost)))
    return Table("Positions", columns("agent", *known, "confidence", "vote", "key point"), rows(shown))


def registry_tables(state: DebateState, models: Mapping[ParticipantId, str] = _NO_MODELS) -> list[Table]:
    """Return the claims, the evidence and the decisions; ``models`` holds the model of each seat."""
    claims = Table(
        title="Claims",
        columns=columns(*NETWORK[:4], "by", "evidence", *NETWORK[4:]),
        rows=rows(_claim(one, models) for one in state.claims),
        chart="network",
    )
    evidence = Table(
        title="Evidence",
        columns=columns("id", "kind", "source", "content", "supports", "by"),
        rows=rows(_evidence(one) for one in state.evidence),
    )
    decisions = Table(
        title="Decisions",
        columns=columns("id", "round", "decision"),
        rows=rows((one.id, str(one.round), one.text) for one in state.decisions),
    )
    found = [table for table in (claims, evidence, decisions) if table.rows]
    return found if state.claims else [Table(notes=notes("no claims yet")), *found]


def state_tables(state: DebateState) -> tuple[Table, ...]:
    """Return the positions and the registries of a debate that may still run."""
    topic = Table(title=state.topic, notes=(Note(f"round {state.round}", ""),))
    return topic, positions_table(state), *registry_tables(state)


def _position(one: AgentStatus, *, is_lost: bool) -> tuple[str | Cell, ...]:
    moved = "" if one.confidence_delta is None else f" ({round(100 * one.confidence_delta):+d})"
    sure = share(one.confidence)
    vote = Cell(
        f"{one.vote or UNKNOWN}{' (lost)' if is_lost else ''}", "bad" if is_lost or one.vote == "BLOCKER" else ""
    )
    return sure._replace(text=f"{sure.text}{moved}"), vote, Cell(one.key_point, width=_WIDTH)


def _claim(one: Claim, models: Mapping[ParticipantId, str]) -> tuple[str | Cell, ...]:
    status = Cell(one.status, _TONES[one.status])
    text = Cell(one.text, width=_WIDTH)
    by = f"{one.introduced_by}, round {one.introduced_round}"
    voted = (_seats(one.supporters, models), _seats(one.opponents, models), listed(one.opposition))
    return one.id, one.label, status, text, by, listed(one.support), *voted


def _seats(seats: Sequence[ParticipantId], models: Mapping[ParticipantId, str]) -> Cell:
    """Return a cell that lists seats, each with its model for the chart."""
    return listed(seats)._replace(
        items=tuple(f"{seat} {models.get(seat, '').rpartition('/')[2]}".strip() for seat in seats)
    )


def _evidence(one: Evidence) -> tuple[str | Cell, ...]:
    source = Cell(" ".join(filter(None, (one.title, one.url))), width=_WIDTH)
    gist = Cell(one.gist, width=_WHOLE if one.added_by == PERSON else _WIDTH)
    return one.id, one.kind, source, gist, listed(one.supports), f"{one.added_by}, round {one.added_round}"
