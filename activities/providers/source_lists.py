"""The sources that a provider attaches to an answer, in each of its formats.

=====================  ====================================================================  ==========================
field                  an entry                                                              beside
=====================  ====================================================================  ==========================
``annotations``        ``{"type": "url_citation", "url_citation": {"url", "title",           the text, in pieces
                       "content", "start_index", "end_index"}}``, or the same without
                       the inner object
``citations``          an address, or an object with ``url``                                 ``choices``, or the text;
                                                                                             whole in every chunk
``search_results``     ``{"title", "url", "snippet"}``                                       as ``citations``
=====================  ====================================================================  ==========================

``citations`` give the numbers, then ``search_results``; sources that only annotations name are numbered behind them in
the order in which they come. What has no usable address is left out, and keeps its number. Nothing in these fields can
make an answer unreadable, because the answer was paid for.
"""

import re
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from activities.providers.wire_json import as_object, as_text
from activities.text_cleaning import clean_line
from protocols.secret_text import SecretScrubber
from protocols.sources import LONGEST_EXCERPT, LONGEST_TITLE, LONGEST_URL, MOST_SOURCES, SourceLink

_MOST_ENTRIES = 1000
"""Of one field that are looked at."""
_LISTS = ("citations", "search_results")
_FIELDS = frozenset({*_LISTS, "annotations"})
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{}|]+", re.IGNORECASE)
_CITES = (None, "url_citation")
"""Types of annotations that name a page; a missing type is taken for it."""
_EXCERPTS = ("content", "snippet", "excerpt")


class SourceLists:
    """A collector of one answer's sources, from its chunks or its whole body."""

    def __init__(self) -> None:
        self._lists: dict[str, list[Any]] = {}
        self._annotations: list[Any] = []

    def take(self, part: dict[str, Any]) -> None:
        """Take the sources in a chunk, a message or a delta."""
        if _FIELDS.isdisjoint(part):  # as in most of a stream's chunks
            return
        for name in _LISTS:
            entries = part.get(name)
            if isinstance(entries, list) and len(entries) >= len(self._lists.get(name, ())):
                self._lists[name] = entries[:_MOST_ENTRIES]
        annotations = part.get("annotations")
        if isinstance(annotations, list):
            self._annotations += annotations[: _MOST_ENTRIES - len(self._annotations)]

    def links(self, scrub: SecretScrubber) -> tuple[tuple[SourceLink, ...], tuple[str, ...]]:
        """Return the sources that can be used, without secrets, and a note when some cannot."""
        if not (self._lists or self._annotations):
            return (), ()
        first, further = self._sorted()
        found = [_link(number, entry, scrub) for number, entry in enumerate(first, 1)]
        numbers = {as_text(entry.get("url")): number for number, entry in reversed([*enumerate(first, 1)])}
        for entry in further:
            number = numbers.setdefault(as_text(entry.get("url")), len(found) + 1)
            link = _link(number, entry, scrub)
            if number > len(found):
                found.append(link)
            elif known := found[number - 1]:
                found[number - 1] = _merged(known, link)
        kept = [link for link in found if link][:MOST_SOURCES]
        left_out = len(found) - len(kept)
        return tuple(kept), ((f"{left_out} of the provider's sources left out",) if left_out else ())

    def _sorted(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the numbered entries, then the others."""
        lists = [self._lists[name] for name in _LISTS if self._lists.get(name)]
        given = [[as_object(entry) or {"url": entry} for entry in entries] for entries in lists]
        annotated = [one for one in map(as_object, self._annotations) if one.get("type") in _CITES]
        cited = [as_object(one.get("url_citation")) or one for one in annotated]
        return (given[0], [*chain(*given[1:]), *cited]) if given else ([], cited)


def _link(number: int, entry: dict[str, Any], scrub: SecretScrubber) -> SourceLink | None:
    url = _address(entry.get("url"), scrub)
    if url is None:
        return None
    start, end = entry.get("start_index"), entry.get("end_index")
    is_placed = type(start) is int and type(end) is int and 0 <= start < end
    return SourceLink(
        number=number,
        url=url,
        title=_line(entry.get("title"), LONGEST_TITLE, scrub),
        excerpt=next(filter(None, (_line(entry.get(name), LONGEST_EXCERPT, scrub) for name in _EXCERPTS)), ""),
        start=start if is_placed else None,
        end=end if is_placed else None,
    )


def _address(value: Any, scrub: SecretScrubber) -> str | None:
    """Return ``value`` if it is a plain web address without a secret."""
    url = as_text(value).strip() if len(as_text(value)) <= 2 * LONGEST_URL else ""
    if len(url) > LONGEST_URL or not _ADDRESS.fullmatch(url) or clean_line(url, LONGEST_URL) != url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.hostname and "@" not in parts.netloc and scrub.exactly(url) == url else None


def _line(value: Any, longest: int, scrub: SecretScrubber) -> str:
    return clean_line(scrub.head(as_text(value), 2 * longest), longest)


def _merged(known: SourceLink, again: SourceLink | None) -> SourceLink:
    """Return ``known`` with what only ``again`` says of the same page."""
    if again is None:
        return known
    values = {name: value for name, value in again.model_dump().items() if getattr(known, name) in ("", None)}
    return known.model_copy(update=values)
