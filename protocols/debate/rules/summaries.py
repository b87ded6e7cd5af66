"""A round in short, by rule: the JSON of section 7.3 for peers, and the table of section 5.2.

Nothing is made up: every line comes from the structured turns and the registries. What may not be shown to peers is in
neither. How much of a summary a debater is shown is the window's affair; here every text keeps to its own limit.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from math import fsum

from protocols.debate.model.course import Course, HeldRound
from protocols.debate.model.state import (
    ARGUMENT_TOKENS,
    NOTE_TOKENS,
    ONE_LINER_TOKENS,
    PERSON,
    AgentStatus,
    AgentSummary,
    Claim,
    Contested,
    DebateState,
    Evidence,
    GlobalSummary,
    HistoricalRound,
    KeyMove,
    RoundSummary,
)
from protocols.debate.model.turns import AgentResponse, Label, Stance, Vote
from protocols.debate.modes.naming import Names
from protocols.debate.rules.book import WITHHELD, id_of, squeezed
from protocols.exchange import ParticipantId

MOST_MOVES, MOST_CONTESTED = 6, 6
"""Of one agent, and of one round: the turns themselves have the rest."""

_HEADING = ("Agent", "Stance", "Conf", "Vote", "Key Point")
_WIDTHS = (12, 8, 7, 8, 18)
"""Of the columns, as the seed draws them."""
_LINE = 48
"""Characters of a key point that stay on one line."""
_LEVELS = (("HIGH", 0.80), ("MEDIUM", 0.50))
_STRENGTH: dict[Label, int] = {"FACT": 0, "INFER": 1, "ASSUME": 2, "OPEN": 3}


def in_short(course: Course, names: Names, one_liner: str = "") -> HistoricalRound:
    """The round that is held, as it is shown when it is not shown in full any more.

    ``one_liner`` is the summariser's line, cut to its limit; without one the line is made by rule.
    """
    number = max(1, course.state.round)
    line = squeezed(one_liner, ONE_LINER_TOKENS) or squeezed(_what_changed(course, names, number), ONE_LINER_TOKENS)
    return HistoricalRound(round=number, summary=_summary(course, number, line))


def positions(course: Course, names: Names) -> list[tuple[str, ...]]:
    """Heading and rows of the table of section 5.2: everybody as it stood last, this round's turns included."""
    spoken = {turn.agent: turn for turn in course.open}
    stood = {one.agent: one for one in course.state.agent_status}
    rows = [_row(names[at], spoken.get(at), stood.get(at)) for at in course.state.participants]
    return [_HEADING, *(row for row in rows if row)]


def readable(held: HeldRound, course: Course, names: Names) -> str:
    """A round as section 5.2 shows it."""
    table = positions(course.model_copy(update={"open": held.turns}), names)
    claims = [one for one in course.state.claims if one.introduced_round <= held.number]
    agreed = [f"{one.id} {one.text}" for one in claims if one.status == "accepted"]
    disputed = [
        f"{one.id} {one.text}: {_sides(one, held, course, names)}" for one in claims if one.status == "contested"
    ]
    blocks = (
        f"=== ROUND {held.number} SUMMARY ===",
        f"CONSENSUS STATUS: {_level(held.measures.agreement)} ({_percent(held.measures.agreement)})",
        _listed("KEY AGREEMENTS", agreed),
        _listed("UNRESOLVED DISAGREEMENTS", disputed),
        "\n".join(("AGENT POSITIONS:", *_table(table))),
        _listed("NEW EVIDENCE THIS ROUND", _evidence(held, course.state)),
        "\n\n".join(("=== FULL RESPONSES (expandable) ===", *(_full(turn, names) for turn in held.turns))),
    )
    return "\n\n".join(blocks)


def key_point(turn: AgentResponse) -> str:
    """What stands for the whole turn: the first of its key points, or else its position."""
    told = (point for point in turn.said.key_points if point.strip())
    return squeezed(next(told, turn.said.position), ARGUMENT_TOKENS)


def _summary(course: Course, number: int, line: str) -> RoundSummary:
    state = course.state
    return RoundSummary(
        overall=GlobalSummary(
            one_liner=line,
            new_claims=tuple(one.id for one in state.claims if one.introduced_round == number),
            new_evidence=tuple(one.id for one in state.evidence if one.added_round == number),
            decisions=tuple(one.id for one in state.decisions if one.round == number),
        ),
        by_agent=tuple(_agent(turn, state) for turn in course.open),
        contested=tuple(
            Contested(claim=one.id, best_pro=_best_pro(one, course), best_con=_best_con(one, course))
            for one in _disputed(state, number)[:MOST_CONTESTED]
        ),
    )


def _what_changed(course: Course, names: Names, number: int) -> str:
    state, turns = course.state, course.open
    new = sum(one.introduced_round == number for one in state.claims)
    sources = sum(one.added_round == number for one in state.evidence)
    votes = sum(turn.vote in {"ACCEPT", "MINOR"} for turn in turns)
    given = [turn.confidence for turn in turns if turn.confidence is not None]
    sure = f" at {_percent(fsum(given) / len(given))}" if given else ""
    counts = f"New: claims {new}, sources {sources}; contested {len(_disputed(state, number))}"
    against = ", ".join(names[turn.agent] for turn in course.shown if turn.vote == "BLOCKER")
    blocked = f"; blocked by {against}" if against else ""
    return f"{counts}; {votes} of {len(turns)} for it{sure}{blocked}."


def _disputed(state: DebateState, number: int) -> list[Claim]:
    """Contested claims that the round touched, those with most opponents first."""
    found = [one for one in state.claims if one.status == "contested" and one.last_updated_round == number]
    return sorted(found, key=lambda one: -len(one.opponents))


def _agent(turn: AgentResponse, state: DebateState) -> AgentSummary:
    if turn.withheld:
        return AgentSummary(agent=turn.agent)
    return AgentSummary(
        agent=turn.agent,
        stance=turn.said.stance,
        confidence=turn.confidence,
        confidence_delta=turn.confidence_delta,
        key_moves=tuple(_moves(turn, state))[:MOST_MOVES],
    )


def _moves(turn: AgentResponse, state: DebateState) -> Iterator[KeyMove]:
    """What the turn did, one of each kind before the second of any."""
    touched, claims = turn.claims_touched, {one.id: one.text for one in state.claims}
    sources = {one.id: _gist(one) for one in state.evidence}
    kinds = (
        [KeyMove(type="claim", ref=at, note=_note(claims.get(at))) for at in touched.introduced],
        [KeyMove(type="challenge", ref=at, note=_note(_against(turn, at))) for at in touched.challenged],
        [KeyMove(type="retract", ref=at, note=_note(claims.get(at))) for at in touched.retracted],
        [KeyMove(type="evidence", ref=at, note=_note(sources.get(at))) for at in turn.citations_used],
        [KeyMove(type="reinforce", ref=at, note=_note(claims.get(at))) for at in touched.reinforced],
    )
    return (move for move in chain.from_iterable(zip_longest(*kinds)) if move)


def _note(text: str | None) -> str:
    return squeezed(text or "", NOTE_TOKENS)


def _against(turn: AgentResponse, at: str) -> str:
    """What the turn says against that claim: a claim of its own, or a concern, or its position."""
    own = (one.text for one in turn.said.claims if at in map(id_of, one.opposes))
    return next(chain(own, turn.said.concerns, (turn.said.position,)))


def _best_pro(claim: Claim, course: Course) -> str:
    """Another claim made for it in this round, or what it stands on, or the claim itself."""
    said = [one for turn in course.shown for one in turn.said.claims if claim.id in map(id_of, one.supports)]
    strongest = sorted(said, key=lambda one: _STRENGTH[one.label])
    proof = [_gist(one) for one in course.state.evidence if one.id in claim.support]
    texts = (*(one.text for one in strongest), *(text for text in proof if text != WITHHELD), claim.text)
    return squeezed(texts[0], ARGUMENT_TOKENS)


def _best_con(claim: Claim, course: Course) -> str:
    """The strongest claim that stands against it, or what an opponent said in this round."""
    against = [one for one in course.state.claims if one.id in claim.opposition and one.status != "retracted"]
    strongest = sorted(against, key=lambda one: (_STRENGTH[one.label], -len(one.supporters)))
    said = (_against(turn, claim.id) for turn in course.shown if turn.agent in claim.opponents)
    return squeezed(next(chain((one.text for one in strongest), said), ""), ARGUMENT_TOKENS)


def _gist(one: Evidence) -> str:
    """What it says, where a person said it; else what it is, for a debater's claim stands beside it."""
    return one.gist if one.added_by == PERSON else one.title


def _percent(share: float) -> str:
    return f"{round(100 * share)}%"


def _row(name: str, turn: AgentResponse | None, status: AgentStatus | None) -> tuple[str, ...] | None:
    if turn:
        return _cells(name, *_stood(turn))
    return _cells(name, status.stance, status.confidence, status.vote, status.key_point) if status else None


def _stood(turn: AgentResponse) -> tuple[Stance | None, float | None, Vote | None, str]:
    if turn.withheld:
        return None, None, None, WITHHELD
    return turn.said.stance, turn.confidence, turn.vote, key_point(turn)


def _cells(name: str, stance: Stance | None, sure: float | None, vote: Vote | None, point: str) -> tuple[str, ...]:
    return name, stance or "-", "-" if sure is None else _percent(sure), vote or "-", point


def _level(agreement: float) -> str:
    return next((level for level, least in _LEVELS if agreement >= least), "LOW")


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join((f"{title}:", *(f"- {line}" for line in lines or ("none",))))


def _sides(claim: Claim, held: HeldRound, course: Course, names: Names) -> str:
    """Who stands by it and who against, with stance or vote, as both stood after that round."""
    shown = course.model_copy(update={"open": held.turns})
    rows = {row[0]: row for row in positions(shown, names)}

    def side(seats: Sequence[ParticipantId]) -> str:
        said = [(names[at], rows.get(names[at], ("", "-", "-", "-", ""))) for at in seats if at in names]
        return ", ".join(f"{name} ({row[1] if row[1] != '-' else row[3]})" for name, row in said)

    return f"{side(claim.supporters)} vs {side(claim.opponents)}"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows between rules; the key point takes two lines where it is long."""
    lines = [[line] if at == 0 else list(_folded(line)) for at, line in enumerate(rows)]
    widths = [max(least, *(_room(line[n], least) for row in lines for line in row)) for n, least in enumerate(_WIDTHS)]
    rule = "+" + "+".join("-" * width for width in widths) + "+"
    text = [
        "|" + "|".join(f" {cell}".ljust(width) for cell, width in zip(line, widths, strict=True)) + "|"
        for row in lines
        for line in row
    ]
    return iter((rule, text[0], rule, *text[1:], rule))


def _room(cell: str, least: int) -> int:
    """The width that a cell asks for; one that just fits needs no blank behind it, like the seed's NEUTRAL."""
    return least if len(cell) < least else len(cell) + 2


def _folded(row: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    cells = tuple(" ".join(cell.replace("|", "/").split()) for cell in row)
    point = cells[-1]
    fold = point.find(" ", len(point) // 2) if len(point) > _LINE else -1
    first, rest = (point, "") if fold < 0 else (point[:fold], point[fold + 1 :])
    yield (*cells[:-1], first)
    if rest:
        yield (*("" for _ in cells[:-1]), rest)


def _evidence(held: HeldRound, state: DebateState) -> list[str]:
    """What came in with this round, under the number of its id, with the first claim that it supports."""
    found = []
    for one in state.evidence:
        claim = next(filter(None, map(state.claim, one.supports)), None)
        label, text = (claim.label, claim.text) if claim else ("FACT", one.gist)
        if one.added_round == held.number and text:
            found.append(f"[{label}][{one.id[1:]}]: {text} (Source: {one.title})")
    return found


def _full(turn: AgentResponse, names: Names) -> str:
    """A turn as section 3.5 shows it."""
    head = f"--- {names[turn.agent]} ---"
    if turn.withheld:
        return f"{head}\n{WITHHELD}"
    said = turn.said
    sure = "not given" if said.confidence is None else _percent(said.confidence)
    sources = "; ".join(f"[{one.number}] {one.text}" for one in said.references) or "none"
    return f"{head}\nPosition: {said.position}\nReasoning: {said.reasoning}\nConfidence: {sure}\nSources: {sources}"
