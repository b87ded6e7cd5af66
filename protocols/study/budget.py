"""Rules of a study: permits, reservations, sums of counts, and reasons to pause."""

from collections import deque
from collections.abc import Iterable, Mapping
from math import ceil, fsum

from protocols.cost_text import limit
from protocols.flaws import total
from protocols.model_call import Spending
from protocols.plurals import counted
from protocols.study.failure_share import failure_jump
from protocols.study.learning import Reservations, amount_to_reserve, observe
from protocols.study.messages import (
    BudgetInput,
    BudgetStatus,
    PermitRequest,
    RunChange,
    Settlement,
    ShardReport,
)
from protocols.study.model import (
    MOST_IN_FLIGHT,
    SHARD_SIZE,
    Amount,
    ArmUse,
    Budget,
    Counts,
    PauseReason,
)
from protocols.update_requests import BudgetChange

_DECIMALS = 12
_DUST = 1e-9
"""Of a dollar: what adding up binary fractions may leave over is no reason to stop."""


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
    usd, tokens = change.apply(cap.usd, cap.tokens)
    return Budget(usd=usd, tokens=tokens)


def add_counts(*tallies: Counts) -> Counts:
    """Return the sum of all ``tallies``."""
    names = ("completed", "failed", "missing", "degraded", "calls", "calls_of_unknown_cost")
    counts = {name: sum(getattr(one, name) for one in tallies) for name in names}
    used = sum_amounts(*(one.used for one in tallies))
    return Counts.model_validate({**counts, "flaws": total(one.flaws for one in tallies), "used": used})


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
    reserved = state.reserved.get(shard, {})
    kept = {} if exchange.is_leaving else {number: one for number, one in reserved.items() if number not in settled}
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
            "learned": _learned(state.learned, reserved, exchange.settled),
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
    reserved, in_flight, cap = _reservations(state), count_in_flight(state), state.terms.cap
    is_over = is_used_up(cap, state.used)
    while not is_over and queue and in_flight < state.terms.window:
        if not fits_budget(cap, sum_amounts(state.used, reserved.total_with(queue[0][1]))):
            break
        leave.append(queue.popleft())
        reserved.add(leave[-1][1])
        in_flight += 1
    pause, wanted = None, reservation(state, queue[0][1]) if queue else Amount()
    if queue and (is_over or not fits_budget(cap, sum_amounts(state.used, wanted))):
        pause = budget_pause(state.study, cap, state.used, wanted)
    update = {"queue": tuple(queue), "reserved": _with(state.reserved, leave), "pause": pause}
    return state.model_copy(update=update), _by_shard(leave)


def _current(state: BudgetInput, pause: PauseReason) -> PauseReason:
    """Return ``pause`` with what is used by now: deliberations in flight settle while it lasts."""
    if pause.cause != "budget":
        return pause
    return budget_pause(state.study, state.terms.cap, state.used, _wanted(state))


def _wanted(state: BudgetInput) -> Amount:
    """Return what the next deliberation would reserve."""
    return reservation(state, state.queue[0][1]) if state.queue else Amount()


def reservation(state: BudgetInput, wanted: PermitRequest) -> Amount:
    """Return what one deliberation alone would reserve."""
    return amount_to_reserve(state.learned, wanted)


def reserved_with(state: BudgetInput, wanted: PermitRequest) -> Amount:
    """Return what the deliberations in flight and one more reserve together."""
    return _reservations(state).total_with(wanted)


def sum_reserved(state: BudgetInput) -> Amount:
    """Return the reservation of the deliberations in flight, by the latest use of their arms."""
    return _reservations(state).total()


def _reservations(state: BudgetInput) -> Reservations:
    return Reservations(state.learned, (one for wanted in state.reserved.values() for one in wanted.values()))


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
        learned=state.learned,
    )


def shard_numbers(only: tuple[int, ...] | None, place: int, end: int) -> tuple[int, ...]:
    """Return the instances of the shard beginning at ``place``, in a batch of ``only`` these that ends at ``end``."""
    last = min(place + SHARD_SIZE, end)
    return tuple(range(place, last)) if only is None else only[place:last]


def shard_count(instances: int) -> int:
    """Return the number of shards for so many instances."""
    return ceil(instances / SHARD_SIZE)


def shard_limit(window: int) -> int:
    """Return the number of open shards with which a window is always full."""
    return min(shard_count(window) + 1, MOST_IN_FLIGHT // SHARD_SIZE)


def _with(
    reserved: Mapping[str, Mapping[int, PermitRequest]], leave: Iterable[tuple[str, PermitRequest]]
) -> dict[str, dict[int, PermitRequest]]:
    everything = {shard: dict(wanted) for shard, wanted in reserved.items()}
    for shard, wanted in leave:
        everything.setdefault(shard, {})[wanted.number] = wanted
    return everything


def _learned(
    before: Mapping[str, ArmUse], reserved: Mapping[int, PermitRequest], settled: Iterable[Settlement]
) -> dict[str, ArmUse]:
    """Return the use of each arm, with the settled deliberations that have a verdict."""
    learned = dict(before)
    for one in settled:
        wanted = reserved.get(one.number)
        if wanted and wanted.arm and one.took:
            use = learned.get(wanted.arm, ArmUse())
            learned[wanted.arm] = observe(use, wanted.estimate, one.took, is_priced=one.is_priced)
    return learned


def _by_shard(leave: Iterable[tuple[str, PermitRequest]]) -> dict[str, tuple[int, ...]]:
    given: dict[str, list[int]] = {}
    for shard, wanted in leave:
        given.setdefault(shard, []).append(wanted.number)
    return {shard: tuple(numbers) for shard, numbers in given.items()}
