"""The scorers that compute: from an answer, its label and nothing else.

None of them raises on what a model wrote, and each takes time in proportion to the text.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from unicodedata import normalize

from pydantic import JsonValue

from ledger.studies.results import ResultRow
from ledger.studies.scores import Outcome
from protocols.answer_text import UNSPACED, normalised
from protocols.answers import AnswerForm, read_answer
from protocols.json_in_text import TooManyAttemptsError, read_objects
from protocols.text_files import compile_patterns
from studies.comparison.scoring import LabelRule, is_same_answer, read_label, score_row
from studies.scores.scorers import AnswerScorer, F1Scorer, JsonScorer, RegexScorer

_WORD = re.compile(rf"(?=\w)[{UNSPACED}]|{compile_patterns('protocols', 'answers')['word'].pattern}")
_NUMBER = re.compile(r"\s*[-+−]?[\d.,]+(?:[eE][-+]?\d+)?\s*")
_LONGEST = 200_000
"""Characters of a verdict that are looked through, from its end."""
_NO_LABEL = "the row has no label"
_NO_VERDICT = "the deliberation has no verdict"


class Finding(NamedTuple):
    """The result of a scorer that computes."""

    outcome: Outcome
    value: float | None = None
    label: str | None = None
    correct: bool | None = None
    reason: str = ""
    details: Mapping[str, JsonValue] = {}

    @classmethod
    def right(cls, *, is_right: bool, label: str | None, expected: str | None = None) -> "Finding":
        """Return a finding of right or wrong; ``expected`` is one right answer."""
        details: Mapping[str, JsonValue] = {} if expected is None else {"expected": expected}
        return cls("scored", float(is_right), label, is_right, details=details)


UNLABELLED = Finding("unlabelled", reason=_NO_LABEL)


def unanswered(reason: str = _NO_VERDICT, *, is_labelled: bool = True) -> Finding:
    """Return the finding without an answer: with a label it is wrong, and its value stays unknown."""
    return Finding("unanswered", correct=False if is_labelled else None, reason=reason)


def find_answer(scorer: AnswerScorer, row: ResultRow, accepted: Sequence[str]) -> Finding:
    """Read the final answer and compare it with every accepted one."""
    expected = [_canonical(one, scorer) for one in accepted or ("",)]
    labelled = [score_row(row.model_copy(update={"expected": one}), scorer.rule) for one in expected]
    answer = labelled[0].answer
    if answer is None and row.verdict is not None and scorer.read != "flagged":
        name = _by_alias(row.verdict, scorer)
        answer = name and normalised(row.as_labelled(name))
    labels = [one.expected for one in labelled if one.expected is not None]
    if not labels:
        reason = f"the label {accepted[0][:80]!r} is no answer" if accepted else _NO_LABEL
        return Finding("unlabelled", reason=reason)
    if answer is None:
        missed = unanswered("no answer could be read" if row.verdict is not None else _NO_VERDICT)
        return missed._replace(details={"expected": labels[0]})
    meant = _canonical(answer, scorer)
    is_right = any(_equals(meant, way, scorer) for label in labels for way in _ways(label, scorer))
    return Finding.right(is_right=is_right, label=meant, expected=labels[0])


def _equals(answer: str, label: str, scorer: AnswerScorer) -> bool:
    if is_same_answer(answer, label, scorer.rule):
        return True
    if scorer.read != "number" or not (scorer.tolerance or scorer.within):
        return False
    allowed = max(scorer.tolerance * abs(float(label)), scorer.within)
    return math.isclose(float(answer), float(label), rel_tol=1e-12, abs_tol=allowed)


def _canonical(answer: str, scorer: AnswerScorer) -> str:
    """Return the answer that ``answer`` is an alias of, as answers are compared; or itself."""
    known = {normalised(alias): normalised(name) for name, aliases in scorer.aliases.items() for alias in aliases}
    return known.get(normalised(answer), answer)


def _ways(label: str, scorer: AnswerScorer) -> list[str]:
    """Return the label and, where it is looked for in a text, its aliases."""
    named = {normalised(name): aliases for name, aliases in scorer.aliases.items()}
    return [label, *map(normalised, named.get(label, ()) if scorer.read == "contains" else ())]


def _by_alias(verdict: str, scorer: AnswerScorer) -> str | None:
    """Return the answer whose alias is the final answer of ``verdict``; ``None`` when none is."""
    said = read_answer(verdict, AnswerForm(kind="exact"))
    name = None if said is None else _canonical(said, scorer)
    return None if name == said else name


def find_pattern(scorer: RegexScorer, row: ResultRow, accepted: Sequence[str]) -> Finding:
    """Look for the regular expression, with each accepted answer in the place of ``{label}``."""
    needs_label = "{label}" in scorer.pattern
    if needs_label and not accepted:
        return UNLABELLED
    if row.verdict is None:
        return unanswered()
    flags = re.MULTILINE | (re.IGNORECASE if scorer.ignore_case else 0)
    for label in accepted if needs_label else [""]:
        pattern = scorer.pattern.replace("{label}", re.escape(label))
        found = re.search(normalize("NFC", pattern), normalize("NFC", row.verdict[-_LONGEST:]), flags)
        if found:
            return Finding.right(is_right=True, label=found[0][:200])
    return Finding.right(is_right=False, label=None)


def find_overlap(_: F1Scorer, row: ResultRow, accepted: Sequence[str]) -> Finding:
    """Compare the words of the answer with those of each accepted one, and take the highest F1."""
    if not accepted:
        return UNLABELLED
    if row.verdict is None:
        return unanswered(is_labelled=False)
    said = read_answer(row.verdict, AnswerForm()) or row.verdict
    return Finding("scored", max(f1_of(said, one) for one in accepted), label=said[:200])


def f1_of(answer: str, label: str) -> float:
    """Return the F1 of the words of ``answer`` and ``label``: capitals and punctuation do not count, repeats do."""
    ours, theirs = (Counter(_WORD.findall(normalised(text[-_LONGEST:]))) for text in (answer, label))
    if not ours or not theirs:
        return float(ours == theirs)
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def find_field(scorer: JsonScorer, row: ResultRow, accepted: Sequence[str]) -> Finding:
    """Read one field of the last JSON object of the verdict that has it, and compare it with every accepted answer."""
    if not accepted:
        return UNLABELLED
    if row.verdict is None:
        return unanswered()
    names, values = scorer.field.split("."), list[JsonValue]()
    with suppress(TooManyAttemptsError):
        values.extend(read_objects(row.verdict[-_LONGEST:], lambda found: [_at(found.value, names)], lambda _: False))
    said = next((_text(value) for value in reversed(values) if value is not None), None)
    if said is None:
        return unanswered(f"the verdict has no JSON object with {scorer.field!r}")
    return Finding.right(is_right=any(_same_value(said, one) for one in accepted), label=said[:200])


def _at(value: JsonValue, names: Sequence[str]) -> JsonValue:
    for name in names:
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _same_value(said: str, label: str) -> bool:
    if _NUMBER.fullmatch(said) and _NUMBER.fullmatch(label):
        rule = LabelRule(read="number")
        ours, theirs = read_label(said, rule), read_label(label, rule)
        if ours is not None and theirs is not None:
            return is_same_answer(ours, theirs, rule)
    with suppress(ValueError, RecursionError):
        label = _text(json.loads(label))
    return normalised(said) == normalised(label)


_FINDERS: Mapping[type[Any], Callable[[Any, ResultRow, Sequence[str]], Finding]] = {
    AnswerScorer: find_answer,
    RegexScorer: find_pattern,
    F1Scorer: find_overlap,
    JsonScorer: find_field,
}


def find(scorer: Any, row: ResultRow, accepted: Sequence[str]) -> Finding:
    """Score one deliberation with a scorer that computes.

    Args:
        scorer: One of the scorers above.
        row: The deliberation.
        accepted: The answers that are right for its row, as the label and the scorer's file have them.
    """
    return _FINDERS[type(scorer)](scorer, row, accepted)
