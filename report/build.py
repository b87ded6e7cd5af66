"""A report made from the ledger: of a study by its name, or of a deliberation by its id."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ledger.studies.reading import KnownStudy, Progress, StudyReader
from parley.errors import RequestError, UnknownDeliberationError
from protocols.plurals import counted
from report.collect import StudyData
from report.deliberation_page import single_page
from report.read_results import read_result
from report.study import StudyFacts, study_page
from studies.comparison.compare import compare_scored
from studies.comparison.rows import LabelRule


class Report(NamedTuple):
    """A finished report."""

    document: str
    deliberations: int
    rehearsals: int


async def build_report(reader: StudyReader, name: str) -> Report:
    """Return the report of the study or deliberation called ``name``; studies are looked up first.

    Raises:
        RequestError: nothing of the study has ended yet.
        UnknownDeliberationError: there is neither a study nor an ended deliberation of that name.
    """
    study = await reader.known(name)
    if study is not None:
        return await _of_study(reader, study)
    row = await reader.result(name, whole=True)
    if row is None:
        raise UnknownDeliberationError(
            f"the ledger has no study and no deliberation that ended called {name!r}; "
            "parley batch list shows the studies, parley list the deliberations"
        )
    origin = read_result(row).origin
    old = await reader.result(origin.of, whole=True) if origin else None
    return Report(single_page(row, old, await reader.follow_ups(name)), 1, int(row.rehearsal))


async def _of_study(reader: StudyReader, study: KnownStudy) -> Report:
    seen = StudyData(LabelRule.of(study.content))
    async for row in reader.every(study.name, whole=True):
        seen.take(row)
    if not seen.ended:
        raise RequestError(f"nothing of {study.name!r} has ended yet; see: parley batch status {study.name}")
    compared = compare_scored(study.name, seen.marks, study.content)
    about = _about(study, await reader.progress(study.name))
    return Report(study_page(about, seen, compared), seen.ended, seen.rehearsals)


def _about(study: KnownStudy, progress: Progress) -> StudyFacts:
    open_ = f" · {progress.open:,} not ended yet" if progress.open else ""
    missing = f" · {progress.missing:,} missing" if progress.missing else ""
    return StudyFacts(
        name=study.name,
        title=_text(study.content, "title"),
        facts={
            "Planned": f"{counted(progress.total, 'deliberation')}{open_}{missing}",
            "Content": f"fingerprint {study.fingerprint[:12]}",
        },
    )


def _text(content: Mapping[str, Any], name: str) -> str:
    found = content.get(name)
    return found if isinstance(found, str) else ""
