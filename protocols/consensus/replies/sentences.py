"""Sentences about a draft, distinguished from sentences of one.

A sentence that is word for word in the draft is never a remark about it. Only the first and the last 8,000
characters of a text are read sentence by sentence: remarks are at the ends of a reply, and time is bounded.
"""

import unicodedata
from collections.abc import Iterator
from functools import cached_property

from protocols.consensus.wording import PATTERNS, SIGNS, WORD, WORDS
from protocols.lazy_patterns import lazy_pattern

LOOKED_AT = 8_000
"""Characters at either end of a text that are looked at sentence by sentence."""

COMPARED = 100_000
"""Characters of a text whose words are compared with another's."""

_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_TOKEN = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_LONG_SIGNS = lazy_pattern(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of scripts that put no blanks between words; each counts as a word."""
_ADORNED = "*_~#`>\"'“”„«»‘’「」『』|•- \t"
_UNADORNED = str.maketrans(dict.fromkeys("’‘ʼ´", "'") | dict.fromkeys('*_~#`"“”„«»', ""))


def folded(text: str) -> str:
    """Return ``text`` for looking at only: wide letters plain, what is invisible gone, one kind of line end."""
    characters = () if text.isascii() and text.isprintable() else set(text)
    table = {ord(char): _plain(char) for char in characters if not (char.isascii() and char.isprintable())}
    return text.replace("\r\n", "\n").translate(table) if table else text


def _plain(char: str) -> str:
    if char in "\n\r\x85\u2028\u2029":
        return "\n"
    if (unicodedata.category(char) in {"Cf", "Cc"} and not char.isspace()) or "\ufe00" <= char <= "\ufe0f":
        return ""
    plain = unicodedata.normalize("NFKC", char)
    return plain if plain.isascii() else char


def normalised(text: str) -> str:
    """Return ``text`` on one line, in lower case and without adornment."""
    return " ".join(folded(text).translate(_UNADORNED).split()).lower()


def sentences(text: str) -> list[str]:
    """Return the normalised sentences at the ends of ``text``."""
    if len(text) > 2 * LOOKED_AT:
        text = f"{text[:LOOKED_AT]}\n{text[-LOOKED_AT:]}"
    normalised_parts = (normalised(part.strip(_ADORNED)) for part in _SENTENCE.split(text))
    return [sentence for sentence in normalised_parts if sentence]


def words(text: str) -> Iterator[str]:
    """Return the words of ``text``; of a script without blanks every character is one."""
    for token in _TOKEN.findall(folded(text[:COMPARED]).lower()):
        if _LONG_SIGNS.search(token):
            yield from token
        else:
            yield token


class Compared:
    """A draft, as what a reply is compared with."""

    def __init__(self, text: str, request: str = "") -> None:
        """Take the draft, and what was asked for behind it: a reply may repeat either."""
        self.text = text.strip()
        self._request = request
        self._about: dict[str, bool] = {}
        self._held: dict[str, bool] = {}

    @cached_property
    def sentences(self) -> frozenset[str]:
        """Return the sentences, line by line."""
        lines = (normalised(line.strip(_ADORNED)) for line in self.text[:COMPARED].splitlines())
        return frozenset(sentences(self.text)) | frozenset(lines)

    @cached_property
    def words(self) -> frozenset[str]:
        """The different words in it."""
        return frozenset(words(self.text))

    @cached_property
    def first_word(self) -> str:
        """The word it begins with."""
        found = _TOKEN.search(self.text[:_LONGEST_PRAISE].lower())
        return found[0] if found else ""

    def has_like(self, line: str) -> bool:
        """Return whether a line of the draft has most of the words of ``line``."""
        said = frozenset(_TOKEN.findall(normalised(line)))
        return any(len(said & frozenset(_TOKEN.findall(own))) > _MOST * len(said) for own in self._opening_lines)

    @cached_property
    def _opening_lines(self) -> tuple[str, ...]:
        return tuple(normalised(line) for line in self.text[:LOOKED_AT].splitlines() if len(line) < _LONGEST_PRAISE)

    @cached_property
    def length(self) -> int:
        """Return the number of words."""
        return sum(1 for _ in words(self.text))

    def shares(self, text: str) -> tuple[float, float]:
        """Return the share of the draft's different words that ``text`` has, too, and its length as a share."""
        said = list(words(text))
        return len(self.words.intersection(said)) / max(1, len(self.words)), len(said) / max(1, self.length)

    @cached_property
    def _normalised(self) -> str:
        return normalised(self.text)

    def is_same(self, text: str) -> bool:
        """Return whether ``text`` is the draft, except for blanks and emphasis."""
        return len(text) < 2 * len(self.text) + 99 and normalised(text) == self._normalised

    def holds(self, phrase: str) -> bool:
        """Return whether the normalised ``phrase`` is anywhere in it."""
        if phrase not in self._held:
            self._held[phrase] = phrase in self._normalised
        return self._held[phrase]

    def has_shown(self, sentence: str) -> bool:
        """Return whether ``sentence`` is in the draft or in the request after it."""
        return sentence in self.sentences or sentence in self._requested

    def is_about(self, sentence: str) -> bool:
        """Return whether the normalised ``sentence`` is about the draft and not part of it."""
        if sentence not in self._about:
            self._about[sentence] = self._is_about(sentence)
        return self._about[sentence]

    def is_faulted_by(self, sentence: str) -> bool:
        """Return whether ``sentence`` calls something wrong, or is about the user or the model, and the draft is not.

        It may be a sentence of another text all the same: no objection is made from it.
        """
        if sentence in self.sentences:
            return False
        fault = PATTERNS["wrong"].search(sentence[:_LONGEST_PRAISE]) if self.length > _SHORT else None
        is_of_user = sentence.startswith(_USER) and "user" not in self.words
        return is_of_user or (fault is not None and not self.holds(fault[1] or fault[2]))

    def _is_about(self, sentence: str) -> bool:
        if sentence in self.sentences or (sentence.strip(".!") in _TRUTH and not _TRUTH.isdisjoint(self.words)):
            return False
        if sentence in self._requested:
            return True
        own = self.text[:LOOKED_AT].lower() if sentence.startswith(_ASSISTANT) else ""
        is_of_assistant = bool(own) and not any(start in own for start in _ASSISTANT)
        return (
            is_of_assistant
            or PATTERNS["openings"].match(sentence) is not None
            or is_praise(sentence)
            or self._is_graded(sentence)
        )

    @cached_property
    def _requested(self) -> frozenset[str]:
        return frozenset(sentences(self._request))

    def _is_graded(self, sentence: str) -> bool:
        """Return whether a sentence names a draft and a grade, not both in words that the draft has itself."""
        said = frozenset(_TOKEN.findall(sentence))
        nouns = said & WORDS["nouns"] | {sign for sign in SIGNS["noun"] if sign in sentence}
        grades = said & WORDS["grades"] | {sign for sign in SIGNS["grade"] if sign in sentence}
        return bool(nouns and grades) and not self.words.issuperset(nouns | grades)


def is_praise(sentence: str) -> bool:
    """Return whether a sentence says that a draft is right, and cannot say anything else: "No errors were found."."""
    if "?" in sentence or PATTERNS["greeting"].fullmatch(sentence) or len(sentence) > 2 * _LONGEST_PRAISE:
        return False
    rest, denials = PATTERNS["denied"].subn(" ", sentence)
    said = _TOKEN.findall(rest)
    return (denials > 0 or not _POSITIVE.isdisjoint(said)) and WORDS["praise"].issuperset(said) and not _has_sign(rest)


def is_all_praise(text: str) -> bool:
    """Return whether every sentence of a short text is praise."""
    said = sentences(text) if len(text) <= _LONGEST_PRAISE else []
    return bool(said) and all(is_praise(sentence) for sentence in said)


def is_opposed(text: str) -> bool:
    """Return whether ``text`` objects to a draft; a denied fault is no objection."""
    return any(_is_against(sentence) for sentence in sentences(text))


def is_review(text: str, draft: Compared) -> bool:
    """Return whether ``text`` goes through criteria or gives verdicts on claims, as the draft itself does not."""
    said = [sentence for sentence in sentences(text) if sentence not in draft.sentences]
    return any(
        sum(map(bool, map(find, map(_unmarked, said)))) > 1 and not any(map(find, map(_unmarked, draft.sentences)))
        for find in (PATTERNS["criterion"].match, PATTERNS["given"].search)
    )


def _unmarked(sentence: str) -> str:
    return _MARK.sub("", sentence)


def is_rating(sentence: str) -> bool:
    """Return whether a sentence only gives marks."""
    return PATTERNS["rating"].match(sentence) is not None


def has_full_marks(text: str) -> bool:
    """Return whether the end of ``text`` gives a draft the best marks."""
    return PATTERNS["full_marks"].search(normalised(text[-_LONGEST_PRAISE:])) is not None


def _is_against(sentence: str) -> bool:
    rest = PATTERNS["harmless"].sub(" ", PATTERNS["denied"].sub(" ", sentence[: 2 * LOOKED_AT]))
    return not WORDS["opposed"].isdisjoint(_TOKEN.findall(rest)) or _has_sign(rest)


def _has_sign(text: str) -> bool:
    return any(sign in text for sign in SIGNS["opposed"])


_MARK = lazy_pattern(r"^(?:\(?\d{1,2}[.):] ?|[(\[]?[a-h][.):] )")
_LONGEST_PRAISE = 400
_MOST = 0.6
_SHORT = 8
"""Words of a draft that a remark on one word of it may correct as well."""
_USER = ("the user ", "the user's ", "i am an ai ", "i'm an ai ", "i am a large language model", "i'm a large language")
_ASSISTANT = ("the assistant ", "the assistant's", "assistant's")
_TRUTH = frozenset(("true", "false", "yes", "no"))
"""What a draft that judges a statement says itself."""
_POSITIVE = WORDS["positive"] | {WORD}
