"""The sources of one turn, and the comparison of sources and of claims (section 7.7).

A reference is a page of the provider where both have the same address, or where the reference has none and holds the
page's whole title. Claims cite by number. Where a turn lists references of its own the numbers are theirs; where it
lists none they are those of the provider's list.

Two claims are one when nearly all of their words are the same, with the same numbers and as many negations:
"rents fell by 10 %" and "rents fell by 20 %" are two claims, and so are "it is safe" and "it is not safe".
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from protocols.debate.model.context import MOST_REFERENCES
from protocols.debate.model.turn import Reference, TurnReading
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


_SAME = 17, 20
"""0.85 as a fraction: no share misses it by the dust of a division."""
_WORD = re.compile(r"\w+(?:'\w+)?")
_NUMBER = re.compile(r"(?:(?<![\w.,])[-−])?\d+(?:[.,]\d+)*")
_NEGATIONS = frozenset(("not", "no", "never", "without", "cannot", "none", "neither", "nor"))
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:www\.)?", re.IGNORECASE)

_KEPT = 16_384
"""Each claim is compared with all that follow, and taken apart once."""


class Normalised(NamedTuple):
    """A claim in the form in which it is compared."""

    words: Counter[str]
    total: int
    numbers: tuple[str, ...]
    negations: int


def sources_of(said: TurnReading, links: Sequence[SourceLink], cited: Collection[int]) -> list[NamedSource]:
    """Return the sources of a turn in their order; of too many, those with ``cited`` numbers."""
    own = {
        one.number: _referenced(one, links)
        for one in reversed(said.references)
        if title_words(one.text) or _short(one.url)
    }
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


@lru_cache(maxsize=_KEPT)
def normalise(text: str) -> Normalised:
    """Return ``text`` in the form in which claims are compared."""
    plain = text.lower().replace("’", "'")
    words = _WORD.findall(plain)
    numbers = tuple(sorted(number.replace("−", "-") for number in _NUMBER.findall(plain)))
    return Normalised(
        Counter(words), len(words), numbers, sum(word in _NEGATIONS or word.endswith("n't") for word in words)
    )


def is_same(one: Normalised, other: Normalised) -> bool:
    """Return whether two claims are the same."""
    if one.negations != other.negations or one.numbers != other.numbers:
        return False
    share, whole = _SAME
    needed = share * (one.total + other.total)
    return 0 < needed <= 2 * whole * min(one.total, other.total) and needed <= 2 * whole * _common(one, other)


def nearest(text: str, texts: Mapping[str, str]) -> str | None:
    """Return the id of the most alike of ``texts`` that means the same; of equals the first."""
    asked = normalise(text)
    same = [(at, normalise(other)) for at, other in texts.items() if is_same(asked, normalise(other))]
    return max(same, key=lambda pair: _common(asked, pair[1]) / (asked.total + pair[1].total))[0] if same else None


@lru_cache(maxsize=_KEPT)
def address(url: str) -> str:
    """Return ``url`` without scheme, ``www.``, fragment and a slash at the end."""
    rest = _SCHEME.sub("", url.strip(), count=1).partition("#")[0]
    host, slash, path = rest.partition("/")
    return (host.lower() + slash + path).rstrip("/")


@lru_cache(maxsize=_KEPT)
def title_words(title: str) -> str:
    """Return the words of ``title`` in lower case, for comparison."""
    return " ".join(_WORD.findall(title.lower().replace("’", "'")))


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


def _common(one: Normalised, other: Normalised) -> int:
    return (one.words & other.words).total()
