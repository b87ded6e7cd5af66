"""The result of a row of the ledger, read by its protocol."""

from typing import NamedTuple

from pydantic import ValidationError

from ledger.studies.results import ResultRow
from parley.results import parse_result, view_of
from protocols.branch import Origin
from protocols.deliberation import DeliberationResult
from protocols.model_call import ModelId
from protocols.tables import ResultView
from protocols.transcript import Transcript

_NOTHING = ResultView(tables=(), author="", utterances=())


class ReadResult(NamedTuple):
    """A row with its result and what is shown of it."""

    row: ResultRow
    result: DeliberationResult | None
    """``None`` where there is none, or where this version cannot read it."""
    view: ResultView

    @property
    def origin(self) -> Origin | None:
        """The deliberation that it is a branch of, if it is a branch."""
        origin: Origin | None = getattr(self.result, "branch", None)
        return origin

    @property
    def substitutes(self) -> set[ModelId]:
        """The models that answered and had no seat at the beginning."""
        said: Transcript | None = getattr(self.result, "transcript", None)
        seated = {seat["model"] for seat in self.row.seats}
        return {turn.model for turn in said.turns} - seated if said and seated else set()


def read_result(row: ResultRow) -> ReadResult:
    """Read the result of ``row``; of a result that another version wrote only the columns of the row are shown."""
    try:
        result = parse_result(row.result) if row.result else None
    except ValidationError:
        result = None
    return ReadResult(row, result, _NOTHING if result is None else view_of(result))
