"""A study's rows as they stream by: what the pages need of each, and no more.

A study may have a hundred thousand deliberations with results of a megabyte; of each there stays a line of the table
and the numbers of the drawings, and of those that are listed a transcript.
"""

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from ledger.studies.results import ResultRow
from protocols.consensus.model import ConsensusResult
from protocols.council.model import CouncilResult
from protocols.debate.model.io import DebateResult
from protocols.deliberation import DeliberationResult
from protocols.fire_circle.io import FireCircleResult
from protocols.visible_text import one_line
from report.figures import short
from report.plots.curves import Values
from report.read_results import read_result
from report.transcripts import OpenedDeliberation, open_deliberation
from studies.comparison.rows import LabelRule
from studies.comparison.scoring import ScoredRow, score_row

MOST_LISTED = 1_000
"""Deliberations in the table; the rest are in the drawings and the comparison, and in the export."""

_SHORT = 90
_COPIED = ("number", "deliberation_id", "row_id", "arm", "repeat", "stop_reason", "tokens", "seconds", "ended_at")


class TableRow(NamedTuple):
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
    """``completed``, ``degraded``, ``failed``, ``missing`` or ``open``."""
    stop_reason: str
    tokens: int
    usd: float | None
    seconds: float | None
    ended_at: datetime | None


class StudyData:
    """The data of a study collected so far; ``take`` adds one row."""

    def __init__(self, rule: LabelRule | None = None) -> None:
        self._rule = rule
        self.lines: list[TableRow] = []
        self.marks: list[ScoredRow] = []
        """What the comparison needs of every line."""
        self.opened: list[OpenedDeliberation] = []
        """Of the first ``MOST_LISTED`` lines, in their order."""
        self.protocols: dict[str, str] = {}
        """Arm to protocol, in order of appearance."""
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
        self.ended += row.status != "open"
        self.rehearsals += row.rehearsal and row.status != "open"
        mark, read = score_row(row, self._rule), read_result(row)
        self.marks.append(mark)
        self.lines.append(_line(row, mark))
        self.is_labelled = self.is_labelled or row.expected is not None
        if len(self.opened) < MOST_LISTED:
            self.opened.append(open_deliberation(read))
        if read.result is not None:
            self._measure(row, read.result)

    def _measure(self, row: ResultRow, result: DeliberationResult) -> None:
        if course := values_by_round(result):
            self.courses[row.arm, (row.expected or "") if isinstance(result, FireCircleResult) else ""].append(course)
        if isinstance(result, ConsensusResult) and result.consensus_achieved:
            self.rounds[row.arm].append(len(result.rounds))
        if isinstance(result, CouncilResult) and result.tally is not None:
            self.agreements[row.arm] += [] if result.tally.agreement is None else [result.tally.agreement]
            for one in result.tally.standings:
                self.places[short(one.model), one.place] += 1

    @property
    def is_rehearsal(self) -> bool:
        """True where scripted models answered in all ended deliberations, so no cost was paid."""
        return bool(self.ended) and self.rehearsals == self.ended

    @property
    def arms(self) -> list[str]:
        """The arms by name, which fixes their colours."""
        return sorted(self.protocols)


def values_by_round(result: DeliberationResult) -> Values:
    """Return the measure of a protocol that changes from round to round.

    Of a fire circle the highest falsehood, of a consensus the share of speakers that accept, of a debate the mean
    confidence; an opinion that was not obtained does not accept.
    """
    match result:
        case FireCircleResult():
            return [max((one.falsehood for one in held.evaluations), default=None) for held in result.dialogue_history]
        case ConsensusResult():
            return [one.accepts / max(len(one.opinions), 1) for one in result.rounds]
        case DebateResult():
            return [held.measures.mean_confidence for held in result.rounds]
        case _:
            return ()


def _line(row: ResultRow, entry: ScoredRow) -> TableRow:
    return TableRow(
        question=one_line(row.question, width=_SHORT),
        answer=one_line(entry.answer or row.verdict or "", width=_SHORT),
        expected=one_line(row.expected or "", width=_SHORT),
        correct=None if entry.expected is None else entry.correct,
        outcome="degraded" if row.status == "completed" and row.degraded else row.status,
        usd=row.cost_usd,
        **{name: getattr(row, name) for name in _COPIED},
    )
