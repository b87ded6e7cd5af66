"""The queries behind the results, and how a line of the ledger becomes a ``ResultRow``."""

from collections.abc import Collection, Container, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Label, Row, Select, and_, case, func, not_, or_, select

from ledger.store import unpacked_json
from ledger.studies.results import ResultRow
from ledger.study_tables import INSTANCES, MISSING_INSTANCES, REJECTED_ROWS, STUDIES, STUDY_ARMS, STUDY_ROWS
from ledger.tables import CALLS, DELIBERATIONS
from protocols.model_call import Spending
from protocols.study.learning import observe
from protocols.study.messages import DeliberationOutcome
from protocols.study.model import Amount, ArmUse, protocol_of
from protocols.study.outcomes import AWAY, CONFIG, EVERY_ROW, TROUBLES, amount_to_charge, pause_reason, provider_news

_DELIBERATION = (
    *("protocol", "protocol_version", "prompts", "title", "verdict", "stop_reason", "partial", "degraded", "flaws"),
    *("failure_mode", "models", "served_models", "upstreams", "scores", "votes", "quorum", "calls", "prompt_tokens"),
    *("completion_tokens", "cost_usd", "calls_of_unknown_cost", "cost_source", "rehearsal", "started_at", "ended_at"),
    *("version", "seats", "sampling"),
)
_CANCELLED, _NEVER_BEGAN = "cancelled", "study.already_run"
DECIMALS = 12
_OF_ROW = (STUDY_ROWS.c.study == INSTANCES.c.study) & (STUDY_ROWS.c.row_id == INSTANCES.c.row_id)
_ENDED = DELIBERATIONS.c.id == INSTANCES.c.deliberation_id
_LOST = (MISSING_INSTANCES.c.study == INSTANCES.c.study) & (MISSING_INSTANCES.c.number == INSTANCES.c.number)
_INSTANCES = INSTANCES.outerjoin(DELIBERATIONS, _ENDED).outerjoin(MISSING_INSTANCES, _LOST)
"""Each with its line or its loss, if there is one."""
_TOKENS = (CALLS.c.prompt_tokens, CALLS.c.completion_tokens)
_IS_UNCOUNTED = and_(CALLS.c.outcome == "answered", or_(*(column.is_(None) for column in _TOKENS)))
"""The provider answered, and did not report the tokens: they add nothing to the sums, and are not none."""
_UNCOUNTED = func.count(case((_IS_UNCOUNTED, 1))).label("calls_of_unknown_tokens")
_BESIDE_COST = case((CALLS.c.cost_usd.is_not(None), CALLS.c.unanswered_requests), else_=0)
_UNANSWERED = func.coalesce(func.sum(_BESIDE_COST), 0).label("unanswered_requests")
"""Those of a call of unknown cost are a part of what is unknown."""
_LINES, _UNPRICED = func.count(CALLS.c.key), func.count(CALLS.c.key) - func.count(CALLS.c.cost_usd)
_SPENT = (
    _LINES.label("calls"),
    *(func.coalesce(func.sum(column), 0).label(column.name) for column in _TOKENS),
    _UNPRICED.label("calls_of_unknown_cost"),
    _UNCOUNTED,
    _UNANSWERED,
)
"""What calls took, without the dollars."""
_IS_TROUBLED = or_(CALLS.c.error_type.in_(TROUBLES), CALLS.c.error_type.startswith(CONFIG))
_IS_AWAY = CALLS.c.error_type.in_(AWAY | EVERY_ROW)
_INSTANCE = ("study", "number", "row_id", "arm", "repeat", "shown_options")
_ROW = ("expected", "extra")
_UNTOLD: Mapping[str, Any] = {
    **dict.fromkeys(("protocol_version", "prompts", "failure_mode"), ""),
    **dict.fromkeys(("served_models", "upstreams"), ()),
    "partial": True,
    "degraded": False,
}
"""What only a line of its own says of a deliberation."""


def _end(again: Collection[int]) -> Label[Any]:
    """Return how an instance ended; one of ``again`` is open, and a cancelled one too: both run again."""
    return case(
        (INSTANCES.c.number.in_(again), "open"),
        (DELIBERATIONS.c.verdict.is_not(None), "completed"),
        (DELIBERATIONS.c.stop_reason == _CANCELLED, _CANCELLED),
        (DELIBERATIONS.c.id.is_not(None), "failed"),
        (MISSING_INSTANCES.c.number.is_not(None), "missing"),
        else_="open",
    ).label("outcome")


def troubled_query(study: str, *, is_running: bool) -> Select[Any]:
    """Select results of ``study`` with calls lost for credit, a key or settings; while it runs, also in an outage."""
    why = or_(_IS_TROUBLED, _IS_AWAY) if is_running else _IS_TROUBLED
    lost = select(CALLS.c.key).where(CALLS.c.deliberation_id == DELIBERATIONS.c.id, why).exists()
    wanted = select(INSTANCES.c.number, DELIBERATIONS.c.verdict, DELIBERATIONS.c.result)
    of_study = (INSTANCES.c.study == study, DELIBERATIONS.c.stop_reason != _CANCELLED)
    return wanted.select_from(INSTANCES.join(DELIBERATIONS, _ENDED)).where(*of_study, lost)


def is_repeated(row: Row[Any], *, is_running: bool) -> bool:
    """Return whether ``row`` of ``troubled_query`` is not counted: it runs again, or a running batch decides."""
    outcome, is_failed = DeliberationOutcome.model_validate(unpacked_json(row.result)), row.verdict is None
    is_undecided = is_running and is_failed and any(one.cause for one in provider_news(outcome, 0, is_failed=True))
    return is_undecided or pause_reason("", outcome, is_failed=is_failed) is not None


def results_page(study: str, again: Collection[int], *, after: int, size: int, whole: bool) -> Select[Any]:
    """Select the next ``size`` instances of ``study`` with a result after the number ``after``, without ``again``."""
    wanted = _selected(INSTANCES.join(DELIBERATIONS, _ENDED).outerjoin(STUDY_ROWS, _OF_ROW), whole=whole)
    of_study = (INSTANCES.c.study == study, INSTANCES.c.number > after, INSTANCES.c.number.not_in(again))
    return wanted.where(*of_study).order_by(INSTANCES.c.number).limit(size)


def ended_rows(*, whole: bool = False) -> Select[Any]:
    """Select the rows of all deliberations that ended, each with its place in a study if it has one."""
    return _selected(DELIBERATIONS.outerjoin(INSTANCES, _ENDED).outerjoin(STUDY_ROWS, _OF_ROW), whole=whole)


def gaps_of(ids: Collection[str]) -> Select[Any]:
    """Select the gaps in the tokens and costs of these deliberations, with their last run."""
    gaps = (DELIBERATIONS.c.calls_of_unknown_cost, *map(_of_calls, (_UNCOUNTED, _UNANSWERED)))
    return select(DELIBERATIONS.c.run_id, *gaps).where(DELIBERATIONS.c.id.in_(ids))


def missing_rows(study: str, again: Collection[int]) -> Select[Any]:
    """Select the instances of ``study`` without a line of their own or to run ``again``, with what their calls took."""
    paid = select(CALLS.c.deliberation_id, *_SPENT, func.sum(CALLS.c.cost_usd).label("cost_usd"))
    paid_by_id = paid.group_by(CALLS.c.deliberation_id).subquery()
    arm = (STUDY_ARMS.c.study == INSTANCES.c.study) & (STUDY_ARMS.c.arm == INSTANCES.c.arm)
    found = (
        _INSTANCES.join(STUDIES, STUDIES.c.name == INSTANCES.c.study)
        .join(STUDY_ARMS, arm)
        .outerjoin(STUDY_ROWS, _OF_ROW)
        .outerjoin(paid_by_id, paid_by_id.c.deliberation_id == INSTANCES.c.deliberation_id)
    )
    columns = (
        *(INSTANCES.c[name] for name in (*_INSTANCE, "deliberation_id", "title")),
        *(STUDY_ROWS.c[name] for name in (*_ROW, "question")),
        *(STUDY_ARMS.c[name] for name in ("workflow", "models")),
        *(column for column in paid_by_id.c if column.name != CALLS.c.deliberation_id.name),
        STUDIES.c.rehearsal,
        _end(again).label("stop_reason"),
        MISSING_INSTANCES.c.message.label("missing_reason"),
    )
    chosen = (INSTANCES.c.study == study, or_(DELIBERATIONS.c.id.is_(None), INSTANCES.c.number.in_(again)))
    return select(*columns).select_from(found).where(*chosen).order_by(INSTANCES.c.number)


def missing_row(row: Row[Any]) -> ResultRow:
    """Convert ``row`` of ``missing_rows`` to a deliberation without a result."""
    values = row._asdict()
    return ResultRow.model_validate(
        {
            **values,
            "protocol": protocol_of(values["workflow"]),
            **{column.name: values[column.name] or 0 for column in _SPENT},
            "cost_usd": values["cost_usd"] if values["calls"] else 0.0,
            "cost_source": "unknown",
            **_mappings(values),
            "verdict": None,
            **_UNTOLD,
        }
    )


def _mappings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns whose missing value is an empty mapping."""
    return {name: values[name] or {} for name in ("extra", "shown_options")}


def one_row(row: Row[Any]) -> ResultRow:
    """Convert ``row`` of one of the queries here to a result."""
    values = row._asdict()
    packed = values.pop("whole", None)
    return ResultRow.model_validate(
        {
            **values,
            **_mappings(values),
            **(_alone(values) if values["study"] is None else {}),
            "result": None if packed is None else unpacked_json(packed),
        }
    )


def _alone(values: dict[str, Any]) -> dict[str, Any]:
    """Add the place of a deliberation outside any study."""
    place = {"study": "", "number": 0, "row_id": values["deliberation_id"], "arm": values["protocol"], "repeat": 1}
    return place | {"expected": None}


def _selected(found: FromClause, *, whole: bool) -> Select[Any]:
    columns: list[Any] = [
        DELIBERATIONS.c.id.label("deliberation_id"),
        *map(_of_calls, (_UNCOUNTED, _UNANSWERED)),
        DELIBERATIONS.c.question,
        *(DELIBERATIONS.c[name] for name in _DELIBERATION),
        *(INSTANCES.c[name] for name in _INSTANCE),
        *(STUDY_ROWS.c[name] for name in _ROW),
    ]
    if whole:
        columns.append(DELIBERATIONS.c.result.label("whole"))
    return select(*columns).select_from(found)


def counts_of(study: str) -> Select[Any]:
    """Count the rows of the study in each of its tables."""
    tables = {"rows": STUDY_ROWS, "instances": INSTANCES, "rejected": REJECTED_ROWS}
    return select(
        *(
            select(func.count()).select_from(table).where(table.c.study == study).scalar_subquery().label(name)
            for name, table in tables.items()
        )
    )


def arms_of(study: str) -> Select[Any]:
    """Select the study's arms, in the order in which their instances start."""
    first = (
        select(INSTANCES.c.arm, func.min(INSTANCES.c.number).label("number"))
        .where(INSTANCES.c.study == study)
        .group_by(INSTANCES.c.arm)
        .subquery()
    )
    placed = STUDY_ARMS.outerjoin(first, first.c.arm == STUDY_ARMS.c.arm)
    wanted = select(STUDY_ARMS.c.arm).select_from(placed).where(STUDY_ARMS.c.study == study)
    return wanted.order_by(first.c.number, STUDY_ARMS.c.arm)


def end_counts(study: str, again: Collection[int]) -> Select[Any]:
    """Count the instances by how they ended."""
    wanted = select(_end(again), func.count().label("instances")).select_from(_INSTANCES)
    return wanted.where(INSTANCES.c.study == study).group_by("outcome")


def ends_of(study: str, again: Collection[int]) -> Select[Any]:
    """Select the end, the plan and the use of each instance, by number."""
    planned = ("number", "arm", "estimate_usd", "estimate_tokens")
    names = ("calls", "calls_of_unknown_cost", "cost_usd", "prompt_tokens", "completion_tokens", "degraded", "flaws")
    written = map(_of_calls, (_UNCOUNTED, _LINES.label("lines"), _UNPRICED.label("unpriced_lines")))
    of_instance = (*(INSTANCES.c[name] for name in planned), _end(again))
    columns = (*of_instance, *written, *(DELIBERATIONS.c[name] for name in names))
    return select(*columns).select_from(_INSTANCES).where(INSTANCES.c.study == study).order_by(INSTANCES.c.number)


def spending(study: str, *by: ColumnElement[Any]) -> Select[Any]:
    """Select the spending of all calls of ``study``, with ``by`` and for each of their values."""
    wanted = select(*by, *_SPENT, func.coalesce(func.sum(CALLS.c.cost_usd), 0.0).label("usd"))
    found = _INSTANCES.outerjoin(CALLS, CALLS.c.deliberation_id == INSTANCES.c.deliberation_id)
    return wanted.select_from(found).where(INSTANCES.c.study == study).group_by(*by)


def charges_query(study: str) -> Select[Any]:
    """Select plan and spending of each instance of ``study``, whether it ended without a report, and whether whole."""
    is_gone = and_(DELIBERATIONS.c.id.is_(None), MISSING_INSTANCES.c.error_type != _NEVER_BEGAN)
    is_unreported = or_(DELIBERATIONS.c.stop_reason == _CANCELLED, is_gone)
    plan = (INSTANCES.c.number, INSTANCES.c.estimate_usd, INSTANCES.c.estimate_tokens)
    is_lacking = or_(DELIBERATIONS.c.degraded, DELIBERATIONS.c.partial)
    is_whole = and_(DELIBERATIONS.c.verdict.is_not(None), not_(is_lacking))
    ends = {"unreported": is_unreported, "whole": is_whole}
    return spending(study, *plan).add_columns(
        *(func.max(case((is_so, 1), else_=0)).label(name) for name, is_so in ends.items())
    )


def charges(rows: Iterable[Row[Any]], *, again: Container[int] = ()) -> dict[int, Amount]:
    """Return by number what each instance counts against the budget of its study, in ``rows`` of ``charges_query``.

    Those that run ``again`` are charged by their calls alone: their new end says what they took.
    """
    charged = {}
    for row in rows:
        plan = Amount(usd=row.estimate_usd, tokens=row.estimate_tokens)
        spent = Spending.model_validate({**row._asdict(), "usd": round(row.usd, DECIMALS)})
        is_reported = row.number in again or not row.unreported
        charged[row.number] = amount_to_charge(plan, spent, is_reported=is_reported)
    return charged


def _of_calls(column: Label[int]) -> Label[int]:
    """Return ``column`` over the calls of a deliberation."""
    calls = select(column).where(CALLS.c.deliberation_id == DELIBERATIONS.c.id)
    return calls.correlate(DELIBERATIONS).scalar_subquery().label(column.name)


def arm_uses(rows: Iterable[Row[Any]]) -> dict[str, ArmUse]:
    """Return the use of each arm by those in ``rows`` of ``ends_of`` that have a verdict and all counts of tokens."""
    arms: dict[str, ArmUse] = {}
    for row in (row for row in rows if row.outcome == "completed" and not row.calls_of_unknown_tokens):
        planned = Amount(usd=row.estimate_usd, tokens=row.estimate_tokens)
        took = Amount(usd=row.cost_usd or 0.0, tokens=row.prompt_tokens + row.completion_tokens)
        use = arms.get(row.arm, ArmUse())
        arms[row.arm] = observe(use, planned, took, is_priced=not row.calls_of_unknown_cost)
    return arms
