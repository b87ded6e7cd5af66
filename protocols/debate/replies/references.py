"""The numbered references of a turn, and the check of its citations by decision 4.

References are those that its object lists, and the References section of its prose. Citations are numbers only, each
of them in that section::

    [1]  [1][2]  [1-3]                      a citation
    [3-1]                                   reversed_range: nothing is cited by it
    [7], where there is no such reference   unknown_reference
    (Smith, 2024)  [Smith 2024]             not_numeric, and so are [1, 2] and [1–3] where both are references
    a FACT without citation or evidence     fact_uncited (section 2, P0)
    an ASSUME with a citation               assume_cited (P0)

Each violation is reported once per kind and detail. Names in prose are no citations: "Smith argues that … [1]".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from pydantic import JsonValue

from protocols import debate
from protocols.debate.model.turn import ParsedClaim, Reference, Violation
from protocols.debate.replies.field_names import entry_value
from protocols.debate.replies.field_values import LONG, MOST_NAMED, SHORT, objects_of, span_of, text_of
from protocols.text_files import compile_patterns
from protocols.tokens import clip

MOST_REFERENCES = 100
_HIGHEST = 9_999
_NUMBERED = ("number", "id", "ref", "n", "num", "no", "index", "refid", "referencenumber", "citationnumber")

_PATTERNS = compile_patterns(debate.__name__, "replies_references")
_NUMBER = _PATTERNS["number"]


class Section(NamedTuple):
    """The References section of a prose, and the prose without it."""

    references: tuple[Reference, ...]
    rest: str


CITATION = re.compile(r"\[\d+(?:-\d+)?\]", re.ASCII)
"""Decision 4: "Machine-parseable with simple regex"."""

_DETAIL_TOKENS = 20
_DETAIL = 80
"""Characters of a citation that is named."""
_DIGITS = 6
"""Of the longest number that is looked up."""


def read_references(values: Sequence[JsonValue], written: Sequence[Reference]) -> tuple[Reference, ...]:
    """Return the references of an object and of the list below its prose; the first of two with one number counts."""
    found = {one.number: one for one in reversed((*_listed(values), *written))}
    return tuple(found[number] for number in sorted(found))[:MOST_REFERENCES]


def read_section(prose: str) -> Section:
    """Return the last section that is called References, as far as its entries go."""
    headings = list(_PATTERNS["heading"].finditer(prose))
    if not headings:
        return Section((), prose)
    listed = _entries(prose[headings[-1].end() :])
    found = list(_PATTERNS["bracketed"].finditer(listed)) or list(_PATTERNS["numbered"].finditer(listed))
    references = [_reference(int(one["number"]), one["text"]) for one in found[:MOST_REFERENCES]]
    rest = f"{prose[: headings[-1].start()]}{prose[headings[-1].end() + len(listed) :]}"
    return Section(tuple(one for one in references if one), rest.strip())


def check(prose: str, claims: Sequence[ParsedClaim], references: Sequence[Reference]) -> tuple[Violation, ...]:
    """Return the violations in ``prose``, without its References section, and in the claims."""
    known = frozenset(one.number for one in references)
    found = (*_in_prose(prose, known), *_in_claims(claims, known))
    return tuple(dict.fromkeys(found))


def _entries(behind: str) -> str:
    """Return the lines of the section, up to the first that is no entry."""
    lines = (line[0] for line in re.finditer(r"[^\n]*\n?", behind))
    return "".join(takewhile(lambda line: not line.strip() or _PATTERNS["entry"].match(line), lines))


def _listed(values: Sequence[JsonValue]) -> Iterator[Reference]:
    """Yield the entries of the object; an entry without a number has that of its place."""
    entries = islice(objects_of(map(_by_key, values)), MOST_REFERENCES)
    return (found for place, entry in enumerate(entries, 1) if (found := _entry(entry, place)))


def _entry(entry: Mapping[str, JsonValue], place: int) -> Reference | None:
    text = text_of(entry_value(entry, "text", "citation", "reference")) or _pieces(entry)
    leading = _PATTERNS["leading"].match(text)
    said = _number(entry_value(entry, *_NUMBERED))
    before = int(leading["bracketed"] or leading["plain"]) if leading else place
    wording = text[leading.end() :] if leading else text
    return _reference(before if said is None else said, wording, text_of(entry_value(entry, "url", "link")))


def _by_key(value: JsonValue) -> JsonValue:
    """Return ``{"1": "Smith …"}``, and a text with "[1] Smith …", as a list of numbered entries."""
    if isinstance(value, str):
        return [one[0] for one in _PATTERNS["bracketed"].finditer(value)] or value
    if isinstance(value, dict) and value and all(_number(key) for key in value):
        return [{"number": key, "text": inner} for key, inner in value.items()]
    return value


def _pieces(entry: Mapping[str, JsonValue]) -> str:
    """Return a reference that is given in pieces, as one text."""
    pieces = [text_of(entry_value(entry, name), SHORT) for name in ("author", "authors", "year", "title", "source")]
    return ". ".join(piece for piece in pieces if piece)


def _number(value: JsonValue) -> int | None:
    found = _NUMBER.fullmatch(str(value)) if isinstance(value, int | str) and not isinstance(value, bool) else None
    return int(found[1]) if found else None


def _reference(number: int, text: str, url: str = "") -> Reference | None:
    wording = text_of(" ".join(text[:LONG].split()), SHORT)
    address = _PATTERNS["url"].search(url or wording)
    if not 1 <= number <= _HIGHEST or not (_PATTERNS["letter"].search(wording) or address):
        return None
    return Reference(number=number, text=wording, url=address[0].rstrip(".,;") if address else "")


def _in_prose(prose: str, known: frozenset[int]) -> Iterator[Violation]:
    for citation in CITATION.findall(prose):
        yield from _cited(citation, known)
    for loose in _PATTERNS["loose"].findall(prose):
        if {int(number) for number in re.findall(r"\d+", loose)} <= known:
            yield Violation(kind="not_numeric", detail=loose[:_DETAIL])
    for author in _PATTERNS["author_year"].findall(prose):
        yield Violation(kind="not_numeric", detail=author[:_DETAIL])


def _cited(citation: str, known: frozenset[int]) -> Iterator[Violation]:
    first, _, last = citation.strip("[]").partition("-")
    if max(len(first), len(last)) > _DIGITS or int(last or first) - int(first) >= MOST_NAMED:
        yield Violation(kind="unknown_reference", detail=citation[:_DETAIL])
    elif last and int(last) < int(first):
        yield Violation(kind="reversed_range", detail=citation)
    else:
        numbers = span_of(first, last) if int(first) else (0,)
        yield from (_unknown(number) for number in numbers if number not in known)


def _in_claims(claims: Sequence[ParsedClaim], known: frozenset[int]) -> Iterator[Violation]:
    for claim in claims:
        yield from (_unknown(number) for number in claim.citations if number not in known)
        if claim.label == "FACT" and not (claim.citations or claim.evidence):
            yield Violation(kind="fact_uncited", detail=clip(claim.text, _DETAIL_TOKENS))
        if claim.label == "ASSUME" and claim.citations:
            yield Violation(kind="assume_cited", detail=clip(claim.text, _DETAIL_TOKENS))


def _unknown(number: int) -> Violation:
    return Violation(kind="unknown_reference", detail=f"[{number}]")
