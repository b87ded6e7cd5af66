"""The reader of ballots (seed 002, "Extract Rankings"): every form is read, and the fullest one is kept.

Only text under a ranking header is read, and only in the reviewer's own text. With a requested code, a
header counts if it carries the code, because no peer can have known it; one without the code counts only if no header
that the reviewer was shown has a header's words (``needs["forgeable"]``). A reply that is one JSON object is a ballot
under the same condition.

What is read there::

    numbered   "1. Response C", "🥇 C", "1. C 2. A"; places that are written decide the order, equal ones are shared
    labelled   "Response A: 2", "A is third": the number behind a label is its place
    table      columns in any order, or labels above their places
    chain      "Response C > A = D > B" (also ≻ → » ->)
    object     ["C", "A"], {"ranking": …}, {"Response A": 2}
    listed     labels one per line, or between commas
    mentions   all labels in running text, each once, where no word turns the order round

Where two forms place equally many labels and differ, the ballot is void, and so is one that is worst first, an
unfilled form, a list of scores, a label at two places while another has none: turning it round, or choosing, would be
a guess. A void ballot is asked for once more.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from string import ascii_uppercase
from typing import Literal, NamedTuple

from pydantic import JsonValue

from protocols.council.model import Ballot
from protocols.council.replies import json_rankings
from protocols.council.replies.chains import chained, enumerated, is_rising, listed, mentioned
from protocols.council.replies.headers import Region, own_text, regions, undressed
from protocols.council.replies.labels import NUMBER, PAIR, Found, Places, in_order
from protocols.council.replies.numbered import is_unfilled, labelled, numbered
from protocols.council.replies.tables import tabled
from protocols.council.wording import RETRACTED, SPANNED, TIED, WORST_FIRST
from protocols.lazy_patterns import lazy_pattern
from protocols.reply_reader import text_in, texts_in

_REACH = 20_000
"""Characters under a header that are read."""
_LONGEST_LINE = 600
_LETTER = lazy_pattern(r"(?<![A-Za-z0-9À-ɏ'’])[A-Z](?![A-Za-z0-9À-ɏ'’])")
_LONGEST_NUMBER = 30
_MOST_HEADERS = 8
_OBJECTS_WITHIN = 20_000

_VOIDING = {"written worst first": WORST_FIRST, "taken back behind it": RETRACTED, "places on one line": SPANNED}
UNFILLED = "the form was not filled in"
WITHOUT_CODE = "header without the code, and no answer shown has its words"
OBJECT_WITHOUT_CODE = "object without the code, and no answer shown has one like it"


def read_ballot(text: str, needs: Mapping[str, JsonValue]) -> Ballot:
    """Return the ranking in a review.

    ``needs`` holds the ``labels`` in the order in which they were shown, the ``nonce`` asked for or ``None``, and
    whether what was shown has a header's words (``forgeable``) or an object's (``object_forgeable``); where that is
    not said, it has.
    """
    shown = texts_in(needs, "labels")
    known = {name[-1].upper(): name for name in sorted(shown)}
    orders = (tuple(known), tuple(name[-1].upper() for name in shown))
    nonce = text_in(needs, "nonce") or None
    if whole := json_rankings.whole_object(text):
        return _of_object(whole, known, nonce, is_forgeable=needs.get("object_forgeable") is not False)
    own = own_text(text, nonce)
    under = regions(own, nonce)
    last = next(under, None)
    counted = (region for region in chain((last,) if last else (), under) if region.has_code or nonce is None)
    if ballot := _first_of(islice(counted, _MOST_HEADERS), known, orders):
        return ballot
    if nonce is None:
        return _ballot(_without_header(own, tuple(known)), known, ("no header",))
    if found := json_rankings.object_with_code(own[-_OBJECTS_WITHIN:], nonce):
        return _ballot([found], known)
    if last and needs.get("forgeable") is False:
        return _ballot(_in_region(last.text[:_REACH], orders), known, (WITHOUT_CODE,))
    return Ballot(standing="void", repairs=("header without the code" if last else "no header",))


def _of_object(
    whole: json_rankings.Whole, known: Mapping[str, str], nonce: str | None, *, is_forgeable: bool
) -> Ballot:
    has_code = nonce is None or json_rankings.has_code(whole.value, nonce)
    if not has_code and is_forgeable:
        return Ballot(standing="void", repairs=("object without the code",), evaluation=whole.evaluation)
    found = json_rankings.of_object(whole.value)
    ballot = _ballot([found] if found else [], known, () if has_code else (OBJECT_WITHOUT_CODE,))
    return ballot.model_copy(update={"evaluation": whole.evaluation})


def _first_of(counted: Iterable[Region], known: Mapping[str, str], orders: Sequence[Sequence[str]]) -> Ballot | None:
    """Return the ballot of the last header followed by a ranking or an attempted one; ``None`` without a header."""
    last: Ballot | None = None
    for region in counted:
        repairs = ("header in other words or in another place",) if region.is_repaired else ()
        found = _in_region(region.text[:_REACH], orders)
        ballot = _ballot(found, known, repairs)
        last = last or ballot
        if any(one.places or one.flaw != UNFILLED for one in found):
            return ballot
    return last


def _as_asked(region: str) -> list[Found]:
    """Return the order of a region that is the form asked for and nothing else; no other order can be read in it."""
    first, *lines = region.replace("*", "").split("\n")
    items = [line.rstrip(" ") for line in lines if line.strip()]
    letters = [item[-1] for item in items]
    is_asked = items == [f"{place}. Response {letter}" for place, letter in enumerate(letters, start=1)]
    are_labels = len(letters) == len({*letters}.intersection(ascii_uppercase)) >= PAIR
    return [Found("numbered", in_order(letters))] if is_asked and are_labels and not first.strip(" :") else []


def _in_region(region: str, orders: Sequence[Sequence[str]]) -> list[Found]:
    """Return every order under a header, in every form."""
    if asked := _as_asked(region):
        return asked
    values, rest = json_rankings.in_region(region)
    lines = _joined([line[:_LONGEST_LINE] for line in undressed(rest).split("\n") if line.strip()])
    said = undressed(region)
    if flaw := next((flaw for flaw, remark in _VOIDING.items() if remark.search(said)), ""):
        return [Found("nothing", flaw=flaw)]
    tables, plain = tabled(lines)
    sure = [*numbered(plain), *labelled(plain), *tables, *chained(plain), *values]
    if any(is_rising(line) for line in plain) and not sure:
        return [Found("nothing", flaw="written worst first")]
    if is_unfilled(plain):
        return [*sure, Found("nothing", flaw=UNFILLED)]
    unsure = [*listed(plain, orders), *enumerated(plain)]
    if TIED.search(said) and not any(len(place) > 1 for one in sure or unsure for place in one.places):
        sure.append(Found("nothing", flaw="taken back behind it", at=-1))  # ahead of all, so that none is kept
    if any(len(set(found.letters)) >= PAIR for found in sure):
        return [*sure, *(found for found in unsure if not found.flaw)]
    named = mentioned("\n".join(plain), orders[0]) if not unsure else []
    return [*sure, *unsure, *named, *_lone([*sure, *unsure, *named], plain, orders[0])]


def _lone(found: Sequence[Found], lines: Sequence[str], known: Sequence[str]) -> list[Found]:
    """Return the flaw of one placed label among several named ones: the others' places are lost."""
    placed = {letter for one in found for letter in one.letters}
    named = {letter for line in lines for letter in _LETTER.findall(line)}.intersection(known)
    return [Found("nothing", flaw="one label placed, and others named")] if len(placed) == 1 < len(named) else []


def _without_header(own: str, known: Sequence[str]) -> list[Found]:
    """Return the ranking in a review without a header (seed 002: "if format varies")."""
    lines = undressed(own[-_REACH:]).split("\n")
    return chained(lines) or mentioned("\n".join(lines), known)


def _joined(lines: Sequence[str]) -> list[str]:
    """Return ``lines`` with a number alone, or a sign at a line's end, joined to the next line."""
    joined: list[str] = []
    for line in lines:
        before = joined[-1].strip(" #-•(") if joined else ""
        number = NUMBER.match(before) if len(before) < _LONGEST_NUMBER else None
        is_alone = number is not None and not before[number.end() :].strip(" .):-–|")
        if before and "|" not in line and (is_alone or before.endswith((">", "≻", "→"))):
            joined[-1] = f"{joined[-1].rstrip()} {line.strip()}"
        else:
            joined.append(line)
    return joined


def _ballot(found: Iterable[Found], known: Mapping[str, str], repairs: tuple[str, ...] = ()) -> Ballot:
    """Return the order that places most shown labels; void if in doubt."""
    orders = [_Order.of(one, known) for one in found]
    sound = [order for order in orders if not order.flaw]
    most = max((order.placed for order in sound), default=0)
    best = [order for order in sound if most and order.placed == most]
    best = [order for order in best if order.found.is_sure] or best
    if not best:
        return _void(orders, repairs)
    order = best[0]
    is_whole = most == len(known) and order.found.is_sure
    if any(one.flaw and (not is_whole or one.found.at < order.found.at) for one in orders):
        return _void(orders, repairs)
    earlier = [one for one in sound if one.found.at < order.found.at and one.is_ranking]
    if any(one.ties != order.ties for one in (*best[1:], *earlier)):
        return Ballot(standing="void", repairs=(*repairs, "two rankings that differ"))
    ranking = tuple(name for place in order.places for name in place)
    missing = tuple(f"missing {name}" for name in known.values() if name not in ranking)
    standing: Literal["partial", "complete"] = "partial" if missing else "complete"
    return Ballot(
        ranking=ranking,
        places=order.places,
        standing=standing,
        found_as=order.found.form,
        repairs=(*repairs, *order.repairs, *missing),
    )


def _void(orders: Sequence["_Order"], repairs: tuple[str, ...]) -> Ballot:
    mended = [*dict.fromkeys(repair for order in orders for repair in order.repairs)]
    flaws = [*dict.fromkeys(order.flaw for order in orders if order.flaw)]
    why = flaws or ["no known label" if orders else "there is no ranking"]
    return Ballot(standing="void", repairs=(*repairs, *mended, *why))


def _stand_together(letter: str, letters: Sequence[str]) -> bool:
    """Return whether only places are between the occurrences of a letter: naming one twice is a slip then."""
    at = [number for number, one in enumerate(letters) if one == letter]
    return not at or at[-1] - at[0] < len(at)


class _Order(NamedTuple):
    """An order in the shown labels."""

    found: Found
    places: Places
    repairs: tuple[str, ...]
    flaw: str

    @property
    def placed(self) -> int:
        """Return the number of placed labels."""
        return sum(map(len, self.places))

    @property
    def ties(self) -> tuple[frozenset[str], ...]:
        """Return the places, each without an inner order."""
        return tuple(map(frozenset, self.places))

    @property
    def is_ranking(self) -> bool:
        """Return whether it may be the writer's whole ranking: a fuller order after it may be a quotation."""
        return self.placed >= PAIR or (self.found.is_sure and bool(self.places))

    @classmethod
    def of(cls, found: Found, known: Mapping[str, str]) -> "_Order":
        """Return ``found`` in known labels: unknown ones leave no hole, and of a label at two places the first counts.

        The first counts only where every label has a place: otherwise one of the two was meant for another label.
        """
        seen: set[str] = set()
        places: list[tuple[str, ...]] = []
        written = found.letters
        for letters in found.places:
            place = tuple(known[letter] for letter in dict.fromkeys(letters) if letter in known and letter not in seen)
            seen.update(letters)
            places += [place] if place else []
        unknown = tuple(f"unknown Response {letter}" for letter in dict.fromkeys(written) if letter not in known)
        twice = tuple(f"duplicate {known[letter]}" for letter in known if written.count(letter) > 1)
        lacks = not known.keys() <= seen
        if twice and any(not _stand_together(letter, written) for letter in known):
            return cls(found, tuple(places), (*found.repairs, *unknown, *twice), found.flaw or "a label at two places")
        double = "a label at two places, and one without a place" if twice else ""
        stray = "a label that was not shown, and one without a place" if unknown and places else ""
        flaw = found.flaw or (lacks and (double or stray or found.gap)) or ""
        return cls(found, tuple(places), (*found.repairs, *unknown, *twice), flaw)
