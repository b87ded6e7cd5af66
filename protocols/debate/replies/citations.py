"""The check of a turn's citations by decision 4: numbers only, each of them in the References section.

    [1]  [1][2]  [1-3]                      a citation
    [3-1]                                   reversed_range: nothing is cited by it
    [7], where there is no such reference   unknown_reference
    (Smith, 2024)  [Smith 2024]             not_numeric, and so are [1, 2] and [1–3] where both are references
    a FACT without citation or evidence     fact_uncited (section 2, P0)
    an ASSUME with a citation               assume_cited (P0)

Each violation is reported once per kind and detail. Names in prose are no citations: "Smith argues that … [1]".
"""

import re
from collections.abc import Iterator, Sequence

from protocols.debate.model.turn import ParsedClaim, Reference, Violation
from protocols.debate.replies.field_values import MOST_NAMED, span_of
from protocols.tokens import clip

CITATION = re.compile(r"\[\d+(?:-\d+)?\]", re.ASCII)
"""Decision 4: "Machine-parseable with simple regex"."""

_DETAIL_TOKENS = 20
_DETAIL = 80
"""Characters of a citation that is named."""
_DIGITS = 6
"""Of the longest number that is looked up."""

_NAME = r"[A-Z][A-Za-z'’.-]{0,30}"
_NAMES = rf"{_NAME}(?:,? (?:et al\.?|(?:and|&) {_NAME}|{_NAME}))?"
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_NO_AUTHOR = (
    r"(?!(?:Jan|Feb|Mar(?:ch|\b)|Apr|May\b|Jun[e.]?\b|Jul[y.]?\b|Aug|Sep|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter"
    r"|Q[1-4]|In|By|Since|From|Until|After|Before|Around|Early|Late|Mid|Year|Circa|The|Figure|Fig|Table|Chapter"
    r"|Section|Version|Windows|Office|Vision|Agenda|Euro|Expo|Olympics|World Cup)\b)"
)
_AUTHOR_YEAR = re.compile(
    rf"(?:\((?:see |see also |cf\. |e\.g\.,? )?{_NO_AUTHOR}{_NAMES},? {_YEAR}(?:[,:;] [^()\n]{{1,80}})?\)"
    rf"|\[{_NO_AUTHOR}{_NAMES},? \(?{_YEAR}\)?(?:[,:;] [^\[\]\n]{{1,80}})?\]"
    rf"|{_NAME} et al\.,? \({_YEAR}\))"
)
_LOOSE = re.compile(r"\[\d{1,4}(?:\s?[,;–]\s?\d{1,4}){1,20}\]", re.ASCII)
"""Numbers between brackets in another form; a mathematician's interval looks like it too."""


def check(prose: str, claims: Sequence[ParsedClaim], references: Sequence[Reference]) -> tuple[Violation, ...]:
    """Return the violations in ``prose``, without its References section, and in the claims."""
    known = frozenset(one.number for one in references)
    found = (*_in_prose(prose, known), *_in_claims(claims, known))
    return tuple(dict.fromkeys(found))


def _in_prose(prose: str, known: frozenset[int]) -> Iterator[Violation]:
    for citation in CITATION.findall(prose):
        yield from _cited(citation, known)
    for loose in _LOOSE.findall(prose):
        if {int(number) for number in re.findall(r"\d+", loose)} <= known:
            yield Violation(kind="not_numeric", detail=loose[:_DETAIL])
    for author in _AUTHOR_YEAR.findall(prose):
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
