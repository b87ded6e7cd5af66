"""The queries behind the results, and how a line of the ledger becomes a ``ResultRow``."""

import json
from typing import Any

from sqlalchemy import FromClause, Row, Select, select

from activities.store import unpacked
from activities.study_tables import INSTANCES, STUDY_ROWS
from activities.tables import DELIBERATIONS
from starter.studybooks.results import ResultRow

_DELIBERATION = (
    *("protocol", "protocol_version", "prompts", "title", "verdict", "stop_reason", "partial", "degraded", "flaws"),
    *("failure_mode", "models", "served_models", "upstreams", "scores", "votes", "quorum", "calls", "prompt_tokens"),
    *("completion_tokens", "cost_usd", "calls_of_unknown_cost", "cost_source", "rehearsal", "started_at", "ended_at"),
)
_INSTANCE = ("study", "number", "row_id", "arm", "repeat")
_ROW = ("expected", "extra")


def results_page(study: str, *, after: int, size: int, whole: bool) -> Select[Any]:
    """The next ``size`` instances of ``study`` behind the number ``after`` that ended with a line of their own."""
    found = INSTANCES.join(DELIBERATIONS, DELIBERATIONS.c.id == INSTANCES.c.deliberation_id)
    wanted = _selected(found.outerjoin(STUDY_ROWS, _of_row()), whole=whole)
    of_study = (INSTANCES.c.study == study, INSTANCES.c.number > after)
    return wanted.where(*of_study).order_by(INSTANCES.c.number).limit(size)


def lone_row(deliberation_id: str, *, whole: bool) -> Select[Any]:
    """The line of one deliberation, with its place in a study when it has one."""
    found = DELIBERATIONS.outerjoin(INSTANCES, DELIBERATIONS.c.id == INSTANCES.c.deliberation_id)
    wanted = _selected(found.outerjoin(STUDY_ROWS, _of_row()), whole=whole)
    return wanted.where(DELIBERATIONS.c.id == deliberation_id)


def one_row(row: Row[Any]) -> ResultRow:
    """The result that ``row`` of one of the queries here holds."""
    told = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for a row by column
    packed = told.pop("whole", None)
    blank = {name: told[name] or {} for name in ("scores", "votes", "quorum", "flaws", "extra")}
    return ResultRow.model_validate(
        {
            **told,
            **blank,
            **(_alone(told) if told["study"] is None else {}),
            "degraded": told["partial"] if told["degraded"] is None else told["degraded"],
            "cost_source": told["cost_source"] or "unknown",
            "result": None if packed is None else json.loads(unpacked(packed)),
        }
    )


def _alone(told: dict[str, Any]) -> dict[str, Any]:
    """The place of a deliberation that belongs to no study."""
    place = {"study": "", "number": 0, "row_id": told["deliberation_id"], "arm": told["protocol"], "repeat": 1}
    return place | {"expected": None}


def _of_row() -> Any:
    return (STUDY_ROWS.c.study == INSTANCES.c.study) & (STUDY_ROWS.c.row_id == INSTANCES.c.row_id)


def _selected(found: FromClause, *, whole: bool) -> Select[Any]:
    columns: list[Any] = [
        DELIBERATIONS.c.id.label("deliberation_id"),
        DELIBERATIONS.c.question,
        *(DELIBERATIONS.c[name] for name in _DELIBERATION),
        *(INSTANCES.c[name] for name in _INSTANCE),
        *(STUDY_ROWS.c[name] for name in _ROW),
    ]
    if whole:
        columns.append(DELIBERATIONS.c.result.label("whole"))
    return select(*columns).select_from(found)
