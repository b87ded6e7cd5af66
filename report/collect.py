"""A study's rows as they stream by: what the pages need of each, and no more.

A study may have a hundred thousand deliberations with results of a megabyte; of each there stays a line of the table
and the numbers of the drawings, and of those that are listed a transcript.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ledger.studies.results import ResultRow
from protocols.visible_text import one_line
from report.leaves import Leaf
from report.plots.curves import Values
from report.protocols import circle, consensus, council, debate
from report.transcripts import Opened, opened
from studies.comparison.rows import LabelRule
from studies.comparison.scoring import Entry, marked

MOST_LISTED = 1_000
"""Deliberations in the table; the rest are in the drawings and the comparison, and in the export."""

_COURSES = {"fire_circle": circle.highest, "consensus": consensus.accepting, "debate": debate.confident}
"""Protocol to what moves in it from round to round."""

_SHORT = 90


class Line(NamedTuple):
    """One deliberation in the table."""

    number: int
    deliberation_id: str
    row_id: str
    arm: str
    repeat: int
    question: str
    answer: str
    """As read by the study's rule, else the beginning of the verdict; empty when there is none."""
    expected: str
    correct: bool | None
    """``None`` without a label."""
    outcome: str
    """``held``, ``degraded``, ``failed``, ``lost`` or ``open``."""
    stop_reason: str
    tokens: int
    usd: float | None
    seconds: float | None
    ended_at: datetime | None


class Gathered:
    """What was seen of a study so far; ``take`` one row after another."""

    def __init__(self, rule: LabelRule | None = None) -> None:
        self._rule = rule
        self.lines: list[Line] = []
        self.marks: list[Entry] = []
        """What the comparison needs of every line."""
        self.opened: list[Opened] = []
        """Of the first ``MOST_LISTED`` lines, in their order."""
        self.protocols: dict[str, str] = {}
        """Arm to protocol, in the order in which they came."""
        self.rounds: defaultdict[str, list[int]] = defaultdict(list)
        """Arm to the rounds that a consensus took."""
        self.courses: defaultdict[tuple[str, str], list[Values]] = defaultdict(list)
        """Arm and label to how each deliberation went, round by round."""
        self.agreements: defaultdict[str, list[float]] = defaultdict(list)
        """Arm of councils to Kendall's W of each."""
        self.places: defaultdict[tuple[str, int], int] = defaultdict(int)
        """Model and place to how many councils put it there."""
        self.rehearsals = 0
        """Of those that ended."""
        self.ended = 0
        self.is_labelled = False

    def take(self, row: ResultRow) -> None:
        """Note one deliberation; its result is needed for the drawings and the transcript, not for the table."""
        self.protocols.setdefault(row.arm, row.protocol)
        self.ended += row.standing != "open"
        self.rehearsals += row.rehearsal and row.standing != "open"
        mark = marked(row, self._rule)
        self.marks.append(mark)
        self.lines.append(_line(row, mark))
        self.is_labelled = self.is_labelled or row.expected is not None
        if len(self.opened) < MOST_LISTED:
            self.opened.append(opened(row.question, row.verdict, row.result))
        self._measure(row, Leaf(row.result))

    def _measure(self, row: ResultRow, result: Leaf) -> None:
        course = _COURSES.get(row.protocol)
        if course is not None and (values := course(result)):
            self.courses[row.arm, (row.expected or "") if row.protocol == "fire_circle" else ""].append(values)
        if row.protocol == "consensus" and (held := consensus.rounds(result)) is not None:
            self.rounds[row.arm].append(held)
        if row.protocol == "council":
            agreement = result.number("tally", "agreement")
            self.agreements[row.arm] += [] if agreement is None else [agreement]
            for model, place in council.places(result):
                self.places[model, place] += 1

    @property
    def is_rehearsal(self) -> bool:
        """Whether scripted models answered in all of them, so that no cost was paid."""
        return bool(self.ended) and self.rehearsals == self.ended

    @property
    def arms(self) -> list[str]:
        """The arms by name, which fixes their colours."""
        return sorted(self.protocols)


def gathered(rows: Iterable[ResultRow], rule: LabelRule | None = None) -> Gathered:
    """Note all ``rows``; ``rule`` says how their answers are read and marked."""
    found = Gathered(rule)
    for row in rows:
        found.take(row)
    return found


def _line(row: ResultRow, entry: Entry) -> Line:
    return Line(
        number=row.number,
        deliberation_id=row.deliberation_id,
        row_id=row.row_id,
        arm=row.arm,
        repeat=row.repeat,
        question=one_line(row.question, width=_SHORT),
        answer=one_line(entry.answer or row.verdict or "", width=_SHORT),
        expected=one_line(row.expected or "", width=_SHORT),
        correct=None if entry.expected is None else entry.correct,
        outcome="degraded" if row.standing == "held" and row.degraded else row.standing,
        stop_reason=row.stop_reason,
        tokens=row.tokens,
        usd=row.cost_usd,
        seconds=row.seconds,
        ended_at=row.ended_at,
    )
