"""Transcripts in the file, shortened to the space for them and packed.

Five hundred deliberations are megabytes of text. They are compressed together, and when that is not enough every
contribution is cut to the same length, the longest that fits; what was cut says so in its place.
"""

import json
import re
import zlib
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from protocols.tables import Utterance
from protocols.visible_text import printable
from report.markup import packed
from report.read_results import ReadResult

MOST_BYTES = 950_000
"""Bytes of a file that its transcripts may fill with what else is in it."""
LEAST_CHARACTERS = 150_000
"""Characters for the packed transcripts, however much else there is."""
_RAW = -15
"""Of zlib: deflate without a header, which browsers read as ``deflate-raw``."""
_LIMITS = (100, 150, 200, 260, 350, 450, 600, 800, 1_000, 1_300, 1_800, 2_500, 4_000, 8_000, 20_000)
_WORTH = 4
"""Questions and verdicts may be this many times longer than other turns."""
_TEXT_SHARE = 0.8
"""Of the space, for the texts alone when a limit is chosen: their elements take up to a fifth more."""
_SAFE_TO_KEEP = 60_000
"""Characters of one contribution that are kept in memory while rows stream by."""
_Printed = tuple[str, str, list[tuple[str, str, str]]]  # question, verdict, and of every turn who, where and what
_CUT = re.compile(r" \[…([\d,]{1,20}) more characters\]\Z")


class OpenedDeliberation(NamedTuple):
    """The texts shown for an opened deliberation."""

    question: str
    verdict: str
    said: tuple[Utterance, ...]


class Packed(NamedTuple):
    """All transcripts of a file."""

    data: str
    """Base64 of deflated JSON: for every deliberation its question, its verdict and who said what."""
    limit: int | None
    """The longest a contribution may be, in characters; ``None`` when nothing was cut."""
    holds: int
    """How many deliberations are in it."""


def open_deliberation(read: ReadResult) -> OpenedDeliberation:
    """Return the texts shown for an opened deliberation; long ones are cut to limit the memory used."""
    view, row = read.view, read.row
    said = tuple(one._replace(text=shortened(one.text, _SAFE_TO_KEEP)) for one in view.utterances if one.text)
    verdict = _under_headings(view.conclusions, row.verdict or "")
    return OpenedDeliberation(shortened(row.question, _SAFE_TO_KEEP), shortened(verdict, _SAFE_TO_KEEP), said)


def _under_headings(above: Sequence[Utterance], verdict: str) -> str:
    """Return the verdict below the conclusions, each under a heading where there are any."""
    if not above:
        return verdict
    parts = [f"**{one.who}** · {one.where}\n\n{one.text}" for one in above]
    return "\n\n".join((*parts, *([f"**Synthesis**\n\n{verdict}"] if verdict else [])))


def pack(every: Sequence[OpenedDeliberation], space: int) -> Packed:
    """Pack ``every`` into at most ``space`` characters, cutting contributions as little as will do.

    When even the shortest cut is too much the last deliberations have no transcript; ``holds`` says how many have.
    """
    shown = [_printable(one) for one in every]
    for limit in _likely(shown, space):
        if len(data := _data(shown, limit)) <= space:
            return Packed(data, limit, len(shown))
    while shown and len(_data(shown, _LIMITS[0])) > space:
        shown = shown[: len(shown) * 3 // 4]
    return Packed(_data(shown, _LIMITS[0]), _LIMITS[0], len(shown))


def _printable(one: OpenedDeliberation) -> _Printed:
    said = [(printable(turn.who), printable(turn.place), printable(turn.text)) for turn in one.said]
    return printable(one.question), printable(one.verdict), said


def _likely(every: Sequence[_Printed], space: int) -> list[int | None]:
    """Return the limits to be tried, the longest first: those at which the texts alone leave space for their markup."""
    if len(_data(every, None, said=str)) <= space * _TEXT_SHARE:
        return [None, *reversed(_LIMITS)]
    fits = bisect_right(_LIMITS, space * _TEXT_SHARE, key=lambda limit: len(_data(every, limit, said=str)))
    return list(reversed(_LIMITS[: max(fits, 1)]))


def shortened(text: str, limit: int | None) -> str:
    """Shorten ``text`` to ``limit`` characters, followed by the number of missing ones, of an earlier cut too."""
    if limit is None or len(text) <= limit:
        return text
    cut = _CUT.search(text)
    length = cut.start() + int(cut[1].replace(",", "")) if cut else len(text)
    return f"{text[:limit]} […{length - limit:,} more characters]"


def _data(every: Sequence[_Printed], limit: int | None, *, said: Callable[[str], object] = packed) -> str:
    """Return ``every`` as the page carries it; ``said`` makes of a model's text what the page's script reads."""
    longest = limit and limit * _WORTH
    shown = [
        (
            shortened(question, longest),
            said(shortened(verdict, longest)),
            [(who, place, said(shortened(text, limit))) for who, place, text in turns],
        )
        for question, verdict, turns in every
    ]
    packer = zlib.compressobj(level=9, wbits=_RAW)
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    return b64encode(packer.compress(text.encode()) + packer.flush()).decode()
