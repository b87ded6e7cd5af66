"""Questions with a final answer, and their right answers.

A question asks for one by naming the line ``FINAL ANSWER``. Small sums, stories with numbers, and what is true of a
number (even, prime, the largest of the options) are solved. What would take knowledge is not known here: there the
right answer is one of those that the question allows, and which one follows from the question's words alone, so that
models which are right agree with each other.

A problem is known by its own words, without the form that is asked for: two protocols that ask for the same in other
words pose the same problem.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from rehearsal.models.grading import judgement
from rehearsal.models.seeded import pick, shuffled
from rehearsal.models.sums import as_written, story_in, sum_in
from rehearsal.models.written_texts import written_for

FINAL = "FINAL ANSWER"

_FINAL_LINE = re.compile(rf"^[ \t*_>#]*{FINAL}[*_ \t]*[:\uff1a][*_ \t]*(?P<said>\S[^\n]*?)[*_. \t]*$", re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*(?:[-*][ \t]+)?\(?([A-Z])[).:][ \t]+(\S.*)$", re.MULTILINE)
_FORM = re.compile(r"(?:\n\nThink it through\..*|[^.?!:\n]*)\Z", re.DOTALL)
"""How the form is led up to: as the baselines do it, or by part of a sentence."""
_LISTED = re.compile(r"\bone of(?: these)?:?[ \t]+([^\n.]{1,400}?)(?:,? in this form\b|[.\n]|\Z)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[ \t]*(?:,|;|\||\bor\b)[ \t]*")
_FILLERS = ("filler A", "filler B", "filler C")
_YES_NO = re.compile(r"\byes\b[^\n]{0,20}\bno\b", re.IGNORECASE)
_WHOLE = re.compile(r"-?\d{1,9}")
_PLAIN_NUMBER = re.compile(r"[-$€]?(\d[\d,]{0,10}(?:\.\d{1,9})?)\D{0,12}")
_NUMBER_WANTED = re.compile(
    rf"\bhow (?:many|much|old|far|long)\b|{FINAL}[^\n]{{0,40}}\bnumber\b|\bnumber\b[^\n]{{0,40}}{FINAL}", re.IGNORECASE
)
_Found = tuple[str, tuple[str, ...]]
"""The right answer, and what may be mistaken for it."""
_EXTREMES: tuple[tuple[str, Callable[..., str]], ...] = (
    (r"\b(?:largest|greatest|biggest|highest|most)\b", max),
    (r"\b(?:smallest|least|lowest|fewest)\b", min),
)


@dataclass(frozen=True)
class Problem:
    """A question with a final answer."""

    words: str
    """By which it is known: the question without its options and without the form that is asked for."""
    right: str
    wrong: tuple[str, ...]
    """What may be mistaken for it, the likeliest first; never empty."""


@lru_cache(maxsize=4096)
def problem(question: str) -> Problem | None:
    """Return the problem that ``question`` poses, or ``None`` if it requests no final answer."""
    if FINAL not in question:
        return None
    words = _words(question)
    if judged := judgement(question):
        return Problem(words, *judged)
    written = written_for(words)
    if written is not None and written.solutions:
        return Problem(words, written.right, tuple(final for final in written.solutions if final != written.right))
    found = (
        _chosen(question, words) or _listed(question, words) or _decided(question, words) or _counted(question, words)
    )
    right, wrong = found or _named(words, in_sentences="sentences" in question)
    return Problem(words, right, wrong)


def subject(question: str) -> str:
    """Return the subject of ``question``: all of it except a final answer's form."""
    posed = problem(question)
    return posed.words if posed else question


def final_of(text: str) -> str | None:
    """Return the last line of the form ``FINAL ANSWER: …``; ``None`` without one."""
    said = [found["said"] for found in _FINAL_LINE.finditer(text)]
    return said[-1].strip() if said else None


def without_final(text: str) -> str:
    """Return ``text`` without its lines of that form."""
    return _FINAL_LINE.sub("", text).rstrip()


def _words(question: str) -> str:
    """Return the text before the options and the form."""
    stem = _OPTION.split(question, maxsplit=1)[0].partition(FINAL)[0]
    return (_FORM.sub("", stem) or stem).strip()


def _chosen(question: str, words: str) -> _Found | None:
    """Return the right one of lettered options."""
    options = dict(_OPTION.findall(question))
    if len(options) < 2:  # noqa: PLR2004 - one option is no choice
        return None
    letters = tuple(options)
    right = _fitting(words, options) or pick(sorted(options, key=lambda letter: options[letter]), words)
    return right, _others(letters, right, words)


def _fitting(words: str, options: Mapping[str, str]) -> str | None:
    """Return the only option that fits the words, if it can be computed."""
    numbers = {letter: number for letter, text in options.items() if (number := _number(text)) is not None}
    for pattern, choose in _EXTREMES:
        if len(numbers) == len(options) and re.search(pattern, words, re.IGNORECASE):
            return choose(numbers, key=lambda letter: numbers[letter])
    value = _value(words)
    fits = [letter for letter, number in numbers.items() if value is not None and number == value]
    fits = fits or [letter for letter, number in numbers.items() if _is_so(words, number)]
    return fits[0] if len(fits) == 1 else None


def _listed(question: str, words: str) -> _Found | None:
    """Return any of the options that the form lists without their meaning."""
    listed = _LISTED.search(question)
    options = tuple(option.strip(" \"'`") for option in _SEPARATOR.split(listed.group(1))) if listed else ()
    options = tuple(dict.fromkeys(option for option in options if option))
    if len(options) < 2:  # noqa: PLR2004 - one option is no choice
        return None
    right = _truth(words, options) or pick(sorted(options), words)
    return right, _others(options, right, words)


def _truth(words: str, options: Sequence[str]) -> str | None:
    """Return the option for yes or no, if it can be computed."""
    known = _known(words)
    meant = {True: {"yes", "true"}, False: {"no", "false"}}
    return next((option for option in options if known is not None and option.lower() in meant[known]), None)


def _decided(question: str, words: str) -> _Found | None:
    """Return yes or no."""
    if not _YES_NO.search(question):
        return None
    known = _known(words)
    is_so = pick((True, False), words) if known is None else known
    return ("yes", ("no",)) if is_so else ("no", ("yes",))


def _counted(question: str, words: str) -> _Found | None:
    """Return a number, and close ones."""
    value = sum_in(words)
    if value is None and _NUMBER_WANTED.search(question):
        value = story_in(words)
        value = Fraction(pick(range(2, 100), words)) if value is None else value
    if value is None:
        return None
    near = (value + 1, value - 1, value + 10, value * 2, value - 2)
    wrong = dict.fromkeys(as_written(other) for other in near if other != value)
    return as_written(value), shuffled(tuple(wrong), words)


def _named(words: str, *, in_sentences: bool) -> _Found:
    """Return a name that is marked as filler, in a sentence on request."""
    named = tuple(f"This sentence is {name}." if in_sentences else name for name in _FILLERS)
    right = pick(named, words)
    return right, tuple(word for word in named if word != right)


def _others(options: Sequence[str], right: str, words: str) -> tuple[str, ...]:
    return shuffled(tuple(option for option in options if option != right), words, "mistaken")


def _value(words: str) -> Fraction | None:
    written = sum_in(words)
    return story_in(words) if written is None else written


def _number(text: str) -> Fraction | None:
    found = _PLAIN_NUMBER.fullmatch(text.strip())
    return Fraction(found.group(1).replace(",", "")) if found else None


def _known(words: str) -> bool | None:
    """Return the truth of the words' statement on their first number; ``None`` without such a statement."""
    found = _WHOLE.search(words)
    if not found or not any(re.search(pattern, words, re.IGNORECASE) for pattern, _ in _KINDS):
        return _compared(words)
    return _is_so(words, Fraction(found.group()))


def _compared(words: str) -> bool | None:
    numbers = [int(number) for number in _WHOLE.findall(words)]
    if len(numbers) != 2:  # noqa: PLR2004 - a comparison has two sides
        return None
    first, second = numbers
    if re.search(r"\bdivisible by\b", words):
        return bool(second) and first % second == 0
    if re.search(r"\b(?:greater|larger|bigger|more)\b", words):
        return first > second
    return first < second if re.search(r"\b(?:smaller|less|fewer)\b", words) else None


def _is_so(words: str, number: Fraction) -> bool:
    """Return whether ``number`` is of the kind in the words."""
    if number.denominator != 1:
        return False
    return any(is_one(int(number)) for kind, is_one in _KINDS if re.search(kind, words, re.IGNORECASE))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % factor for factor in range(2, int(number**0.5) + 1))


_KINDS: tuple[tuple[str, Callable[[int], bool]], ...] = (
    (r"\bprime\b", _is_prime),
    (r"\beven\b", lambda number: number % 2 == 0),
    (r"\bodd\b", lambda number: number % 2 == 1),
)
