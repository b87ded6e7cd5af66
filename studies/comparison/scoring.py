"""Scoring of one deliberation: its answer, read by the rule of the study's labels and compared with the label."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, TypeVar

from pydantic import ValidationError, model_validator

from ledger.studies.results import ResultRow, ResultStatus
from ledger.studies.scores import Score
from parley.errors import RequestError
from protocols.answer_text import GROUPS, UNSPACED, normalised
from protocols.answers import AnswerForm, read_answer, read_cut
from protocols.constraints import quoted, sentence_of
from protocols.fire_circle.flagging import Threshold, is_flagged
from protocols.flaws import FlawKind
from protocols.model_call import FrozenModel

Key = TypeVar("Key")
Item = TypeVar("Item")

ReadKind = Literal["choice", "number", "exact", "contains", "yes_no", "flagged"]
"""How an answer is read and compared with its label; ``flagged`` reads a falsehood, the others read text."""


class LabelRule(FrozenModel):
    """The table ``[label]`` of a study file: how answers are read."""

    read: ReadKind = "exact"
    choices: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    """Of ``number``: the lowest and the highest one; a number outside is no answer."""
    threshold: float = Threshold
    """Of ``flagged``: a falsehood that reaches it is a flag."""

    @model_validator(mode="after")
    def _has_a_form(self) -> Self:
        _ = self.form
        return self

    @cached_property
    def form(self) -> AnswerForm:
        """The form in which answers are read; flags are read from scores and need none."""
        if self.read == "flagged":
            return AnswerForm()
        return AnswerForm(kind=self.read, choices=self.choices if self.read == "choice" else (), scale=self.scale)

    @property
    def is_binary(self) -> bool:
        """True if there is a positive answer, so that precision and recall have a meaning."""
        return self.read in {"yes_no", "flagged"}

    def spelled(self, answer: str | None) -> str | None:
        """Return ``answer`` as it was asked for: a choice with its capitals, as the labels have it."""
        return next((choice for choice in self.choices if normalised(choice) == answer), answer)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self | None:
        """Return the rule in a study's content, or ``None`` when its dataset has no labels.

        Raises:
            RequestError: the content's rule cannot be read.
        """
        label = content.get("label")
        if not isinstance(label, Mapping):
            return None
        known = {name: label[name] for name in cls.model_fields if label.get(name) is not None}
        try:
            return cls.model_validate(known)
        except ValidationError as error:
            wrong = error.errors()[0]
            place = ".".join(("label", *map(str, wrong["loc"])))
            raise RequestError(
                f"the study's {place} is {wrong['input']!r}, which cannot be read: {sentence_of(wrong)}; "
                "compare it with the version of parley that began the study"
            ) from None


_TOLERANCE = 1e-9
"""Relative, between two numbers that are the same answer and not both whole."""

_BEFORE_WORD = rf"(?:(?=[{UNSPACED}])|(?<![^\W{UNSPACED}])(?<!\d[.,](?=\d))(?<![\s(\[=:$€][-–](?=\d))(?<!^[-–](?=\d)))"
_BEHIND_WORD = rf"(?:(?<=[{UNSPACED}])|(?![^\W{UNSPACED}]|(?<=\d)[.,]\d))"
"""Around a contained label, which is no part of a longer word or number."""

_SAID = frozenset({"scored", "unlabelled"})
"""The outcomes of a scorer that had nothing left to read."""

YES, NO = "yes", "no"
"""The positive and the negative answer, of ``yes_no`` and of ``flagged``."""
OF_YES = ("precision", "recall", "specificity", "f1")
"""Their metrics."""

FLAGS = dict.fromkeys(("true", "1", "yes", "attack", "unsafe"), YES) | dict.fromkeys(
    ("false", "0", "no", "benign", "safe"), NO
)
"""How labels say whether something is to be found in a prompt."""


class ScoredRow(NamedTuple):
    """The values of a deliberation that a comparison keeps: no text but the answer."""

    deliberation_id: str
    row_id: str
    arm: str
    repeat: int
    protocol: str
    status: ResultStatus
    degraded: bool
    flaws: Mapping[FlawKind, int]
    stop_reason: str
    answer: str | None
    """As read; ``None``: no verdict, unreadable, or there is no rule to read by."""
    expected: str | None
    """The label as read; ``None``: there is none, or it is unreadable."""
    label_unreadable: bool
    correct: bool
    """Never without a label."""
    calls: int
    tokens: int
    cost_usd: float | None
    calls_of_unknown_cost: int
    calls_of_unknown_tokens: int
    unanswered_requests: int
    seconds: float | None
    scores: Mapping[str, float]
    rehearsal: bool
    unread: bool
    """No answer could be read, or a scorer gave it no score; never where there is nothing to read or compare."""

    @property
    def is_completed(self) -> bool:
        """True if it ended with a verdict."""
        return self.status == "completed"


_COPIED = frozenset(ScoredRow._fields) - {"answer", "expected", "label_unreadable", "correct", "unread"}
"""The fields of a result that a comparison takes as they are."""


def grouped(items: Iterable[Item], by: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return ``items`` by what ``by`` returns of each, in their order."""
    found: defaultdict[Key, list[Item]] = defaultdict(list)
    for one in items:
        found[by(one)].append(one)
    return dict(found)


def score_row(row: ResultRow, rule: LabelRule | None) -> ScoredRow:
    """Read the answer and the label of ``row`` by ``rule``, and compare them."""
    answer = _answer(row, rule)
    if answer is not None and row.shown_options:
        answer = normalised(row.as_labelled(answer))
    label = (row.expected or "").strip()
    expected = _label(label, rule) if label and rule is not None else None
    is_correct = False
    if rule is not None and answer is not None and expected is not None:
        is_correct = is_same_answer(answer, expected, rule)
    return ScoredRow(
        answer=answer,
        expected=expected,
        label_unreadable=bool(label) and rule is not None and expected is None,
        correct=is_correct,
        unread=rule is not None and answer is None,
        **{name: getattr(row, name) for name in _COPIED},
    )


def check_scorers(study: str, asked: Iterable[str], known: Collection[str]) -> None:
    """Check that every scorer in ``asked`` is among the ``known`` ones of ``study``.

    Raises:
        RequestError: one is not.
    """
    if unknown := next((name for name in asked if name not in known), None):
        remedy = (
            f"those that have are {', '.join(known)}" if known else f"score it with: parley score {study} --with FILE"
        )
        raise RequestError(f"no scorer {quoted(unknown)} has scored {study!r}; {remedy}")


def named_repeats(scores: Iterable[Score]) -> str | None:
    """Return the aggregation of repeats that the table of the scorer of ``scores`` names."""
    return next((str(way) for one in scores if (way := one.details.get("over_repeats"))), None)


def apply_scores(rows: Sequence[ScoredRow], scores: Iterable[Score], scorer: str) -> list[ScoredRow]:
    """Return ``rows`` with what ``scorer`` said in place of the study's own label.

    Its value is a measure under its name, and no protocol's. Accuracy counts right and wrong; no score is no label.
    """
    said = {one.deliberation_id: one for one in scores}
    is_of_pairs = any(one.kind == "pairwise" for one in said.values())
    # What is in no pair was not to be compared: its arm is left out, or the row has no other answer.
    return [_with_score(row, said.get(row.deliberation_id), scorer, is_due=not is_of_pairs) for row in rows]


def _with_score(row: ScoredRow, score: Score | None, scorer: str, *, is_due: bool) -> ScoredRow:
    unread = is_due if score is None else score.outcome not in _SAID
    own = {name: value for name, value in row.scores.items() if name != scorer}
    plain = row._replace(answer=None, expected=None, label_unreadable=False, correct=False, unread=unread, scores=own)
    if score is None:
        return plain
    answer = score.label or {True: "right", False: "wrong", None: None}[score.correct]
    scored = plain._replace(
        answer=answer if score.outcome == "scored" else None,
        scores=own if score.value is None else {**own, scorer: score.value},
    )
    if score.correct is None:
        return scored
    expected = score.details.get("expected")
    return scored._replace(expected=expected if isinstance(expected, str) else "right", correct=score.correct)


def label_of(rows: Iterable[ScoredRow]) -> dict[str, str]:
    """Return the label table that fits answers of a scorer: yes and no have precision and recall."""
    said = {word for row in rows for word in (row.answer, row.expected) if word is not None}
    return {"read": "yes_no" if said and said <= {YES, NO} else "exact"}


def is_same_answer(answer: str, expected: str, rule: LabelRule) -> bool:
    """Return whether the answer equals the label, both as read by ``rule``."""
    if rule.read == "number":
        is_whole = "." not in answer and "." not in expected
        return answer == expected if is_whole else math.isclose(float(answer), float(expected), rel_tol=_TOLERANCE)
    if rule.read == "contains":
        answer, expected = (GROUPS.sub("", text) for text in (answer, expected))
        return re.search(_BEFORE_WORD + re.escape(expected) + _BEHIND_WORD, answer) is not None
    return answer == expected


def _answer(row: ResultRow, rule: LabelRule | None) -> str | None:
    """Return the protocol's own answer where it has one, else the answer read from the verdict."""
    if row.verdict is None:
        return None
    if rule is not None and rule.read == "flagged":
        falsehood = row.scores.get("falsehood")
        return None if falsehood is None else (YES if is_flagged(falsehood, rule.threshold) else NO)
    answer = row.votes.get("answer")
    own = answer if isinstance(answer, str) else None
    if rule is None:
        return None if own is None else normalised(own) or None
    read = None if own is None else _comparable(read_answer(_as_final(own), rule.form), rule)
    read_verdict = read_cut if row.partial and "cut" in row.flaws else read_answer
    return read if read is not None else _comparable(read_verdict(row.verdict, rule.form), rule)


def _label(label: str, rule: LabelRule) -> str | None:
    """Return the label as answers are compared; a word of ``FLAGS`` has its meaning there."""
    flag = FLAGS.get(label.casefold().removesuffix(".0")) if rule.is_binary else None
    return flag if flag or rule.read == "flagged" else _comparable(read_label(label, rule), rule)


def read_label(label: str, rule: LabelRule) -> str | None:
    """Return the answer that equals ``label``, as it is read of a reply; of a solution, its last result."""
    result = label.rpartition("####")[2] if rule.read == "number" else label
    is_boxed = rule.read in {"number", "choice"} and "\\boxed" in result
    return read_answer(result if is_boxed else _as_final(result), rule.form)


def _as_final(text: str) -> str:
    return f"FINAL ANSWER: {' '.join(text.split())}"


def _comparable(found: str | None, rule: LabelRule) -> str | None:
    if found is None:
        return None
    return _number(found) if rule.read == "number" else normalised(found) or None


def _number(digits: str) -> str | None:
    """Return the number in one spelling for all equal ones, so that they count as the same answer.

    Whole numbers are equal when all of their digits are.
    """
    if "." not in digits:
        return digits
    value = float(digits)
    return f"{value + 0.0:.10g}" if math.isfinite(value) else None
