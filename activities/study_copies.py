"""The activity that enters a study once more under another name, for a firing of a schedule."""

from typing import Any

from sqlalchemy import Connection, Row, Select, func, select
from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.ledger_errors import StoreActivities, failing_clearly
from activities.studies import MISSING
from ledger.store import packed_json, unpacked_json
from ledger.studies.queries import charges, charges_query
from ledger.study_tables import INSTANCES, STUDIES, STUDY_ARMS, STUDY_ROWS
from protocols.study.model import RunSettings, sum_amounts
from protocols.study.scheduled import CopiedStudy, StudyCopy

_CHUNK = 500


class StudyCopies(StoreActivities):
    """The activity ``copy_study`` over the ledger."""

    @activity.defn(name="copy_study")
    async def copy_study(self, request: StudyCopy) -> CopiedStudy:
        """Enter the study once more, with its rows and instances; doing it again changes nothing.

        Raises:
            ApplicationError: of type ``study.missing`` (final) when there is no such study; of type ``store.busy`` or
                ``store.full`` (tried again) or ``store.refused`` (final).
        """
        with failing_clearly():
            copied = await self._store.transaction(lambda connection: self._copy(connection, request))
        if copied is None:
            said = (
                f"the ledger has no study {request.pattern!r} any more; make the schedule anew: parley schedule create"
            )
            raise ApplicationError(said, type=MISSING, non_retryable=True)
        return copied

    def _copy(self, connection: Connection, request: StudyCopy) -> CopiedStudy | None:
        pattern = connection.execute(_of(STUDIES, request.pattern, "name")).one_or_none()
        if pattern is None:
            return None
        line = _named(pattern) | {"name": request.name}
        line.pop("created_at")
        if connection.execute(self._store.insert(STUDIES).on_conflict_do_nothing(), line).rowcount:
            _copy_lines(connection, request)
        counted = select(func.count()).select_from(INSTANCES).where(INSTANCES.c.study == request.name)
        terms = RunSettings() if pattern.terms is None else RunSettings.model_validate(pattern.terms["now"])
        instances, spent = connection.execute(counted).scalar_one(), connection.execute(charges_query(request.name))
        used = sum_amounts(*charges(spent, again=range(instances)).values())
        return CopiedStudy(instances=instances, terms=terms, used=used)


def _copy_lines(connection: Connection, request: StudyCopy) -> None:
    for arm in connection.execute(_of(STUDY_ARMS, request.pattern)).all():
        template = unpacked_json(arm.template) | {"batch_id": request.name}
        changed = {"study": request.name, "template": packed_json(template)}
        connection.execute(STUDY_ARMS.insert(), _named(arm) | changed)
    for table in (STUDY_ROWS, INSTANCES):
        lines = [_renamed(row, request) for row in connection.execute(_of(table, request.pattern)).all()]
        for start in range(0, len(lines), _CHUNK):
            connection.execute(table.insert(), lines[start : start + _CHUNK])


def _renamed(row: Row[Any], request: StudyCopy) -> dict[str, Any]:
    line = _named(row) | {"study": request.name}
    if "deliberation_id" in line:
        line["deliberation_id"] = f"{request.name}{line['deliberation_id'].removeprefix(request.pattern)}"
    return line


def _of(table: Any, study: str, column: str = "study") -> Select[Any]:
    return select(table).where(table.c[column] == study)


def _named(row: Row[Any]) -> dict[str, Any]:
    return dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for a row by column
