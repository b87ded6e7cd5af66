"""Layer A: the state of the debate as everybody is shown it (seed 003, sections 7.1 and 7.2).

It stands there under the seed's names. Where it would be too long, contested and open claims stay, then those of the
last rounds, each with the evidence that it stands on; what is left out is named by its ids, which never change.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from protocols.debate.model.state import (
    CLAIM_TOKENS,
    GIST_TOKENS,
    PERSON,
    AgentStatus,
    Claim,
    ClaimStatus,
    DebateState,
    Decision,
    Evidence,
)
from protocols.debate.prompts.shown import Piece, Showing, few
from protocols.prompting import fence
from protocols.tokens import clip, count

_URGENCY: dict[ClaimStatus, int] = {"contested": 0, "open": 1, "accepted": 2, "retracted": 3}
_TOPIC, _TITLE, _URL, _DECISION = 150, 40, 60, 150
_FEW_DECISIONS, _SHORT_DECISION = 5, 40
_NAMED = 90
"""Tokens of the line that names what is left out."""
_JOINT = 3


class _Entry(NamedTuple):
    id: str
    text: str
    """As JSON."""


def state(how: Showing, most: int) -> Piece:
    """The registries and how everybody stands, within ``most`` tokens if the agents' standing alone leaves room."""
    told = how.state
    claims = [_Entry(one.id, _json(_claim(one, how))) for one in told.claims]
    evidence = [_Entry(one.id, _json(_evidence(one, how))) for one in told.evidence]
    decisions = [_Entry(one.id, _json(_decision(one, how, _DECISION))) for one in told.decisions]
    if sum(count(one.text) - 1 for one in (*claims, *evidence)) <= most:
        whole = _laid_out(how, claims, evidence, decisions)
        if count(whole) <= most:
            return Piece(whole)
    latest = [_Entry(one.id, _json(_decision(one, how, _SHORT_DECISION))) for one in told.decisions[-_FEW_DECISIONS:]]
    room = most - count(_laid_out(how, (), (), latest)) - _NAMED - _JOINT
    kept = _kept(told, {one.id: one.text for one in (*claims, *evidence)}, room)
    whole = _laid_out(how, _of(claims, kept), _of(evidence, kept), latest)
    missing = [one.id for one in (*claims, *evidence) if one.id not in kept]
    missing += [one.id for one in decisions[:-_FEW_DECISIONS]]
    named = clip(f"Left out for length, and still valid under their ids: {_ranges(missing)}", _NAMED)
    return Piece(f"{whole}\n{named}", is_cut=True)


def _laid_out(how: Showing, claims: Sequence[_Entry], evidence: Sequence[_Entry], decisions: Sequence[_Entry]) -> str:
    told = how.state
    statuses = sorted(told.agent_status, key=lambda one: how.place(one.agent))
    standing = [_Entry(one.agent, _json(_status(one, how))) for one in statuses]
    head = {
        "topic": how.line(told.topic, _TOPIC),
        "round": told.round,
        "participants": [how.names[seat] for seat in sorted(told.participants, key=how.place)],
    }
    lists = (("claims", claims), ("evidence", evidence), ("decisions", decisions), ("agent_status", standing))
    rows = ",\n".join((_json(head)[1:-1], *(_list(name, entries) for name, entries in lists)))
    contested = [claim.id for claim in told.claims if claim.status == "contested"]
    text = fence(f'{{"debateState": {{{rows}}}}}', "debate state", how.nonce)
    return f"{text}\nContested now: {', '.join(few(contested))}" if contested else text


def _of(entries: Sequence[_Entry], kept: set[str]) -> list[_Entry]:
    return [one for one in entries if one.id in kept]


def _list(name: str, entries: Sequence[_Entry]) -> str:
    body = "\n" + ",\n".join(one.text for one in entries) + "\n" if entries else ""
    return f'"{name}": [{body}]'


def _kept(told: DebateState, texts: dict[str, str], room: int) -> set[str]:
    kept: set[str] = set()
    for one in _by_relevance(told):
        cost = count(texts[one]) + _JOINT
        if cost <= room:
            room -= cost
            kept.add(one)
    return kept


def _by_relevance(told: DebateState) -> list[str]:
    """Ids, what matters most first: a person's evidence, then each claim with its own, then other evidence."""
    known = {one.id for one in told.evidence}
    order = [one.id for one in reversed(told.evidence) if one.added_by == PERSON]
    for claim in sorted(told.claims, key=lambda one: (_URGENCY[one.status], -one.last_updated_round)):
        order += [claim.id, *(one for one in claim.support if one in known)]
    order += [one.id for one in reversed(told.evidence)]
    return list(dict.fromkeys(order))


def _ranges(ids: Sequence[str]) -> str:
    """``C1-C4, C9, E2``: neighbours are drawn together."""
    runs: list[list[str]] = []
    for one in ids:
        is_next = runs and one[0] == runs[-1][-1][0] and int(one[1:]) == int(runs[-1][-1][1:]) + 1
        runs[-1].append(one) if is_next else runs.append([one])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _claim(claim: Claim, how: Showing) -> dict[str, object]:
    return {
        "id": claim.id,
        "text": how.line(claim.text, CLAIM_TOKENS),
        "label": claim.label,
        "status": claim.status,
        "introduced_round": claim.introduced_round,
        "last_updated_round": claim.last_updated_round,
        "support": few(claim.support),
        "opposition": few(claim.opposition),
    }


def _evidence(one: Evidence, how: Showing) -> dict[str, object]:
    return {
        "id": one.id,
        "kind": one.kind,
        "title": how.line(one.title, _TITLE),
        "url": how.line(one.url, _URL) if count(one.url) <= _URL else "",
        "supports": few(one.supports),
        "gist": how.line(one.gist, GIST_TOKENS),
        "added_round": one.added_round,
    }


def _decision(one: Decision, how: Showing, most: int) -> dict[str, object]:
    return {"id": one.id, "text": how.line(one.text, most), "round": one.round}


def _status(one: AgentStatus, how: Showing) -> dict[str, object]:
    stance = {"stance": one.stance} if how.has_stances else {}
    return {
        "agent": how.names[one.agent],
        **stance,
        "confidence": _rounded(one.confidence),
        "confidence_delta": _rounded(one.confidence_delta),
        "vote": one.vote,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)
