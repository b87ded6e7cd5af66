"""The words of rankings: headers in several languages, reversals of order, numbers in words.

``holds_header`` and ``holds_ranking_object`` say of a text that peers are shown whether it could pass for a ranking:
only then must a reviewer's header carry the code that no peer can know.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from protocols.council.model import Opinion
from protocols.model_call import FrozenModel
from protocols.text_files import compile_patterns, read_toml

_TABLES = read_toml(__package__, "wording.toml")

HEADERS = tuple(_TABLES["headers"])
"""The header's words, which are asked for in English, and how models translate them."""

CHAIR_FIELDS: Mapping[str, tuple[str, ...]] = {name: tuple(words) for name, words in _TABLES["chair_fields"].items()}
"""The headers of a chair's fields and of its verdict, which are asked for in English, and their translations."""

VOID_REASONS: Mapping[str, str] = _TABLES["void_reasons"]
"""What is shown for the reasons of ``Ballot.repairs`` why there is no ranking."""

UNSCORED_REASONS: Mapping[str, str] = _TABLES["unscored_reasons"]
"""The same for those of ``ScoreCard.repairs``."""

_PATTERNS = compile_patterns(__package__, "wording")
DOUBT = _PATTERNS["doubt"]
"""Words behind which labels in running text have no order, or another than that of being named."""

SHARED = _PATTERNS["shared"]
"""Words for labels that share a place."""

WORST_FIRST = _PATTERNS["worst_first"]
"""What says that an order begins with its worst."""

SPANNED = _PATTERNS["spanned"]
TIED = _PATTERNS["tied"]
RETRACTED = _PATTERNS["retracted"]
"""How a remark takes back the order above it, or a part of it."""

_RANKING_KEY = re.compile(r"rank[a-z_ ]{0,20}[\"'”]?\s{0,3}[:=]", re.IGNORECASE)
_DRESSING = re.compile(r"[\W_]+")
_ASCII_DRESSING = bytes(code for code in range(128) if not chr(code).isalnum())
_OTHERS = re.compile(r"[^\x00-\x7f]")


def place_in_words(word: str) -> int:
    """Return the place that ``word`` names, one of ``WORD_NUMBERS`` in any capitals."""
    return WORD_NUMBERS[_plain_word(word)]


def _plain_word(word: str) -> str:
    return folded(word.lower()).replace("ı", "i")


class Forgeable(FrozenModel):
    """A text in the question or in a shown answer that would pass for a ranking."""

    has_header: bool
    has_object: bool


MAYBE_FORGEABLE = Forgeable(has_header=True, has_object=True)


def folded(text: str) -> str:
    """Return ``text`` for parsing only: compatibility forms made plain, what is invisible or combines gone.

    Done character by character, because normalising a text whole takes quadratic time over stacked combining marks.
    """
    if text.isascii():
        return text.replace("\r", "\n")
    table = {ord(char): plain for char in set(_OTHERS.findall(text)) if (plain := _plain(char)) != char}
    if ord("🥉") in table:
        table |= dict.fromkeys(map(ord, "🏅🎖"), " #4 ")
    # To translate takes a look into the table for every character, and most texts have nothing to be made plain.
    return text.translate(table | {ord("\r"): "\n"}) if table else text.replace("\r", "\n")


def squashed(text: str) -> str:
    """Return the letters and digits of ``text`` in lower case, so that no dressing makes a difference."""
    plain = folded(text).lower().encode("utf-8", "surrogatepass").translate(None, _ASCII_DRESSING)
    letters = plain.decode("utf-8", "surrogatepass")
    return letters if letters.isascii() else _DRESSING.sub("", letters)


def holds_header(text: str) -> bool:
    """Return whether ``text`` has the words of a header anywhere, however they are dressed."""
    plain = squashed(text)
    return any(words in plain for words in (_ASCII_HEADERS if plain.isascii() else _SQUASHED_HEADERS))


def holds_score_word(line: str) -> bool:
    """Return whether ``line``, a header or a heading, has a word for scores."""
    said = folded(line).casefold()
    return any(word in said for word in _SCORE_WORDS)


def holds_ranking_object(text: str) -> bool:
    """Return whether ``text`` names a ranking as an object's key does."""
    plain = folded(text)
    return "rank" in plain.lower() and _RANKING_KEY.search(plain) is not None


def forgeable(question: str, opinions: Iterable[Opinion]) -> Forgeable:
    """Return what reviewers could copy from ``question`` and ``opinions`` and would pass for a ranking."""
    read = tuple(opinions)
    return Forgeable(
        has_header=holds_header(question) or any(one.has_header for one in read),
        has_object=holds_ranking_object(question) or any(one.has_ranking_object for one in read),
    )


_MARKS: Mapping[str, str] = {
    "\u20e3": ". ",
    **{chr(0x2460 + n): f" {n + 1}. " for n in range(20)},
    **{chr(0x2776 + n): f" {n + 1}. " for n in range(10)},
    **{chr(0x2780 + n): f" {n + 1}. " for n in range(10)},
    **{medal: f" #{n} " for n, medal in enumerate("🥇🥈🥉", start=1)},
    "🔟": " 10. ",
    **dict.fromkeys("\u2028\u2029\x85", "\n"),
}
"""Numbers that are one character, and the ends of lines."""


def _plain(char: str) -> str:
    if char in _MARKS:
        return _MARKS[char]
    if unicodedata.category(char) in {"Cf", "Mn", "Me"}:
        return ""
    return unicodedata.normalize("NFKC", char)


WORD_NUMBERS = {_plain_word(word): int(place) for place, words in _TABLES["word_numbers"].items() for word in words}
"""Places in words; the last ones lie behind every number."""

RANKING_WORDS = tuple(map(folded, _TABLES["ranking_words"]))
"""Parts of words, one of which is on a line that carries the code and is a header in words of its own."""

_SCORE_WORDS = tuple(map(folded, _TABLES["score_words"]))
_SQUASHED_HEADERS = tuple(dict.fromkeys(squashed(words) for words in HEADERS))
_ASCII_HEADERS = tuple(filter(str.isascii, _SQUASHED_HEADERS))

NO_POINT = frozenset(("", *map(squashed, CHAIR_FIELDS["none"])))
"""What is written in a list of a chair without an entry."""
