"""Layers A and B of a prompt: the state of a debate, the material, and earlier rounds in short (seed 003, 5.2 and 7).

Every claim is one line, ``C7 FACT contested p2 vs p1 C9 [E3 E4?]: text``: id, label, status, who introduced it, who
and which claims oppose it, its evidence, with a mark behind what is unverified. Where not all lines fit, the texts of
the least important are shortened; if even these do not fit, the least of them are shown by their ids alone. Text of
the user is always shown whole.

Of a round in short the changes are first, then every debater with its position and actions: its newest claim in words,
the others by their ids, whose text is in the state.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from protocols.debate.model.history import CompletedRound
from protocols.debate.model.state import (
    ARGUMENT_TOKENS,
    CLAIM_TOKENS,
    GIST_TOKENS,
    NOTE_TOKENS,
    ONE_LINER_TOKENS,
    PERSON,
    POSITION_TOKENS,
    AgentStatus,
    AgentSummary,
    Claim,
    ClaimStatus,
    Contested,
    DebateState,
    Evidence,
    HistoricalRound,
    KeyMove,
)
from protocols.debate.prompts.turn_rendering import RenderContext, even_share, first_ids
from protocols.prompt_pack import fence
from protocols.tokens import clip, count

_URGENCY: dict[ClaimStatus, int] = {"contested": 0, "open": 1, "accepted": 2, "retracted": 3}
_DECISION_TOKENS, _TITLE_TOKENS, _URL_TOKENS = 150, 40, 60
_SHORT_CLAIM, _SHORT_TITLE, _SHORT_DECISION = 10, 10, 40
_IDS_TOKENS = 90
"""Of the line that names what is shown by id alone."""
_WHOLE_SHARE = 3
_MOST_NAMED = 4
"""Opponents, opposing claims and evidence that a line names."""


class _Line(NamedTuple):
    id: str
    whole: str
    short: str


class StateShown(NamedTuple):
    """Layer A as text, and how many claims are not in it whole."""

    text: str
    shortened: int = 0
    by_id: int = 0


_DID = (
    ("claim", "New"),
    ("challenge", "Against"),
    ("reinforce", "For"),
    ("retract", "Takes back"),
    ("evidence", "Evidence"),
)
"""Kinds of moves in the order in which they are shown."""
_MOST_CONTESTED = 3


def show_state(how: RenderContext, most: int) -> StateShown:
    """Return positions, decisions, claims and evidence within ``most`` tokens."""
    heading = "=== DEBATE STATE (of a claim: label, status, by whom, vs whom, [evidence, ? where unverified]) ==="
    standing = sorted(how.state.agent_status, key=lambda one: how.place(one.agent))
    positions = "\n".join(_position(one, how) for one in standing) or "nobody has spoken yet"
    lines = list(_lines(how))
    space = most - count(_lay_out(how, heading, positions, {})) - _IDS_TOKENS
    shown, shortened = _fit(lines, space)
    left = (line.id for line in lines if line.id not in shown)
    missing = sorted(left, key=lambda at: (at[0], int(at[1:])))
    text = _lay_out(how, heading, positions, shown)
    if missing:
        text += clip(f"\nBy id alone, for length, and valid like the others: {_ranges(missing)}", _IDS_TOKENS)
    return StateShown(
        text, shortened=sum(one.startswith("C") for one in shortened), by_id=sum(one.startswith("C") for one in missing)
    )


def show_material(how: RenderContext) -> str:
    """Return all material and added facts in full, each under its id; empty without any."""
    given = [one for one in how.state.evidence if one.added_by == PERSON]
    if not given:
        return ""
    heading = "=== MATERIAL FROM THE PERSON WHO ASKED: REGISTERED EVIDENCE, CITE IT BY ITS ID ==="
    text = "\n\n".join(map(_given, given))
    return f"{heading}\n{fence(text, 'material', how.nonce)}"


def summarise(completed: HistoricalRound, how: RenderContext) -> str:
    """Return one round in short; where it is too long, the longest lines are shortened evenly."""
    overall = completed.summary.overall
    agents = sorted(completed.summary.by_agent, key=lambda one: how.place(one.agent))
    lines = [f"ROUND {completed.round}: {how.line(overall.one_liner, ONE_LINER_TOKENS)}"]
    lines += [_agent(one, how) for one in agents]
    lines += [_contested(one, how) for one in completed.summary.contested[:_MOST_CONTESTED]]
    share = even_share([count(line) + 1 for line in lines], how.budget.historical) - 1
    return "\n".join(clip(line, share) for line in lines)


def latest(rounds: Sequence[CompletedRound], how: RenderContext, space: int) -> dict[int, str]:
    """Return the latest of ``rounds`` in short by number, as many as there is room for, in order."""
    kept: dict[int, str] = {}
    for completed in reversed(rounds):
        text = summarise(completed.summary, how)
        space -= count(text) + 1
        if space < 0:
            break
        kept = {completed.number: text, **kept}
    return kept


def fence_summaries(rounds: Sequence[str], how: RenderContext) -> str:
    """Return rounds in short, one below the other; empty where there is none."""
    if not rounds:
        return ""
    text = "\n\n".join(rounds)
    return f"=== EARLIER ROUNDS IN SHORT ===\n{fence(text, 'rounds in short', how.nonce)}"


def _given(one: Evidence) -> str:
    url = f" {one.url}" if one.url else ""
    supports = f" (supports {', '.join(one.supports)})" if one.supports else ""
    return f"[{one.id}] {one.title}{url}{supports}:\n{one.gist}"


def _fit(lines: Sequence[_Line], space: int) -> tuple[dict[str, str], list[str]]:
    """Return the text of each line that fits, by preference, and the ids of shortened ones.

    If not even all short lines fit, a third of the space is for whole ones.
    """
    sizes = {line.id: count(line.short) + 1 for line in lines}
    needed = sum(sizes.values())
    spare = space - needed if needed <= space else space // _WHOLE_SHARE
    texts = {line.id: line.short for line in lines}
    for line in lines:
        more = count(line.whole) + 1 - sizes[line.id]
        if more <= spare:
            texts[line.id], spare, needed = line.whole, spare - more, needed + more
            sizes[line.id] += more
    while texts and needed > space:
        needed -= sizes[texts.popitem()[0]]
    return texts, [line.id for line in lines if texts.get(line.id, line.whole) != line.whole]


def _lay_out(how: RenderContext, heading: str, positions: str, shown: dict[str, str]) -> str:
    parts = [f"POSITIONS:\n{positions}"]
    for title, letter in (("DECISIONS, BINDING", "D"), ("CLAIMS", "C"), ("EVIDENCE", "E")):
        rows = [text for at, text in sorted(shown.items(), key=lambda item: int(item[0][1:])) if at[0] == letter]
        parts.append("\n".join((f"{title}:", *(rows or ("none",)))))
    text = "\n".join(parts)
    return f"{heading}\n{fence(text, 'debate state', how.nonce)}"


def _lines(how: RenderContext) -> Iterator[_Line]:
    """Yield decisions, claims each with its evidence, then other evidence: what is most urgent and latest first."""
    state = how.state
    for made in reversed(state.decisions):
        yield _Line(
            made.id, *(f"{made.id}: {how.line(made.text, size)}" for size in (_DECISION_TOKENS, _SHORT_DECISION))
        )
    sources = {one.id: _evidence(one, how) for one in state.evidence if one.added_by != PERSON}
    unverified = {one.id for one in state.evidence if not one.is_verified}
    for claim in _by_urgency(state):
        yield _Line(claim.id, *(_claim(claim, how, size, unverified) for size in (CLAIM_TOKENS, _SHORT_CLAIM)))
        yield from (sources.pop(one) for one in claim.support if one in sources)
    yield from reversed(sources.values())


def _by_urgency(state: DebateState) -> list[Claim]:
    """Return contested and open claims first, then the latest, then those with most supporters and opponents."""
    return sorted(
        state.claims,
        key=lambda one: (
            _URGENCY[one.status],
            -one.last_updated_round,
            -len(one.supporters) - len(one.opponents),
            -int(one.id[1:]),
        ),
    )


def _claim(claim: Claim, how: RenderContext, size: int, unverified: Collection[str]) -> str:
    support = [f"{one}?" if one in unverified else one for one in claim.support]
    against = [*(how.short(seat) for seat in claim.opponents), *claim.opposition]
    parts = [claim.id, claim.label, claim.status, how.short(claim.introduced_by)]
    parts += [f"vs {' '.join(first_ids(against, _MOST_NAMED))}"] if against and size == CLAIM_TOKENS else []
    parts += [f"[{' '.join(first_ids(support, _MOST_NAMED))}]"] if support else []
    return f"{' '.join(parts)}: {how.line(claim.text, size)}"


def _evidence(one: Evidence, how: RenderContext) -> _Line:
    url = f" {how.line(one.url, _URL_TOKENS)}" if one.url and count(one.url) <= _URL_TOKENS else ""
    title = how.line(one.title, _TITLE_TOKENS)
    gist = how.line(one.gist, GIST_TOKENS) if not one.supports else ""
    whole = f"{one.id} {one.kind}: {title}{url}{f' ({gist})' if gist else ''}"
    return _Line(one.id, whole, f"{one.id}: {how.line(one.title, _SHORT_TITLE)}")


def _position(one: AgentStatus, how: RenderContext) -> str:
    change = "" if one.confidence_delta is None else f" ({one.confidence_delta:+.0%})"
    sure = "no confidence given" if one.confidence is None else f"{one.confidence:.0%}{change}"
    stance = f", stance {one.stance or 'none'}" if how.has_stances else ""
    lost = ", not asked any more" if one.is_lost else ""
    return f"{how.names[one.agent]}: {sure}, vote {one.vote or 'none'}{stance}{lost}"


def _ranges(ids: Sequence[str]) -> str:
    """Return ``C1-C4, C9, E2`` for these ids in order."""
    runs: list[list[str]] = []
    for one in ids:
        is_next = runs and one[0] == runs[-1][-1][0] and int(one[1:]) == int(runs[-1][-1][1:]) + 1
        runs[-1].append(one) if is_next else runs.append([one])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _agent(one: AgentSummary, how: RenderContext) -> str:
    stance = one.stance if how.has_stances else None
    sure = None if one.confidence is None else f"{one.confidence:.0%}"
    known = ", ".join(filter(None, (stance, sure, one.vote)))
    moves = "".join(f" {name}: {did}." for kind, name in _DID if (did := _moves(one.key_moves, kind, how)))
    position = how.line(one.position, POSITION_TOKENS)
    return f"{how.short(one.agent)}{f' ({known})' if known else ''}: {position}{moves}"


def _moves(moves: Sequence[KeyMove], kind: str, how: RenderContext) -> str:
    """Return the first move of that kind with its words, and the others by id."""
    found = [move for move in moves if move.type == kind]
    words = how.line(found[0].note, NOTE_TOKENS) if found and kind in {"claim", "challenge"} else ""
    return ", ".join(
        (*([f"{found[0].ref} {words}".rstrip()] if found else ()), *first_ids([one.ref for one in found[1:]]))
    )


def _contested(one: Contested, how: RenderContext) -> str:
    sides = (("for it", one.best_pro), ("against it", one.best_con))
    arguments = "; ".join(f"{side}: {how.line(text, ARGUMENT_TOKENS)}" for side, text in sides if text)
    return f"{one.claim} is contested{f', {arguments}' if arguments else ''}"
