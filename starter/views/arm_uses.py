"""Plan, use and next reservation of each arm of a study."""

from collections.abc import Mapping

from rich.console import RenderableType

from protocols.plurals import counted
from protocols.study.learning import amount_to_reserve, mean_plan, mean_use
from protocols.study.messages import PermitRequest
from protocols.study.model import Amount, ArmUse
from starter.views.tables import plain

_HEADINGS = ("arm", "completed", "planned each", "took each", "ratio", "reserves now")


def uses_table(learned: Mapping[str, ArmUse]) -> RenderableType | None:
    """Return one row for each arm of which a deliberation is completed; ``None`` without any."""
    body = [_row(arm, use) for arm, use in learned.items() if use.tokens.count]
    return plain(_HEADINGS, body, right={"completed", "ratio"}) if body else None


def _row(arm: str, use: ArmUse) -> tuple[str, ...]:
    planned, took = mean_plan(use), mean_use(use)
    is_by_dollars = use.usd.count > 0 and planned.usd > 0
    sums = use.usd if is_by_dollars else use.tokens
    ratio = f"{sums.total / sums.count:.2f}" if is_by_dollars or planned.tokens else ""
    next_one = PermitRequest(number=0, estimate=planned, arm=arm)
    each = (_amount(one) for one in (planned, took, amount_to_reserve({arm: use}, next_one)))
    first, second, last = each
    return (arm, f"{use.tokens.count:,}", first, second, ratio, last)


def _amount(one: Amount) -> str:
    tokens = counted(one.tokens, "token")
    return f"${one.usd:,.4f}, {tokens}" if one.usd else tokens  # without a price there is no cost, free models aside
