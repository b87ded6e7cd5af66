"""Numbers of one result, which the report of a study draws over all its deliberations."""

from collections.abc import Sequence
from typing import NamedTuple

from protocols.model_call import ModelId


class CurveStyle(NamedTuple):
    """The drawing of a number of each round; protocols with the same ``title`` share one."""

    title: str
    measure: str
    """What the numbers are, beside the name of the arm."""
    scale: str = "0 to 1"
    note: str = ""
    """What the reader must know of the numbers."""
    by_label: bool = False
    """Whether deliberations with different labels are drawn apart."""
    stays_at_one: bool = False
    """Whether a curve that ended at 1 continues there: else the mean would cover only the others."""


class Curve(NamedTuple):
    """A number from 0 to 1 for each round."""

    values: Sequence[float | None]
    style: CurveStyle


class StudyFigures(NamedTuple):
    """The numbers of a result for the drawings of its study; a protocol fills in those it has."""

    curve: Curve | None = None
    rounds_to_consensus: int | None = None
    """``None`` without a consensus."""
    agreement: float | None = None
    """Kendall's W of the ballots."""
    places: tuple[tuple[ModelId, int], ...] = ()
    """Each ranked model and its place in the final order."""


NO_FIGURES = StudyFigures()
