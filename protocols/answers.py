r"""The answer in a reply: in what form a question wants it, and how it is found.

A prompt asks for a last line ``FINAL ANSWER: …`` (``protocols.final_answer_prompt``). The **last** such header in the
model's own words counts (any case, bold or not, a full-width colon, also in another language), and an object with one
answer or ``<answer>B</answer>`` on a line is one. Quoted lines and quoted answers of peers are taken out first, and a
header inside quotation marks is none. One in a block of code, or below a line that announces it as another's, takes an
earlier one back. So do words below it, as in "No, C.", and, of a closed answer, a later statement, or another answer
on the next line or under a header in another language. Without a header only what can mean nothing else is taken:

    choice     ``\boxed{B}``, "The correct answer is B", a choice alone on a line, or the one line that begins with one
    number     ``\boxed{42}``, "The answer is 42", or the only number of the sentence that concludes the text
    yes_no     "The answer is no", yes or no alone on a line, or as the first word before a comma or a full stop
    contains   the whole text: what is looked for is looked for in it
    exact      nothing: prose is never guessed at
    free       nothing

No answer is ``None``, an abstention: the reply was paid for all the same. Reading never raises, takes time in
proportion to the text, and reads what it has written the same way again.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping
from html import unescape
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from protocols.answer_text import DECORATION, GROUPS, QUOTATION, WORDS, bare, is_retracted, normalised, own_words, shorn
from protocols.choice_answers import choice_alone, choice_under, ticked
from protocols.json_in_text import whole_object
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import FrozenModel
from protocols.number_answers import number_alone, number_under, without_doubtful, without_ends
from protocols.text_files import compile_patterns
from protocols.yes_no_answers import yes_no_alone, yes_no_under

AnswerKind = Literal["choice", "number", "exact", "contains", "yes_no", "free"]
"""One of some choices; a number; a text that is the same or not; a text that holds something; yes or no; open."""

_FEWEST_CHOICES = 2

_LONGEST_FREE = 2_000
_LOOKED_BACK = 200
_CLOSED = {"choice", "number", "yes_no"}

_PATTERNS = compile_patterns(__package__, "answers")
_HEADER = lazy_pattern(
    f"{_PATTERNS['before'].pattern}(?P<name>{WORDS['header']}){_PATTERNS['after'].pattern}",
    re.IGNORECASE | re.MULTILINE,
)
_BOXED = _PATTERNS["boxed"]


class AnswerForm(FrozenModel):
    """The form in which a question requests its answer."""

    kind: AnswerKind = "free"
    choices: tuple[str, ...] = ()
    """For ``choice``: at least two, none blank, no two the same but for capitals; otherwise empty."""
    scale: tuple[float, float] | None = None
    """For ``number``: the lowest and the highest one; a number outside is no answer, and ``8/10`` is 8 up to 10."""

    @property
    def written(self) -> str:
        """The form as an option has it: ``number``, ``number:1..10`` or ``choice:A,B``."""
        ends = "" if self.scale is None else f":{self.scale[0]:g}..{self.scale[1]:g}"
        return f"{self.kind}{ends}" + (f":{','.join(self.choices)}" if self.choices else "")

    @model_validator(mode="after")
    def _scale_fits(self) -> Self:
        if self.scale is not None and (self.kind != "number" or self.scale[0] >= self.scale[1]):
            raise ValueError(
                f"a scale is of a number and has its lowest end first; {list(self.scale)!r} cannot be used"
            )
        return self

    @model_validator(mode="after")
    def _choices_fit(self) -> Self:
        if self.kind != "choice":
            if self.choices:
                raise ValueError(f"choices are given, and an answer of kind {self.kind!r} has none; leave them out")
            return self
        plain = {shorn(choice) for choice in self.choices}
        if len(self.choices) < _FEWEST_CHOICES or len(plain) < len(self.choices) or "" in plain:
            raise ValueError(f"choices {list(self.choices)!r} must be two or more that differ, none of them blank")
        return self


class AnswerRead(FrozenModel):
    """The reading of a reply that was to end with an answer."""

    answer: str | None
    """As ``read_answer`` has it; ``None`` abstains."""
    words: tuple[str, ...] = Field(default=())
    """By what it is compared where equality asks too much: an open answer's words, an exact one's plain form."""


def reading(text: str, needs: Mapping[str, JsonValue]) -> AnswerRead:
    """Return the answer in ``text`` and what it is compared by; needs ``form``, and ``is_cut`` of a cut text."""
    form = AnswerForm.model_validate(needs["form"])
    answer = read_cut(text, form) if needs.get("is_cut") else read_answer(text, form)
    if answer is None or form.kind in _CLOSED:
        return AnswerRead(answer=answer)
    plain = normalised(answer)
    words = _PATTERNS["word"].findall(GROUPS.sub("", plain))
    return AnswerRead(answer=answer, words=(plain,) if form.kind == "exact" else tuple(dict.fromkeys(words)))


def read_answer(text: str, form: AnswerForm, beside: str = "") -> str | None:
    """Return the answer in ``text``, or ``None`` when it holds none in this form; ``beside`` is the rest of a reply.

    A choice is returned as ``form`` spells it, a number in plain digits (``1234.5``), yes or no as ``yes`` or ``no``,
    any other answer in the model's words without decoration.
    """
    text = own_words(_as_header(text))
    own = ticked(unescape(text)) if form.kind in _CLOSED else text  # a text may be of such signs
    own = _PATTERNS["source"].sub(r"\g<text>\g<name>", own) if form.kind in {"number", "exact"} else own
    own = without_doubtful(own, beside) if form.kind == "number" else own
    if form.scale is None:
        return _answer_in(own, form)
    answer = _answer_in(without_ends(own, form.scale[1]), form)
    return answer if answer is not None and form.scale[0] <= float(answer) <= form.scale[1] else None


def _as_header(text: str) -> str:
    """Return ``text`` with its tags or table around an answer, or the answer of the object it is, under a header."""
    given = [value for name, value in (whole_object(text) or {}).items() if _PATTERNS["field"].fullmatch(name)]
    if len(given) == 1 and isinstance(given[0], str | int | float):
        said = ("no", "yes")[given[0]] if isinstance(given[0], bool) else " ".join(str(given[0]).split())
        return f"FINAL ANSWER: {said}"
    return _PATTERNS["tagged"].sub(r"\nFINAL ANSWER: \g<answer>\g<cell>\n", text)


def read_cut(text: str, form: AnswerForm) -> str | None:
    """Return the answer on a whole line under a header of a cut text; an open answer is its whole text."""
    is_whole_text = form.kind in {"free", "contains"}
    return read_answer(text, form) if is_whole_text else final_answer(text[: text.rfind("\n") + 1], form)


def _answer_in(own: str, form: AnswerForm) -> str | None:
    header = _last(_HEADER, own)
    if header is None:
        return _WITHOUT_HEADER[form.kind](own, form)
    rest, following = header["rest"] or header["cell"] or "", own[header.end() :]
    if rest.strip(DECORATION):
        answer = _understood((rest if form.kind in _CLOSED else _line(header)) + following, form)
    else:
        below = _PATTERNS["fence"].sub("", following.lstrip())
        answer = _understood(below if form.kind == "free" else _PATTERNS["bullet"].sub("", below), form)
        answer = answer or (_WITHOUT_HEADER[form.kind](following, form) if form.kind in _CLOSED else None)
    before = own[: header.start()].rstrip()
    first = _last(_HEADER, before)
    is_near = first and (first.end() == len(before) or first["name"].lower() != header["name"].lower())
    is_beside = first and ((form.kind in _CLOSED and is_near) or _is_cited(before))
    return None if first and is_beside and _answer_in(before[first.start() :], form) not in {None, answer} else answer


def _is_cited(before: str) -> bool:
    """Return whether the end of ``before`` is in a block of code, or on a line with words that announce another's."""
    line = before[-_LOOKED_BACK:].rpartition("\n")[2]
    return len(_PATTERNS["block"].findall(before)) % 2 == 1 or _PATTERNS["announces"].search(line) is not None


def _line(header: re.Match[str]) -> str:
    """Return the text on the line of ``header`` as written, without the mark that closes the header's emphasis."""
    opened = _PATTERNS["opened"].match(header[0])
    line: str = header["cell"] or header["line"]
    line = line.partition("|")[0] if header[0].lstrip().startswith("|") else line
    return line.replace(opened[1], "", 1) if opened and line.count(opened[1]) % 2 else line


def final_answer(text: str, form: AnswerForm) -> str | None:
    """Return the answer under the last header in ``text``; ``None`` where there is no header or no answer."""
    return read_answer(text, form) if _HEADER.search(own_words(text)) else None


def _understood(under: str, form: AnswerForm) -> str | None:
    """Return the answer in the text under a header: its first line, except for an open answer."""
    if form.kind == "free":
        return _given(bare(" ".join(under.split())[:_LONGEST_FREE]))
    if form.kind == "choice":
        return choice_under(under, form.choices)
    if form.kind == "number":
        return number_under(under)
    if form.kind == "yes_no":
        return yes_no_under(under)
    line = under.partition("\n")[0]
    return None if is_retracted(f" {under}", (), bare(line)) else _given(bare(" ".join(line.split())))


def _given(answer: str) -> str | None:
    """Return ``answer`` unless it is blank or only repeats how an answer is asked for."""
    return None if _PATTERNS["example"].fullmatch(shorn(answer)) else answer


def _boxed(own: str) -> str | None:
    """Return the content of the last box, nothing of a denied one; ``None`` without a box and of two that differ."""
    last = _last(_BOXED, plain := QUOTATION.sub("", own))
    before = last and _last(_BOXED, plain[plain.rfind("\n", 0, last.start()) + 1 : last.start()])
    is_one_of_two = last and before and last["inside"] != before["inside"]
    if last is None or is_one_of_two:
        return None
    is_of_others = _PATTERNS["of_others"].search(plain, max(0, last.start() - _LOOKED_BACK), last.start())
    return "" if is_of_others or any(map(last.group, ("denied", "rejected", "joined", "part"))) else last["inside"]


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)


_WITHOUT_HEADER: dict[AnswerKind, Callable[[str, AnswerForm], str | None]] = {
    "choice": lambda own, form: choice_alone(own, _boxed(own), form.choices),
    "number": lambda own, _: number_alone(own, _boxed(own)),
    "yes_no": lambda own, _: yes_no_alone(own, _boxed(own)),
    "contains": lambda own, _: _given(bare(" ".join(own.split()))),
    "exact": lambda _own, _form: None,
    "free": lambda _own, _form: None,
}
