r"""The answer in a reply: in what form a question wants it, and how it is found.

A prompt asks for a last line ``FINAL ANSWER: …`` (``protocols.endings``). The **last** such header in the model's own
words counts (any case, bold or not, a full-width colon): quoted lines and quoted answers of peers are taken out first,
and a header inside quotation marks is no header. What stands without a header is taken only where it cannot mean
anything else:

    choice     a choice alone on a line, or ``\boxed{B}``
    number     ``\boxed{42}``, or the last number
    yes_no     yes or no alone on a line, or as the first word before a comma or a full stop
    contains   the whole text: what is looked for is looked for in it
    exact      nothing: prose is never guessed at
    free       nothing

No answer is ``None``, an abstention: the reply was paid for all the same. Reading never raises, takes time in
proportion to the text, and reads what it has written the same way again.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal, Self

from pydantic import Field, model_validator

from protocols.exchange import Frozen
from protocols.numerals import first_number, last_number
from protocols.spoken import storable

AnswerKind = Literal["choice", "number", "exact", "contains", "yes_no", "free"]
"""One of some choices; a number; a text that is the same or not; a text that holds something; yes or no; open."""

_FEWEST_CHOICES = 2

_READ_FROM_END = 200_000
_LONGEST_FREE = 2_000
_LONGEST_LINE = 400

_QUOTED_LINE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)
_PEER_MARK = re.compile(r"<(?P<slash>/?)answer\b[^<>]{0,300}>", re.IGNORECASE)
_BEFORE = r"^[ \t*_#(\[•–—-]{0,12}(?:(?:my|the|so|thus|hence|therefore)\b[ \t,]{1,3}){0,3}[*_]{0,3}"
_AFTER = r"[*_ \t]{0,6}(?:[:：][*_ \t]{0,6}(?P<rest>[^\n]*)|$)"
_HEADER = re.compile(rf"{_BEFORE}final[ \t_-]{{0,3}}answer{_AFTER}", re.IGNORECASE | re.MULTILINE)
_SHORT_HEADER = re.compile(rf"{_BEFORE}answer{_AFTER}", re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(r"\\boxed\{(?P<inside>(?:[^{}]|\{[^{}]{0,200}\}){1,200})\}")
_WRAPPED = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\{(?P<inside>[^{}]*)\}")
_DECORATION = " \t\"'“”‘’«»`*_$()[]{}<>\\"
_LEAD = re.compile(r"(?:(?:option|choice|letter|answer|it is|is)\b[\s:(\"'*_]{1,4})?", re.IGNORECASE)
_ENDS = re.compile(r"\W{0,6}$|[\s*_\"'’”]{0,3}[).:,;(\]–—=-]")
_OTHER = re.compile(r"[\W_]{0,4}(?:(?:or|and)\b|[/&,+]|\||$)[\W_]{0,4}", re.IGNORECASE)
_YES = {"yes": "yes", "y": "yes", "true": "yes", "no": "no", "n": "no", "false": "no"}
_YES_WORD = re.compile(r"\W{0,4}(?P<word>yes|no|true|false|y|n)(?P<alone>[\W_]*)(?P<more>\w*)", re.IGNORECASE)
_OPENS = re.compile(r"\s*[*_]{0,2}(?P<word>yes|no)[*_]{0,2}(?:[,.;:!]|\s*$)", re.IGNORECASE | re.MULTILINE)
_WORD = re.compile(r"\w+")


class AnswerForm(Frozen):
    """In what form a question wants its answer."""

    kind: AnswerKind = "free"
    choices: tuple[str, ...] = ()
    """For ``choice``: at least two, none blank, no two the same but for capitals; otherwise empty."""

    @model_validator(mode="after")
    def _choices_fit(self) -> Self:
        if self.kind != "choice":
            if self.choices:
                raise ValueError(f"choices are given, and an answer of kind {self.kind!r} has none; leave them out")
            return self
        told = {normalised(choice) for choice in self.choices}
        if len(self.choices) < _FEWEST_CHOICES or len(told) < len(self.choices) or "" in told:
            raise ValueError(f"choices {list(self.choices)!r} must be two or more that differ, none of them blank")
        return self


class AnswerRead(Frozen):
    """The reading of a reply that was to end with an answer."""

    answer: str | None
    """As ``read_answer`` has it; ``None`` abstains."""
    words: tuple[str, ...] = Field(default=())
    """By what it is compared where equality asks too much: an open answer's word set, an exact one's plain form."""


def reading(text: str, form: AnswerForm) -> AnswerRead:
    """The answer in ``text`` and what it is compared by."""
    answer = read_answer(text, form)
    if answer is None or form.kind in {"choice", "number", "yes_no"}:
        return AnswerRead(answer=answer)
    plain = normalised(answer)
    words = (plain,) if form.kind == "exact" else tuple(sorted(set(_WORD.findall(plain))))
    return AnswerRead(answer=answer, words=words)


def read_answer(text: str, form: AnswerForm) -> str | None:
    """The answer in ``text``, or ``None`` when it holds none in this form.

    A choice is returned as ``form`` spells it, a number in plain digits (``1234.5``), yes or no as ``yes`` or ``no``,
    any other answer in the model's words without decoration.
    """
    own = _own_words(text)
    under = _under(_HEADER, own)
    if under is not None:
        return _understood(under, form)
    return _WITHOUT_HEADER[form.kind](own, form)


def normalised(text: str) -> str:
    """``text`` as answers are compared: one form of each letter, no capitals, no punctuation at the ends."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return plain.strip(_DECORATION + ".,;:!?。")


def _own_words(text: str) -> str:
    said = _QUOTED_LINE.sub("", storable(text[-_READ_FROM_END:]))
    pieces, kept_to, opened = [], 0, None
    for mark in _PEER_MARK.finditer(said):
        if mark["slash"] and opened is not None:
            pieces.append(said[kept_to:opened])
            kept_to, opened = mark.end(), None
        elif not mark["slash"] and opened is None and "nonce" in mark[0]:
            opened = mark.start()
    return "".join((*pieces, said[kept_to:]))


def _under(header: re.Pattern[str], own: str) -> str | None:
    """What stands under the last header: the rest of its line, or when that is blank, all that follows."""
    found = _last(header, own)
    if found is None:
        return None
    rest = found["rest"] or ""
    return rest + own[found.end() :] if rest.strip(_DECORATION) else own[found.end() :].lstrip()


def _understood(under: str, form: AnswerForm) -> str | None:
    """The answer in what stands under a header; only its first line counts, but of an open answer."""
    if form.kind == "free":
        return _bare(" ".join(under.split())[:_LONGEST_FREE]) or None
    line = under.partition("\n")[0]
    if form.kind == "choice":
        return _choice(line, form.choices)
    if form.kind == "number":
        return first_number(_unwrapped(line).rpartition("=")[2])
    if form.kind == "yes_no":
        return _yes_or_no(line)
    return _bare(" ".join(line.split())) or None


def _unwrapped(line: str) -> str:
    shorter, line = line[:_LONGEST_LINE], ""
    while shorter != line:
        line, shorter = shorter, _WRAPPED.sub(lambda found: found["inside"], shorter)
    return line


def _bare(text: str) -> str:
    """``text`` without decoration, nor the full stop at its end; decoration that belongs to it may go as well."""
    before = None
    while before != text:
        before, text = text, _WRAPPED.sub(lambda found: found["inside"], text).strip(_DECORATION).rstrip(".。")
    return text


def _choice(line: str, choices: tuple[str, ...]) -> str | None:
    """The one choice that ``line`` begins with, or is; ``A or B`` is none, and neither is the article of ``A man``."""
    line = _unwrapped(line)
    if alone := _same_choice(line, choices):
        return alone
    said = line.lstrip(_DECORATION)
    said = said[_LEAD.match(said).end() :]  # type: ignore[union-attr] # the pattern matches the empty string
    for choice in sorted(choices, key=len, reverse=True):
        if said[: len(choice)].casefold() == choice.casefold() and _stands(said, choice):
            rest = said[len(choice) :]
            return None if _names_another(rest, choice, choices) else choice
    return None


def _same_choice(line: str, choices: tuple[str, ...]) -> str | None:
    plain = normalised(line)
    return next((choice for choice in choices if normalised(choice) == plain), None)


def _stands(said: str, choice: str) -> bool:
    """Whether ``choice`` at the beginning of ``said`` is the choice, and not the beginning of a word or an article."""
    rest = said[len(choice) :]
    if _ENDS.match(rest):
        return True
    is_letter = len(choice) == 1
    return rest[:1].isspace() and (not is_letter or (said[0] == choice and choice not in "AI"))


def _names_another(rest: str, chosen: str, choices: tuple[str, ...]) -> bool:
    joined = _OTHER.match(rest)
    if joined is None or not joined[0].strip():
        return False
    others = (choice for choice in choices if choice != chosen)
    following = rest[joined.end() :]
    return any(
        following[: len(other)].casefold() == other.casefold() and not following[len(other) : len(other) + 1].isalnum()
        for other in others
    )


def _yes_or_no(line: str) -> str | None:
    found = _YES_WORD.match(_unwrapped(line))
    if found is None:
        return None
    word, more = found["word"].casefold(), found["more"].casefold()
    if (more and not found["alone"]) or more == "or" or _YES.get(more, _YES[word]) != _YES[word]:
        return None
    is_clear = not more or found["alone"].strip() or word == "yes"
    return _YES[word] if is_clear else None


def _lines(own: str) -> Iterator[str]:
    return (line for line in own.split("\n") if line.strip() and len(line) <= _LONGEST_LINE)


def _boxed(own: str) -> str | None:
    last = _last(_BOXED, own)
    return last["inside"] if last else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)


def _only(found: Iterator[str | None]) -> str | None:
    """What is found, when it is one thing however often; ``None`` when nothing is, or several things are."""
    told = {one for one in found if one is not None}
    return told.pop() if len(told) == 1 else None


def _choice_alone(own: str, form: AnswerForm) -> str | None:
    named = _boxed(own) or _under(_SHORT_HEADER, own)
    if named is not None and (chosen := _choice(named.partition("\n")[0], form.choices)):
        return chosen
    return _only(_same_choice(line, form.choices) for line in _lines(own))


def _number_alone(own: str, _form: AnswerForm) -> str | None:
    named = _boxed(own) or _under(_SHORT_HEADER, own)
    found = first_number(named.partition("\n")[0].rpartition("=")[2]) if named else None
    return found or last_number(own)


def _yes_or_no_alone(own: str, _form: AnswerForm) -> str | None:
    named = _boxed(own) or _under(_SHORT_HEADER, own)
    if named is not None and (said := _yes_or_no(named.partition("\n")[0])):
        return said
    opens = _OPENS.match(own)
    first = _YES[opens["word"].casefold()] if opens else None
    return _only(iter((first, *(_YES.get(normalised(line)) for line in _lines(own)))))


def _whole(own: str, _form: AnswerForm) -> str | None:
    return _bare(" ".join(own.split())) or None


def _nothing(_own: str, _form: AnswerForm) -> str | None:
    return None


_WITHOUT_HEADER: dict[AnswerKind, Callable[[str, AnswerForm], str | None]] = {
    "choice": _choice_alone,
    "number": _number_alone,
    "yes_no": _yes_or_no_alone,
    "contains": _whole,
    "exact": _nothing,
    "free": _nothing,
}
