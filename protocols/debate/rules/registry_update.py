"""The registries while one turn is entered: claims and evidence by their ids, and what its agent does to them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from protocols.debate.model.state import (
    CLAIM_TOKENS,
    GIST_TOKENS,
    WITHHELD,
    Claim,
    ClaimStatus,
    DebateState,
    Evidence,
    EvidenceKind,
)
from protocols.debate.model.turn import ParsedClaim
from protocols.debate.rules.named_sources import NamedSource, address, nearest, title_words
from protocols.model_call import ParticipantId
from protocols.tokens import clip

TITLE_TOKENS = 60

_ACCEPTED = 2


def shorten_to_line(text: str, most: int) -> str:
    """Return ``text`` on one line, in at most ``most`` tokens."""
    return clip(" ".join(text.split()), most)


def unique(ids: Iterable[str]) -> tuple[str, ...]:
    """Return ``ids`` without repetitions, in their order."""
    return tuple(dict.fromkeys(ids))


def id_of(said: str) -> str:
    """Return the id that a text names: ``[c2]`` is C2."""
    return said.strip(" []()").upper()


class RegistryUpdate:
    """The registries while one turn is entered."""

    def __init__(self, state: DebateState, agent: ParticipantId, round_number: int) -> None:
        self._state, self._agent, self._round = state, agent, round_number
        self.claims = {one.id: one for one in state.claims}
        self.evidence = {one.id: one for one in state.evidence}
        self._texts = {one.id: one.text for one in state.claims if one.text != WITHHELD}
        self._sources: dict[str, str] = {}
        for proof in state.evidence:
            self._register(proof)
        self._before = frozenset((*self.claims, *self.evidence))

    def finish(self) -> DebateState:
        """Return the state with all changes."""
        update = {"claims": tuple(self.claims.values()), "evidence": tuple(self.evidence.values())}
        return self._state.model_copy(update=update)

    def known(self, said: Iterable[str], letter: str) -> tuple[str, ...]:
        """Return those of the ids ``said`` that begin with ``letter`` and were known before the turn."""
        return tuple(at for at in unique(map(id_of, said)) if at in self._before and at.startswith(letter))

    def register(self, source: NamedSource) -> str:
        """Return the id of the evidence for ``source``, new unless its address or title is known.

        What a provider names is known by its address alone, and verifies a reference to the same address.
        """
        title = shorten_to_line(source.title if title_words(source.title) else source.url, TITLE_TOKENS)
        at = self._known(title, source)
        if not at:
            gist = shorten_to_line(source.excerpt, GIST_TOKENS)
            return self.add_evidence(title, source.url, gist, "provider" if source.is_provided else "unverified")
        known = self.evidence[at]
        if not known.is_verified:
            kind = "provider" if source.is_provided else known.kind
            self.evidence[at] = known.model_copy(update={"kind": kind, "url": known.url or source.url})
            self._register(self.evidence[at])
        return at

    def is_verified(self, ids: Iterable[str]) -> bool:
        """Return whether a provider or a user vouches for any of these pieces of evidence."""
        return any(self.evidence[at].is_verified for at in ids)

    def add_evidence(self, title: str, url: str, gist: str = "", kind: EvidenceKind = "unverified") -> str:
        """Add evidence and return its id."""
        at = f"E{len(self.evidence) + 1}"
        self.evidence[at] = Evidence(
            id=at, kind=kind, title=title, url=url, gist=gist, added_round=self._round, added_by=self._agent
        )
        self._register(self.evidence[at])
        return at

    def add_claim(self, said: ParsedClaim, cited: Sequence[str]) -> str:
        """Add the claim, unless it is known, with the agent as supporter, and return its id."""
        text = shorten_to_line(said.text, CLAIM_TOKENS)
        at = nearest(text, self._texts) or self._introduced(text, said)
        self.support(at)
        if said.label != "ASSUME":
            self.cite(at, cited)
        if said.label == "FACT" and self.is_verified(cited):
            self._put(at, label="FACT")
        return at

    def cite(self, at: str, cited: Iterable[str]) -> None:
        """Add the evidence to those of the claim."""
        for one in cited:
            proof = self.evidence[one]
            gist = proof.gist or shorten_to_line(self.claims[at].text, GIST_TOKENS)
            update = {"supports": unique((*proof.supports, at)), "gist": gist}
            self.evidence[one] = proof.model_copy(update=update)
            self._put(at, support=unique((*self.claims[at].support, one)))

    def support(self, at: str) -> None:
        """Add the agent to the supporters of the claim."""
        claim = self.claims[at]
        supporters = tuple(dict.fromkeys((*claim.supporters, self._agent)))
        self._put(at, supporters=supporters, opponents=self._without(claim.opponents))

    def oppose(self, at: str, by: Iterable[str] = ()) -> None:
        """Add the agent and the claims ``by`` to the opponents of the claim."""
        claim = self.claims[at]
        self._put(
            at,
            opposition=unique((*claim.opposition, *by)),
            opponents=tuple(dict.fromkeys((*claim.opponents, self._agent))),
            supporters=self._without(claim.supporters),
        )

    def withdraw_support(self, at: str) -> bool:
        """Remove the agent's support of the claim and return whether there was any."""
        claim = self.claims[at]
        stood = self._agent in claim.supporters
        if stood:
            self._put(at, supporters=self._without(claim.supporters))
        return stood

    def clear_stance(self, at: str) -> None:
        """Remove support and opposition of the agent for the claim."""
        claim = self.claims[at]
        self._put(at, supporters=self._without(claim.supporters), opponents=self._without(claim.opponents))

    def clear_claims(self, gone: Collection[str]) -> None:
        """Clear these claims, and remove what the agent added in this round for them alone."""
        for at in gone:
            self._put(at, text=WITHHELD, support=(), opposition=())
        for at, claim in self.claims.items():
            kept = tuple(one for one in claim.opposition if one not in gone)
            if kept != claim.opposition:
                self._put(at, opposition=kept)
        for at, proof in self.evidence.items():
            is_own = (proof.added_by, proof.added_round) == (self._agent, self._round)
            supports = tuple(one for one in proof.supports if one not in gone)
            blank = {"title": WITHHELD, "url": "", "gist": ""} if is_own and not supports else {}
            self.evidence[at] = proof.model_copy(update={**blank, "supports": supports})

    def _without(self, seats: Sequence[ParticipantId]) -> tuple[ParticipantId, ...]:
        return tuple(one for one in seats if one != self._agent)

    def _introduced(self, text: str, said: ParsedClaim) -> str:
        at = f"C{len(self.claims) + 1}"
        self._texts[at] = text
        self.claims[at] = Claim(
            id=at,
            text=text,
            label=said.label,
            introduced_round=self._round,
            last_updated_round=self._round,
            introduced_by=self._agent,
        )
        return at

    def _known(self, title: str, source: NamedSource) -> str:
        """Return the id of the evidence of the same address, else of the same title where no address contradicts."""
        *by_url, by_title = (self._sources.get(key, "") for key in _keys(title, source.url))
        if source.is_provided or any(by_url):
            return "".join(by_url)
        known = self.evidence.get(by_title)
        is_another = known is not None and known.is_verified and source.url and known.url
        return "" if is_another else by_title

    def _register(self, proof: Evidence) -> None:
        """Register address and title of the evidence, unless they belong to an earlier one."""
        for key in _keys(proof.title, proof.url) if proof.title != WITHHELD else ():
            self._sources.setdefault(key, proof.id)

    def _put(self, at: str, **changes: Any) -> None:
        changed = self.claims[at].model_copy(update={**changes, "last_updated_round": self._round})
        self.claims[at] = changed.model_copy(update={"status": _status(changed)})


def _keys(title: str, url: str) -> tuple[str, ...]:
    """Return the keys by which a source is recognised; address and title never share one."""
    keys = (f"url {address(url)}", f"title {title_words(title)}")
    return keys if url else keys[1:]


def _status(claim: Claim) -> ClaimStatus:
    standing = len(claim.supporters)
    if not standing:
        return "retracted"
    if claim.label == "OPEN" and standing < _ACCEPTED:
        return "open"
    if claim.opponents:
        return "contested"
    return "accepted" if standing >= _ACCEPTED else "open"
