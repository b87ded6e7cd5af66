"""Scores as the ledger takes them, with scorer and version."""

from collections.abc import Mapping
from importlib import metadata
from typing import Any, NamedTuple

from ledger.studies.reading import StudyReader
from ledger.studies.results import ResultRow
from ledger.studies.scores import Score
from parley.errors import RequestError
from runtime.distribution import DISTRIBUTION
from runtime.settings import Settings
from studies.scores.answer_scorers import Finding

_LONGEST_REASON = 500


class Scored(NamedTuple):
    """The scorer of some scores."""

    scorer: str
    kind: str
    fingerprint: str
    """SHA-256, 64 hex digits."""
    over_repeats: str | None = None
    """The aggregation of the repeats of a row, where its table names one."""


async def ended_rows(settings: Settings, study: str, *, whole: bool = False) -> list[ResultRow]:
    """Return the deliberations of ``study`` that have ended, in a fixed order.

    Raises:
        RequestError: there is no such study.
        StoreError: the ledger cannot be read.
    """
    async with StudyReader(settings.database_url) as reader:
        if await reader.known(study) is None:
            raise RequestError(f"the ledger has no study {study!r}; parley batch list shows those it has")
        return [row async for row in reader.every(study, whole=whole) if row.status != "open"]


def score_of(by: Scored, deliberation_id: str, found: Finding, details: Mapping[str, Any] | None = None) -> Score:
    """Return the score that ``found`` is of one deliberation."""
    return Score(
        scorer=by.scorer,
        kind=by.kind,
        fingerprint=by.fingerprint,
        deliberation_id=deliberation_id,
        outcome=found.outcome,
        value=found.value,
        label=found.label,
        correct=found.correct,
        reason=found.reason[:_LONGEST_REASON],
        details={**found.details, **(details or {}), **({"over_repeats": by.over_repeats} if by.over_repeats else {})},
        version=metadata.version(DISTRIBUTION),
    )
