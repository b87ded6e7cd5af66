"""A report made from the ledger: of a study by its name, or of a deliberation by its id."""

from collections.abc import Sequence
from typing import NamedTuple

from ledger.studies.reading import StudyReader
from ledger.studies.scores import ScoreReader
from parley.errors import RequestError, UnknownDeliberationError
from report.deliberation_page import single_page
from report.read_results import read_result
from studies.comparison.scoring import check_scorers


class Report(NamedTuple):
    """A finished report."""

    document: str
    deliberations: int
    rehearsals: int


async def build_report(reader: StudyReader, scores: ScoreReader, name: str, scorers: Sequence[str] = ()) -> Report:
    """Return the report of the study or deliberation called ``name``; studies are looked up first.

    Of a study it has the scores of all scorers, or of those in ``scorers``.

    Raises:
        RequestError: nothing of the study has ended yet, or one of ``scorers`` has not scored it.
        UnknownDeliberationError: there is neither a study nor an ended deliberation of that name.
    """
    study = await reader.known(name)
    if study is not None:
        check_scorers(name, scorers, await scores.scorers(name))
        from report.build_study import build_study_page  # noqa: PLC0415 - it brings scipy

        page, seen = await build_study_page(reader, scores, study, scorers)
        return Report(page, seen.ended, seen.rehearsals)
    row = await reader.result(name, whole=True)
    if row is None:
        raise UnknownDeliberationError(
            f"the ledger has no study and no deliberation that ended called {name!r}; "
            "parley batch list shows the studies, parley list the deliberations"
        )
    if scorers:
        raise RequestError(f"the report of one deliberation has no scores; leave out --score {', '.join(scorers)}")
    origin = read_result(row).origin
    old = await reader.result(origin.of, whole=True) if origin else None
    return Report(single_page(row, old, await reader.follow_ups(name)), 1, int(row.rehearsal))
