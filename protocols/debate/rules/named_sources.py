"""The sources of one turn: its own references and its provider's pages.

A reference is a page of the provider where both have the same address, or where the reference has none and holds the
page's whole title. Claims cite by number. Where a turn lists references of its own the numbers are theirs; where it
lists none they are those of the provider's list.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from protocols.debate.model.budget import MOST_REFERENCES
from protocols.debate.model.turn import Reference, TurnReading
from protocols.debate.rules.claim_matching import address, title_words
from protocols.sources import SourceLink

LONGEST_URL = 300
"""Characters of an address that a model wrote. A longer one is left out: cut off, it would lead elsewhere."""
_TELLING_WORDS = 4
"""A shorter title, such as the name of a site, occurs in too many references."""


class NamedSource(NamedTuple):
    """One source of a turn."""

    number: int | None
    """Under which the turn's claims cite it; ``None`` where no number means it."""
    title: str
    url: str
    excerpt: str = ""
    is_provided: bool = False
    """The provider named it."""


def sources_of(said: TurnReading, links: Sequence[SourceLink], cited: Collection[int]) -> list[NamedSource]:
    """Return the sources of a turn in their order; of too many, those with ``cited`` numbers."""
    own = {one.number: _referenced(one, links) for one in reversed(said.references) if _is_usable(one)}
    matched = {source.url for source in own.values() if source.is_provided}
    found = [own[number] for number in sorted(own)]
    found += [_provided(None if own else link.number, link) for link in links if link.url not in matched]
    kept = sorted(range(len(found)), key=lambda at: found[at].number not in cited)[:MOST_REFERENCES]
    return [found[at] for at in sorted(kept)]


def most_cited(said: TurnReading, links: Sequence[SourceLink]) -> tuple[SourceLink, ...]:
    """Return as many of ``links`` as one turn may have, those first whose numbers its claims cite."""
    cited = {number for claim in said.claims for number in claim.citations}
    kept = sorted(links, key=lambda link: link.number not in cited)[:MOST_REFERENCES]
    return tuple(sorted(kept, key=lambda link: link.number))


def _is_usable(reference: Reference) -> bool:
    return bool(title_words(reference.text) or _short(reference.url))


def _referenced(reference: Reference, links: Sequence[SourceLink]) -> NamedSource:
    link = next((link for link in links if _is_same(reference, link)), None)
    if link is None:
        return NamedSource(reference.number, reference.text, _short(reference.url))
    return _provided(reference.number, link)._replace(title=link.title or reference.text)


def _provided(number: int | None, link: SourceLink) -> NamedSource:
    return NamedSource(number, link.title, link.url, link.excerpt, is_provided=True)


def _is_same(reference: Reference, link: SourceLink) -> bool:
    if reference.url:
        return address(reference.url) == address(link.url)
    title = title_words(link.title)
    return len(title.split()) >= _TELLING_WORDS and f" {title} " in f" {title_words(reference.text)} "


def _short(url: str) -> str:
    return url.strip() if len(url.strip()) <= LONGEST_URL else ""
