"""Doubts of a dry run: reasons for which figures may mean less than expected."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from parley.options.answer import AnswerOptions
from parley.options.equal_cost import VoteOptions
from protocols.cost_text import limit
from protocols.final_answer_prompt import requests_answer
from protocols.model_call import ModelId
from studies.definition.column_mapping import StudyRow
from studies.definition.grid import Arm
from studies.definition.study_file import StudyFile


class Doubts:
    """A count of rows with a question that does not ask for the answer's form."""

    def __init__(self, study: StudyFile, arms: tuple[Arm, ...]) -> None:
        self._study = study
        self._arms = arms
        self._asked = next((one.options.form for one in arms if isinstance(one.options, AnswerOptions)), None)
        self._rows = 0
        self._own = 0
        self._unnamed: Counter[str] = Counter()
        self._first_line = 0

    def count(self, row: StudyRow) -> None:
        """Look at the question of ``row``."""
        self._rows += 1
        if self._asked is None:
            return
        self._own += requests_answer(row.question, self._asked)
        words = {choice: rf"(?<!\w){re.escape(choice)}(?!\w)" for choice in self._asked.choices}
        if unnamed := [choice for choice, word in words.items() if not re.search(word, row.question, re.IGNORECASE)]:
            self._unnamed.update(unnamed)
            self._first_line = self._first_line or row.line

    def sentences(self, unpriced: Sequence[ModelId]) -> tuple[str, ...]:
        """Return the doubts, each with its remedy; no price is known of the models in ``unpriced``."""
        return (*self._of_form(), *self._of_flags(), *self._of_seeds(), *self._of_budget(unpriced))

    def _of_form(self) -> Iterator[str]:
        if self._asked is None:
            return
        if 0 < self._own < self._rows:
            yield (
                f"{self._own:,} of {self._rows:,} questions ask for a last line themselves and the others are asked "
                "for it in Parley's words; let one template ask for it in all of them"
            )
        if self._unnamed:
            names = ", ".join(choice for choice in self._asked.choices if choice in self._unnamed)
            yield (
                f"up to {max(self._unnamed.values()):,} of {self._rows:,} questions, first in line {self._first_line}, "
                f"do not name {names}, which [label] reads as a choice; show the choices in [dataset] template"
            )

    def _of_flags(self) -> Iterator[str]:
        if self._study.reading is None or self._study.reading.read != "flagged":
            return
        for arm in self._arms:
            if isinstance(arm.options, AnswerOptions):
                yield (
                    f'arm {arm.name!r} measures no falsehood, so nothing of it can be read as "flagged" and all of it '
                    "counts as wrong; leave it out, or take fire-circle, parallel, or single with layers"
                )

    def _of_seeds(self) -> Iterator[str]:
        votes = [one for one in self._arms if isinstance(one.options, VoteOptions) and one.options.samples_each > 1]
        sampled = self._arms if self._study.repeats > 1 else votes
        unseeded = [one.name for one in sampled if self._study.seed is None and one.options.seed is None]
        if unseeded:
            yield (
                f"without a seed the samples and repeats of {', '.join(unseeded)} are the same request, which a "
                "gateway with a cache answers once; set seed in the study file if the models take one"
            )

    def _of_budget(self, unpriced: Sequence[ModelId]) -> Iterator[str]:
        cap = self._study.terms.cap
        if unpriced and cap.usd is not None and cap.tokens is None:
            yield (
                f"the budget of {limit(cap.usd)} counts of {', '.join(unpriced)} only costs that its provider reports: "
                "no price is known; limit the tokens too: tokens in [budget], or --budget-tokens"
            )
