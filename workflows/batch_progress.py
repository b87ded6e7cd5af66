"""The progress of a batch in the Web UI: details, rendered on request, and list columns."""

from typing import Any

from temporalio.common import SearchAttributeUpdate

from protocols.cost_text import UNKNOWN_COST, cost, unanswered
from protocols.flaws import summarise
from protocols.plurals import counted
from protocols.study.model import Amount, BatchState, Budget
from workflows import search_attributes, web_ui_details

_WIDTH = 40


def columns(state: BatchState, title: str) -> list[SearchAttributeUpdate[Any]]:
    """Return the list columns of a batch."""
    tally = state.tally
    return [
        search_attributes.PROTOCOL.value_set("batch"),
        search_attributes.BATCH_ID.value_set(state.study),
        search_attributes.TITLE.value_set(title),
        search_attributes.STAGE.value_set(state.phase),
        _stop_reason(state),
        search_attributes.ROUND.value_set(state.shards_done),
        search_attributes.PARTICIPANTS.value_set(tally.ended),
        *([search_attributes.COST_USD.value_set(state.used.usd)] if tally.calls > tally.calls_of_unknown_cost else []),
        search_attributes.TOKENS.value_set(state.used.tokens),
        search_attributes.REHEARSAL.value_set(state.rehearsal),
    ]


def render(state: BatchState, title: str) -> str:
    """Return the details of a batch as Markdown: pause, progress, counts and spending."""
    over = [one.as_text for one in state.outages if one.until is not None]
    parts = [
        f"### Batch {state.study}: {state.phase}" + (f" ({state.pause.cause})" if state.pause else ""),
        "**Rehearsal**: scripted models answer here, no real model was asked." if state.rehearsal else "",
        f"### Waits for\n{web_ui_details.prose(state.pause.reason)}" if state.pause else "",
        f"### Warning\n{web_ui_details.prose(state.failure_jump.as_text)}" if state.failure_jump else "",
        web_ui_details.prose(title),
        web_ui_details.block(f"{_bar(state)}\n\n{web_ui_details.table(_rows(state))}"),
        web_ui_details.prose("\n".join(over)) if over else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _stop_reason(state: BatchState) -> SearchAttributeUpdate[Any]:
    """Return the column of the stop reason, or of the pause."""
    ended = state.phase if state.phase in {"done", "cancelled"} else None
    reason, column = ended or (state.pause and state.pause.cause), search_attributes.STOP_REASON
    return column.value_set(reason) if reason else column.value_unset()


def _bar(state: BatchState) -> str:
    share = state.tally.ended / state.instances if state.instances else 1.0
    filled = int(share * _WIDTH)
    return f"{'█' * filled}{'░' * (_WIDTH - filled)} {state.tally.ended:,} of {state.instances:,} ({share:.0%})"


def _rows(state: BatchState) -> list[tuple[str, str]]:
    tally, cap = state.tally, state.terms.cap
    unknown = f", cost of {tally.calls_of_unknown_cost:,} unknown" if tally.calls_of_unknown_cost else ""
    uncounted = f", tokens of {tally.calls_of_unknown_tokens:,} unknown" if tally.calls_of_unknown_tokens else ""
    return [
        ("completed", f"{tally.completed:,}, {tally.degraded:,} of them degraded"),
        ("failed", f"{tally.failed:,}"),
        ("missing", f"{tally.missing:,}"),
        *([("flaws", summarise(tally.flaws))] if tally.flaws else []),
        ("in flight", f"{state.in_flight:,}, at most {state.terms.window:,}"),
        ("waiting", f"{state.waiting:,}"),
        ("shards", f"{state.shards_done:,} of {state.shards:,}"),
        ("calls", f"{tally.calls:,}{unknown}{uncounted}{unanswered(tally.unanswered_requests)}"),
        ("used", _amount(state.used, state)),
        ("reserved", _amount(state.reserved, state)),
        ("budget", _cap(cap)),
    ]


def _amount(amount: Amount, state: BatchState) -> str:
    is_unpriced = amount.tokens and 0 < state.tally.calls == state.tally.calls_of_unknown_cost
    dollars = UNKNOWN_COST if is_unpriced else cost(f"${amount.usd:,.4f}", rehearsal=state.rehearsal)
    return f"{counted(amount.tokens, 'token')}, {dollars}"


def _cap(cap: Budget) -> str:
    limits = [f"${cap.usd:,.2f}" if cap.usd else "", counted(cap.tokens, "token") if cap.tokens else ""]
    return ", ".join(filter(None, limits)) or "no limit"
