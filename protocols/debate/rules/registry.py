"""The registries: claims C1 …, evidence E1 … and decisions D1 …, under ids that are given once (section 7.7).

An id is given in the order in which something is first said, and neither it nor the text under it changes afterwards. A
claim said again, in nearly the same words, is the claim that is there already; so is evidence of the same address or
title. The status of a claim follows from its supporters::

    no supporter                                retracted
    labelled OPEN, and fewer than two           open
    supported and opposed                       contested
    two or more                                 accepted
    one                                         open

An opponent of a claim is no longer its supporter, and the other way round. What a model sends is bounded here: so many
claims and references of a turn are entered, and the others are in the turn alone.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from protocols.debate.model.context import MOST_CLAIMS, Material
from protocols.debate.model.io import InjectEvidence
from protocols.debate.model.state import PERSON, WITHHELD, AgentStatus, DebateState, Decision, Evidence
from protocols.debate.model.turn import AgentResponse, ClaimsTouched, ParsedClaim, TurnReading
from protocols.debate.rules.named_sources import NamedSource, address, normalise, sources_of
from protocols.debate.rules.registry_update import RegistryUpdate, id_of, unique
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import ParticipantId
from protocols.sources import SourceLink
from protocols.tokens import count

_URL = lazy_pattern(r"https?://[^\s<>\"\])]{1,1990}")
_UNKNOWN = {"stance": None, "confidence": None, "confidence_delta": None, "vote": None}


class RegistryChange(NamedTuple):
    """The registries after a turn, and what the turn did to them."""

    state: DebateState
    touched: ClaimsTouched
    new_facts: int
    citations_used: tuple[str, ...]


def enter_turn(
    state: DebateState,
    said: TurnReading,
    agent: ParticipantId,
    round_number: int,
    *,
    sources: Sequence[SourceLink] = (),
) -> RegistryChange:
    """Return the registries after the turn of ``agent``, whose provider names ``sources``; unknown ids are ignored."""
    update = RegistryUpdate(state, agent, round_number)
    making = [one for one in said.claims if normalise(one.text).words][:MOST_CLAIMS]
    named = sources_of(said, sources, {number for one in making for number in one.citations})
    registered = [(one, update.register(one)) for one in named]
    cited = [unique((*_cited(one, registered), *update.known(one.evidence, "E"))) for one in making]
    made = [update.add_claim(one, evidence) for one, evidence in zip(making, cited, strict=True)]
    touched = _touched(update, said, list(zip(making, made, strict=True)), {one.id for one in state.claims})
    facts = zip(made, making, cited, strict=True)
    grounded = {at for at, one, evidence in facts if one.label == "FACT" and update.is_verified(evidence)}
    return RegistryChange(
        state=update.finish(),
        touched=touched,
        new_facts=len(grounded - _facts(state)),
        citations_used=unique((*(at for _, at in registered), *(at for evidence in cited for at in evidence))),
    )


def drop_unknown_ids(said: TurnReading, shown: Collection[str]) -> TurnReading:
    """Return the turn without ids that its agent was not ``shown``."""

    def kept(one: ParsedClaim | TurnReading, *fields: str) -> dict[str, object]:
        return {name: tuple(at for at in map(id_of, getattr(one, name)) if at in shown) for name in fields}

    claims = tuple(one.model_copy(update=kept(one, "evidence", "supports", "opposes")) for one in said.claims)
    return said.model_copy(update={"claims": claims, **kept(said, "reinforces", "challenges", "retracts")})


def status_of(state: DebateState, agent: ParticipantId) -> AgentStatus:
    """Return the status of ``agent``; a debater without a turn has an empty one."""
    return next((one for one in state.agent_status if one.agent == agent), AgentStatus(agent=agent))


def set_status(state: DebateState, status: AgentStatus) -> DebateState:
    """Return the state with one agent's status, in the order of the participants."""
    found = {**{one.agent: one for one in state.agent_status}, status.agent: status}
    return state.model_copy(update={"agent_status": tuple(found[at] for at in state.participants if at in found)})


def refuse_evidence(state: DebateState, request: InjectEvidence, most: int) -> None:
    """Refuse evidence of a user that is empty, names an unknown claim, or exceeds ``most`` tokens.

    Raises:
        ValueError: why it is refused, and the remedy.
    """
    for name, text in (("fact", request.fact), ("source", request.source)):
        if not text.strip():
            raise ValueError(f"the {name} is blank: give the evidence and its source")
    unknown = [repr(one) for one in request.supports if state.claim(id_of(one)) is None]
    if unknown:
        there = f"there are C1 to C{len(state.claims)}" if state.claims else "there is none yet"
        raise ValueError(f"no claim has the id {', '.join(unknown)}: {there}; name one of them, or none")
    added = [one for one in state.evidence if one.added_by == PERSON and one.kind != "material"]
    used = sum(count(f"{one.title} {one.url} {one.gist}") for one in added)
    more = count(f"{request.source} {request.url} {request.fact}")
    if used + more > most:
        raise ValueError(
            f"this fact has about {more:,} tokens, and the facts that were added already {used:,} of at most {most:,}, "
            "because every debater is shown them whole; shorten it, or start a debate with a larger --context-tokens"
        )


def add_evidence(state: DebateState, request: InjectEvidence, round_number: int) -> tuple[DebateState, Evidence]:
    """Return the registries with the fact of a user, and its evidence.

    The same fact of the same source is one evidence; another fact of the same source is another, for it would be lost.
    """
    update = RegistryUpdate(state, PERSON, max(1, round_number))
    title, gist = " ".join(request.source.split()), " ".join(request.fact.split())
    same = [one.id for one in state.evidence if (one.title, one.gist) == (title, gist)]
    at = same[0] if same else update.add_evidence(title, request.url.strip(), gist, "person")
    for claim in unique(id_of(one) for one in request.supports):
        if claim in update.claims:
            update.cite(claim, (at,))
    return update.finish(), update.evidence[at]


def register_material(state: DebateState, given: Sequence[Material]) -> DebateState:
    """Return the registries with every passage of the given documents as evidence."""
    update = RegistryUpdate(state, PERSON, 1)
    for one in given:
        passages = one.passages
        for number, text in enumerate(passages, 1):
            place = f", passage {number} of {len(passages)}" if len(passages) > 1 else ""
            update.add_evidence(f"{one.name}{place}", "", text, "material")
    return update.finish()


def add_decision(state: DebateState, text: str, round_number: int) -> DebateState:
    """Return the registries with the decision of a user; a blank text is none."""
    if not text.strip():
        return state
    settled = Decision(id=f"D{len(state.decisions) + 1}", text=" ".join(text.split()), round=round_number)
    return state.model_copy(update={"decisions": (*state.decisions, settled)})


def withdraw_turn(state: DebateState, turn: AgentResponse) -> DebateState:
    """Return the registries without the withheld ``turn``.

    Claims that it alone supported keep their ids and lose their texts, its support and opposition are removed, and its
    agent's standing is not shown.
    """
    update = RegistryUpdate(state, turn.agent, turn.round)
    touched = turn.claims_touched
    for at in (*touched.introduced, *touched.reinforced, *touched.challenged):
        update.clear_stance(at)
    update.clear_claims({at for at in touched.introduced if not update.claims[at].supporters})
    shown = status_of(state, turn.agent).model_copy(update={"key_point": WITHHELD, **_UNKNOWN})
    return set_status(update.finish(), shown)


def _touched(
    update: RegistryUpdate, said: TurnReading, made: Sequence[tuple[ParsedClaim, str]], old: Collection[str]
) -> ClaimsTouched:
    """Return the effects of the turn after its claims; of several on one claim the last counts.

    It supports a claim, retracts that, opposes it: in this order.
    """
    claims = unique(at for _, at in made)
    reinforced = update.known((*(name for one, _ in made for name in one.supports), *said.reinforces), "C")
    for at in reinforced:
        update.support(at)
    retracted = tuple(at for at in update.known(said.retracts, "C") if update.withdraw_support(at))
    against = [(name, at) for one, at in made for name in update.known(one.opposes, "C") if name != at]
    challenged = unique((*(name for name, _ in against), *update.known(said.challenges, "C")))
    for name in challenged:
        update.oppose(name, (at for other, at in against if other == name))
    introduced = tuple(at for at in claims if at not in old)
    return ClaimsTouched(
        introduced=introduced,
        reinforced=tuple(
            at for at in unique((*claims, *reinforced)) if at not in {*introduced, *retracted, *challenged}
        ),
        challenged=challenged,
        retracted=retracted,
    )


def _cited(claim: ParsedClaim, registered: Sequence[tuple[NamedSource, str]]) -> list[str]:
    """Return the evidence that the claim cites by number, or by an address of the provider's in its text."""
    linked = {address(url) for url in _URL.findall(claim.text)}
    by_number = {source.number: at for source, at in registered if source.number is not None}
    by_address = (at for source, at in registered if source.is_provided and address(source.url) in linked)
    return [*(by_number[n] for n in claim.citations if n in by_number), *by_address]


def _facts(state: DebateState) -> set[str]:
    verified = {one.id for one in state.evidence if one.is_verified}
    return {one.id for one in state.claims if one.label == "FACT" and not verified.isdisjoint(one.support)}
