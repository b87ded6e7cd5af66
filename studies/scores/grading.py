"""Studies in which models grade: their questions, their rows, and the grades in their results.

A grading is an ordinary study whose rows are the deliberations to grade, so it is as durable, journaled, budgeted and
resumable as any other. Its name is made of what is asked and of which deliberations: the same ones continue it. A
preference is asked in both orders, as two rows.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from ledger.studies.results import ResultRow
from parley import ids
from parley.errors import RequestError
from protocols.answers import AnswerForm, final_answer
from protocols.number_answers import without_ends
from protocols.prompt_pack import nonce_of
from protocols.text_files import read_toml
from studies.comparison.scoring import LabelRule, score_row
from studies.dataset.templates import Template
from studies.definition.files import parse_study
from studies.definition.study_file import StudyFile
from studies.scores.answer_scorers import Finding
from studies.scores.scorer_file import fingerprint_of
from studies.scores.scorers import GradedScorer, GraderTable, PairwiseScorer

ARM = "grader"
"""The only arm of a grading."""

_TEMPLATES: Mapping[str, str] = read_toml(__package__, "templates.toml")
_ORDERS = ("first", "second", "tie")
_CHOICES = LabelRule(read="choice", choices=_ORDERS)
_NUMBER = AnswerForm(kind="number")
_NONE = "(none)"
_NAMED, _DIGITS = 24, 8


class Item(NamedTuple):
    """One thing to grade: a deliberation, or two of one row in one order."""

    id: str
    shown: ResultRow
    other: ResultRow | None = None
    """The one that is shown second."""


def request_fingerprint(scorer: GraderTable, panels: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the questions and the panel of ``scorer``, in hex digits."""
    later = {"right_from": None, "over_repeats": None} if isinstance(scorer, GradedScorer) else {}
    asked = scorer.model_copy(update=later)
    panel = json.dumps(panels.get(scorer.panel or "", {}), sort_keys=True).encode()
    return fingerprint_of(asked, _template(scorer).encode(), panel)


def items_of(scorer: GraderTable, rows: Sequence[ResultRow]) -> list[Item]:
    """Return what ``scorer`` has to grade in ``rows``: those with a verdict, in the order of the study."""
    answered = [row for row in rows if row.verdict is not None]
    if isinstance(scorer, PairwiseScorer):
        return list(_pairs(scorer, answered, {row.arm: None for row in rows}))
    return [Item(row.deliberation_id, row) for row in answered]


def grading_name(study: str, scorer: str, asked: str, items: Iterable[Item], *, rehearse: bool) -> str:
    """Return the name of the grading of these items, the same for the same ones and the same kind of models."""
    named = [study, scorer, asked, sorted(one.id for one in items), *["rehearsal"] * rehearse]
    digest = hashlib.sha256(json.dumps(named).encode())
    return f"{study[:_NAMED].strip('-')}-{ids.slug(scorer)[:_NAMED]}-{digest.hexdigest()[:_DIGITS]}"


def grading_study(
    name: str, scorer: GraderTable, items: Sequence[Item], panels: Mapping[str, Any], dataset: Path, *, rehearse: bool
) -> StudyFile:
    """Write the rows of a grading to ``dataset`` and return its study."""
    with dataset.open("w", encoding="utf-8") as file:
        for one in items:
            line = {"id": one.id, "question": question_of(scorer, one), "arm": one.shown.arm}
            file.write(json.dumps(line, ensure_ascii=True) + "\n")
    raw = {
        "name": name,
        "title": f"Grades by {name}"[:120],
        "window": scorer.window,
        "rehearse": rehearse,
        "budget": scorer.budget.model_dump(exclude_none=True),
        "dataset": {"path": str(dataset), "format": "jsonl", "id": "id", "question": "question", "extra": ("arm",)},
        "panels": dict(panels),
        "arms": [{"name": ARM, "protocol": scorer.protocol, "panel": scorer.panel, "options": scorer.options}],
        "label": _label(scorer),
    }
    return parse_study(raw)


def _label(scorer: GraderTable) -> dict[str, Any]:
    """Return the form of the graders' answers, so that every protocol reads them on the scale."""
    if isinstance(scorer, GradedScorer):
        return {"read": "number", "scale": scorer.scale}
    return {"read": "choice", "choices": _ORDERS}


def question_of(scorer: GraderTable, item: Item) -> str:
    """Return the question to the grader about ``item``, with all model text between marks that it cannot know."""
    row = item.shown
    nonce = nonce_of(row.deliberation_id, item.id)
    fields = {
        "question": _marked(row.question, "question", nonce),
        "reference": _marked(row.shown_expected, "reference", nonce) if row.shown_expected else _NONE,
        "criteria": scorer.criteria,
    }
    if isinstance(scorer, GradedScorer):
        low, high = (f"{end:g}" for end in scorer.scale)
        fields |= {"answer": _marked(row.verdict or "", "answer", nonce), "low": low, "high": high}
    elif item.other is not None:
        fields |= {"first": _marked(row.verdict or "", "first", nonce)}
        fields |= {"second": _marked(item.other.verdict or "", "second", nonce)}
    return Template.of(_template(scorer)).filled(fields).strip()


def read_grade(scorer: GradedScorer, graded: ResultRow) -> Finding:
    """Return the grade in a grader's result; one outside the scale is not read."""
    if graded.verdict is None:
        return Finding("failed", reason=f"the grader gave no verdict ({graded.stop_reason})")
    low, high = scorer.scale
    rule = LabelRule(read="number", scale=scorer.scale)
    said = final_answer(graded.verdict, rule.form) or score_row(graded, rule).answer
    if said is None:
        number = final_answer(without_ends(graded.verdict, high), _NUMBER)
        outside = f"the grade {number} is not on the scale from {low:g} to {high:g}"
        return Finding("unread", reason="the grader's reply has no grade" if number is None else outside)
    value = float(said)
    is_right = None if scorer.right_from is None else value >= scorer.right_from
    return Finding("scored", value, correct=is_right)


def read_preference(graded: ResultRow) -> str | None:
    """Return ``first``, ``second`` or ``tie`` as the grader of one order answered; ``None`` when it gave no answer."""
    return score_row(graded, _CHOICES).answer


def _pairs(scorer: PairwiseScorer, rows: Sequence[ResultRow], arms: Mapping[str, None]) -> Iterator[Item]:
    named = scorer.arms or tuple(arms)
    if unknown := next((arm for arm in (*named, *filter(None, [scorer.against])) if arm not in arms), None):
        raise RequestError(f"the study has no arm {unknown!r}; it has {', '.join(arms)}")
    found = {(row.row_id, row.repeat, row.arm): row for row in rows}
    for row_id, repeat in dict.fromkeys((row.row_id, row.repeat) for row in rows):
        for arm, other in combinations(named, 2):
            ours, theirs = found.get((row_id, repeat, arm)), found.get((row_id, repeat, other))
            if ours is None or theirs is None or (scorer.against and scorer.against not in {arm, other}):
                continue
            yield Item(pair_id(ours, theirs), ours, theirs)
            yield Item(pair_id(theirs, ours), theirs, ours)


def pair_id(first: ResultRow, second: ResultRow) -> str:
    """Return the id of a row in which ``first`` is shown before ``second``."""
    return f"{first.deliberation_id} {second.deliberation_id}"


def _marked(text: str, name: str, nonce: str) -> str:
    """Return ``text`` between marks; they differ from the marks for answers, which a grading council needs."""
    return f'<text name="{name}" nonce="{nonce}">\n{text}\n</text nonce="{nonce}">'


def _template(scorer: GraderTable) -> str:
    kind = "graded" if isinstance(scorer, GradedScorer) else "pairwise"
    return scorer.template or _TEMPLATES[kind]
