"""A study's rows as they stream by: what the pages need of each, and no more.

A study may have a hundred thousand deliberations with results of a megabyte; of each there stays a line of the table
and the numbers of the drawings, and of those that are listed a transcript.
"""

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from ledger.studies.results import ResultRow
from protocols.tables import CurveStyle, StudyFigures
from protocols.visible_text import one_line
from report.plots.curves import Values
from report.plots.timeline import OUTCOMES, Ended
from report.read_results import read_result
from report.transcripts import OpenedDeliberation, open_deliberation
from studies.comparison.scoring import LabelRule, ScoredRow, score_row

MOST_LISTED = 1_000
"""Deliberations in the table; the rest are in the drawings and the comparison, and in the export."""

_SHORT = 90
"""Characters of a question or verdict in the table."""


class ListedRow(NamedTuple):
    """One deliberation in the table: its row, with shortened texts and without its result, and how it was scored."""

    row: ResultRow
    scored: ScoredRow


class StudyData:
    """The data of a study collected so far; ``take`` adds one row."""

    def __init__(self, rule: LabelRule | None = None) -> None:
        self._rule = rule
        self.listed: list[ListedRow] = []
        """The first ``MOST_LISTED`` deliberations."""
        self.questions: dict[str, str] = {}
        """Row id to the beginning of its question."""
        self.marks: list[ScoredRow] = []
        """What the comparison needs of every deliberation."""
        self.ends: list[Ended] = []
        """Of the deliberations that ended."""
        self.opened: list[OpenedDeliberation] = []
        """Of those that are listed, in their order."""
        self.protocols: dict[str, str] = {}
        """Arm to protocol, in order of appearance."""
        self.rounds: defaultdict[str, list[int]] = defaultdict(list)
        """Arm to the rounds that each consensus took."""
        self.curves: defaultdict[CurveStyle, defaultdict[tuple[str, str], list[Values]]] = defaultdict(
            lambda: defaultdict(list)
        )
        """By arm, and by label where the style asks for it, how each deliberation went, round by round."""
        self.agreements: defaultdict[str, list[float]] = defaultdict(list)
        """Arm to Kendall's W of each ranking."""
        self.places: defaultdict[tuple[str, int], int] = defaultdict(int)
        """Model and place to how many rankings put it there."""
        self.starts: list[datetime] = []
        self.models: set[str] = set()
        """Of all seats, the chair's too, as ``provider:model``."""
        self.substitutes: set[str] = set()
        """Those that answered and were in no seat at the beginning: fallbacks, and models that replaced one."""
        self.versions: set[tuple[str, str, str, str]] = set()
        """Parley, protocol, its version and its prompts, of the deliberations that ended."""
        self.rehearsals = 0
        """Of those that ended."""
        self.ended = 0
        self.is_labelled = False

    def take(self, row: ResultRow) -> None:
        """Note one deliberation; its result is needed for the drawings and the transcript, not for the table."""
        self.protocols.setdefault(row.arm, row.protocol)
        self.questions.setdefault(row.row_id, one_line(row.question, width=_SHORT))
        self.ended += row.status != "open"
        self.rehearsals += row.rehearsal and row.status != "open"
        scored, read = score_row(row, self._rule), read_result(row)
        self.marks.append(scored)
        self.is_labelled = self.is_labelled or row.expected is not None
        self.models.update(row.seated)
        self.substitutes.update(read.substitutes)
        if row.started_at is not None:
            self.starts.append(row.started_at)
            self.versions.add((row.version, row.protocol, row.protocol_version, row.prompts))
        if row.ended_at is not None and row.outcome in OUTCOMES:
            self.ends.append(Ended(row.ended_at, row.outcome))
        if len(self.listed) < MOST_LISTED:
            answer = self._rule.spelled(scored.answer) if self._rule else scored.answer
            self.listed.append(ListedRow(_without_texts(row), scored._replace(answer=answer)))
            self.opened.append(open_deliberation(read))
        self._measure(row, read.view.figures)

    def _measure(self, row: ResultRow, figures: StudyFigures) -> None:
        if figures.curve is not None and figures.curve.values:
            values, style = figures.curve
            self.curves[style][row.arm, (row.expected or "") if style.by_label else ""].append(values)
        if figures.rounds_to_consensus is not None:
            self.rounds[row.arm].append(figures.rounds_to_consensus)
        if figures.agreement is not None:
            self.agreements[row.arm].append(figures.agreement)
        for model, place in figures.places:
            self.places[model, place] += 1

    @property
    def is_rehearsal(self) -> bool:
        """True where scripted models answered in all ended deliberations, so no cost was paid."""
        return bool(self.ended) and self.rehearsals == self.ended

    @property
    def arms(self) -> list[str]:
        """The arms by name, which fixes their colours."""
        return sorted(self.protocols)


def _without_texts(row: ResultRow) -> ResultRow:
    """Return ``row`` with the beginnings of its texts: results and verdicts of a thousand rows may be a gigabyte."""
    kept: dict[str, object] = {"question": one_line(row.question, width=_SHORT), "result": None, "extra": {}}
    if row.verdict is not None:
        kept["verdict"] = one_line(row.verdict, width=_SHORT)
    return row.model_copy(update=kept)
