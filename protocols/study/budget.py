"""Rules of a study: permits, reservations, sums of counts, and reasons to pause."""

from collections import deque
from collections.abc import Iterable, Mapping
from math import ceil, fsum

from protocols.cost_text import limit
from protocols.flaws import total
from protocols.model_call import Spending
from protocols.plurals import counted
from protocols.study.failure_share import failure_jump
from protocols.study.messages import (
    BudgetInput,
    BudgetStatus,
    DeliberationOutcome,
    PermitRequest,
    RunChange,
    ShardReport,
)
from protocols.study.model import (
    MOST_IN_FLIGHT,
    SHARD_SIZE,
    Amount,
    BatchInput,
    Budget,
    BudgetChange,
    Counts,
    PauseCause,
    PauseReason,
)

_DECIMALS = 12
_DUST = 1e-9
"""Of a dollar: what adding up binary fractions may leave over is no reason to stop."""
_LONGEST = 500

_TROUBLES: Mapping[str, PauseCause] = {
    "provider.payment_required": "credit",
    "provider.quota_exhausted": "credit",
    "provider.auth": "key",
}
_CONFIG = "config."


def sum_amounts(*amounts: Amount) -> Amount:
    """Return the sum of all ``amounts``."""
    usd = fsum(amount.usd for amount in amounts)
    return Amount(usd=round(usd, _DECIMALS), tokens=sum(amount.tokens for amount in amounts))


def remaining(amount: Amount, charged: Amount) -> Amount:
    """Return ``amount`` less what is ``charged`` already, at least zero."""
    usd, tokens = round(amount.usd - charged.usd, _DECIMALS), amount.tokens - charged.tokens
    return Amount(usd=max(0.0, usd), tokens=max(0, tokens))


def amount_of(spent: Spending) -> Amount:
    """Return the spending as an amount; unknown costs count as no dollars, their tokens count."""
    return Amount(usd=spent.usd, tokens=spent.tokens)


def amount_to_charge(estimate: Amount, spent: Spending | None) -> Amount:
    """Return the charge of a deliberation; its estimate where the spending is unknown, to keep the limit."""
    return estimate if spent is None else amount_of(spent)


def fits_budget(cap: Budget, amount: Amount) -> bool:
    """Return whether ``amount`` stays within the limits of ``cap``."""
    within_usd = cap.usd is None or amount.usd <= cap.usd + _DUST
    return within_usd and (cap.tokens is None or amount.tokens <= cap.tokens)


def is_used_up(cap: Budget, used: Amount) -> bool:
    """Return whether one of the limits of ``cap`` is reached."""
    is_out_of_usd = cap.usd is not None and used.usd >= cap.usd - _DUST
    return is_out_of_usd or (cap.tokens is not None and used.tokens >= cap.tokens)


def change_budget(cap: Budget, change: BudgetChange) -> Budget:
    """Return the limits after ``change``."""
    return Budget(
        usd=None if change.any_usd else change.usd or cap.usd,
        tokens=None if change.any_tokens else change.tokens or cap.tokens,
    )


def add_counts(*tallies: Counts) -> Counts:
    """Return the sum of all ``tallies``."""
    names = ("completed", "failed", "missing", "degraded", "calls", "calls_of_unknown_cost")
    counts = {name: sum(getattr(one, name) for one in tallies) for name in names}
    used = sum_amounts(*(one.used for one in tallies))
    return Counts.model_validate({**counts, "flaws": total(one.flaws for one in tallies), "used": used})


def count_outcome(outcome: DeliberationOutcome, *, is_failed: bool) -> Counts:
    """Count one deliberation that finished (was not cancelled or terminated)."""
    spent = outcome.spent or Spending()
    return Counts(
        completed=int(not is_failed),
        failed=int(is_failed),
        degraded=int(outcome.degraded.is_degraded and not is_failed),
        flaws=outcome.degraded.counts,
        calls=spent.calls,
        calls_of_unknown_cost=spent.calls_of_unknown_cost,
        used=amount_of(spent),
    )


def pause_reason(study: str, outcome: DeliberationOutcome, *, is_failed: bool) -> PauseReason | None:
    """Return why ``outcome`` pauses the study instead of being counted, or ``None`` for an ordinary one.

    A failure is trouble when every call it lost was lost for want of credit, for a key or for a worker's settings; a
    verdict is when any was, because with that put right it would have been a better one.
    """
    causes = [pause_cause(loss.error_type) for loss in outcome.failed]
    blamed = [(cause, loss) for cause, loss in zip(causes, outcome.failed, strict=True) if cause is not None]
    if not blamed or (is_failed and len(blamed) < len(causes)):
        return None
    cause, loss = blamed[0]
    remedy = f". {_REMEDIES[cause]}, then: parley batch resume {study}"
    return PauseReason(cause=cause, reason=f"{loss.message.rstrip('. ')[: _LONGEST - len(remedy)]}{remedy}")


def pause_cause(error_type: str) -> PauseCause | None:
    """Return what must be repaired before such a call can be answered, or ``None`` for other errors."""
    return "config" if error_type.startswith(_CONFIG) else _TROUBLES.get(error_type)


_REMEDIES: Mapping[PauseCause, str] = {
    "credit": "Add credit at the provider or wait until its quota is renewed",
    "key": "Correct the key in the worker's environment and restart the worker",
    "config": "Correct the worker's settings and restart the worker",
}


def budget_pause(study: str, cap: Budget, used: Amount, wanted: Amount) -> PauseReason:
    """Return the pause for a next deliberation, estimated at ``wanted``, that does not fit the budget."""
    if fits_budget(Budget(usd=cap.usd), sum_amounts(used, wanted)) and not is_used_up(Budget(usd=cap.usd), used):
        reached = f"{counted(cap.tokens or 0, 'token')} reached"
        figures = f"{reached}: {used.tokens:,} used, the next deliberation needs about {wanted.tokens:,}"
        remedy = "--tokens N"
    else:
        used_up = f"{limit(cap.usd or 0)} reached: ${used.usd:,.4f} used"
        figures = f"{used_up}, the next deliberation needs about ${wanted.usd:,.4f}"
        remedy = "--usd Y"
    reason = f"Budget of {figures}. Raise it with: parley batch budget {study} {remedy}"
    return PauseReason(cause="budget", reason=reason)


def apply_report(state: BudgetInput, exchange: ShardReport) -> BudgetInput:
    """Return the budget with the settlements and requests of a shard applied."""
    shard, settled = exchange.shard_id, {s.number for s in exchange.settled}
    before = {} if exchange.is_leaving else state.reserved.get(shard, {})
    kept = {number: amount for number, amount in before.items() if number not in settled}
    queue = tuple(entry for entry in state.queue if entry[0] != shard) if exchange.is_leaving else state.queue
    others = {name: amounts for name, amounts in state.reserved.items() if name != shard}
    is_graver = state.pause is None or state.pause.cause in {"budget", "provider"}
    return state.model_copy(
        update={
            "used": sum_amounts(state.used, *(s.used for s in exchange.settled)),
            "reserved": {**others, shard: kept} if kept else others,
            "queue": (*queue, *((shard, wanted) for wanted in exchange.wanted)),
            "tally": add_counts(state.tally, exchange.tally),
            "pause": exchange.trouble if exchange.trouble and is_graver else state.pause,
        }
    )


def apply_change(state: BudgetInput, order: RunChange) -> BudgetInput:
    """Return the budget after a change by hand; a pause caused by the budget ends if the new limits allow it."""
    terms = order.terms or state.terms
    pause = None if order.resume else order.pause or state.pause
    if order.terms and pause and pause.cause == "budget":
        pause = None
    if pause is None and is_used_up(terms.cap, state.used):
        pause = budget_pause(state.study, terms.cap, state.used, _wanted(state))
    return state.model_copy(update={"terms": terms, "pause": pause, "orders": order.number})


def issue_permits(state: BudgetInput) -> tuple[BudgetInput, dict[str, tuple[int, ...]]]:
    """Return the budget after issuing permits in order of request, and the permits by shard.

    First come, first served. When the next one would not fit even without the reservations, it is paused.
    """
    if state.pause is not None:
        return state, {}
    queue, leave = deque(state.queue), list[tuple[str, PermitRequest]]()
    taken_up, in_flight, cap = sum_amounts(state.used, sum_reserved(state)), count_in_flight(state), state.terms.cap
    is_over = is_used_up(cap, state.used)
    while not is_over and queue and in_flight < state.terms.window:
        if not fits_budget(cap, sum_amounts(taken_up, queue[0][1].estimate)):
            break
        leave.append(queue.popleft())
        taken_up, in_flight = sum_amounts(taken_up, leave[-1][1].estimate), in_flight + 1
    pause = None
    if queue and (is_over or not fits_budget(cap, sum_amounts(state.used, queue[0][1].estimate))):
        pause = budget_pause(state.study, cap, state.used, queue[0][1].estimate)
    update = {"queue": tuple(queue), "reserved": _with(state.reserved, leave), "pause": pause}
    return state.model_copy(update=update), _by_shard(leave)


def _current(state: BudgetInput, pause: PauseReason) -> PauseReason:
    """Return ``pause`` with what is used by now: deliberations in flight settle while it lasts."""
    if pause.cause != "budget":
        return pause
    return budget_pause(state.study, state.terms.cap, state.used, _wanted(state))


def _wanted(state: BudgetInput) -> Amount:
    """Return the estimate of the next deliberation."""
    return state.queue[0][1].estimate if state.queue else Amount()


def sum_reserved(state: BudgetInput) -> Amount:
    """Return the sum of all reservations."""
    return sum_amounts(*(amount for amounts in state.reserved.values() for amount in amounts.values()))


def count_in_flight(state: BudgetInput) -> int:
    """Return the number of instances with a permit that have not settled."""
    return sum(len(amounts) for amounts in state.reserved.values())


def budget_status(state: BudgetInput) -> BudgetStatus:
    """Return the status that the batch receives."""
    return BudgetStatus(
        batch_run=state.batch_run,
        used=state.used,
        reserved=sum_reserved(state),
        in_flight=count_in_flight(state),
        waiting=len(state.queue),
        pause=_current(state, state.pause) if state.pause else None,
        tally=state.tally,
        orders=state.orders,
        outages=state.watch.outages,
        failure_jump=failure_jump(state),
    )


def shard_numbers(inp: BatchInput, place: int, end: int) -> tuple[int, ...]:
    """Return the instances of the shard beginning at ``place``, in a batch that ends at ``end``."""
    last = min(place + SHARD_SIZE, end)
    return tuple(range(place, last)) if inp.only is None else inp.only[place:last]


def shard_count(instances: int) -> int:
    """Return the number of shards for so many instances."""
    return ceil(instances / SHARD_SIZE)


def shard_limit(window: int) -> int:
    """Return the number of open shards with which a window is always full."""
    return min(shard_count(window) + 1, MOST_IN_FLIGHT // SHARD_SIZE)


def _with(
    held: Mapping[str, Mapping[int, Amount]], leave: Iterable[tuple[str, PermitRequest]]
) -> dict[str, dict[int, Amount]]:
    everything = {shard: dict(amounts) for shard, amounts in held.items()}
    for shard, wanted in leave:
        everything.setdefault(shard, {})[wanted.number] = wanted.estimate
    return everything


def _by_shard(leave: Iterable[tuple[str, PermitRequest]]) -> dict[str, tuple[int, ...]]:
    given: dict[str, list[int]] = {}
    for shard, wanted in leave:
        given.setdefault(shard, []).append(wanted.number)
    return {shard: tuple(numbers) for shard, numbers in given.items()}
