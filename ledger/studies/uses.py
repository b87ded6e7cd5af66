"""Plan and use of the completed deliberations of a study, by arm."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Row, Select, select

from ledger.study_tables import INSTANCES
from ledger.tables import DELIBERATIONS
from protocols.study.learning import observe
from protocols.study.model import Amount, ArmUse


def uses_query(study: str) -> Select[Any]:
    """Select plan and spending of each deliberation of ``study`` that has a verdict, in the order of their end."""
    used = ("cost_usd", "prompt_tokens", "completion_tokens", "calls_of_unknown_cost")
    planned = ("arm", "estimate_usd", "estimate_tokens")
    return (
        select(*(INSTANCES.c[name] for name in planned), *(DELIBERATIONS.c[name] for name in used))
        .select_from(INSTANCES.join(DELIBERATIONS, DELIBERATIONS.c.id == INSTANCES.c.deliberation_id))
        .where(INSTANCES.c.study == study, DELIBERATIONS.c.verdict.is_not(None))
        .order_by(DELIBERATIONS.c.ended_at, INSTANCES.c.number)
    )


def arm_uses(rows: Iterable[Row[Any]]) -> dict[str, ArmUse]:
    """Return the use of each arm in ``rows`` of ``uses_query``."""
    arms: dict[str, ArmUse] = {}
    for row in rows:
        planned = Amount(usd=row.estimate_usd, tokens=row.estimate_tokens)
        took = Amount(usd=row.cost_usd or 0.0, tokens=row.prompt_tokens + row.completion_tokens)
        use = arms.get(row.arm, ArmUse())
        arms[row.arm] = observe(use, planned, took, is_priced=not row.calls_of_unknown_cost)
    return arms
