"""Rules of a study: permits, reservations, sums of counts, and reasons to pause."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from math import ceil

from protocols.cost_text import in_dollars, limit
from protocols.plurals import counted
from protocols.study.learning import Reservations, amount_to_reserve, observe
from protocols.study.messages import BudgetInput, BudgetStatus, PermitRequest, RunChange, Settlement, ShardReport
from protocols.study.model import (
    MOST_IN_FLIGHT,
    SHARD_SIZE,
    Amount,
    ArmUse,
    Budget,
    PauseReason,
    add_counts,
    sum_amounts,
)
from protocols.study.outages import FailureCause, FailureJump
from protocols.update_requests import BudgetChange

_DECIMALS = 12
_DUST = 1e-9
"""Of a dollar: what adding up binary fractions may leave over is no reason to stop."""

_RECENT = 50
"""The latest deliberations that are compared with all before."""
_FEWEST_FAILURES = 5
_FEWEST_BEFORE = 20
"""Of fewer deliberations no share is known; their failures do not raise the bar."""
_JUMP = 0.1
"""By so much the share must have grown."""

_UNKNOWN = FailureCause(error_type="unknown")

_REMEDIES: Mapping[str, str] = {
    "provider.not_found": "the provider does not serve the model: check the panel with parley doctor",
    "provider.rate_limited": "the provider's limit is lower than the study's pace: lower it with parley limits or a "
    "smaller parley batch window",
    "provider.stalled": "the provider accepts calls and sends nothing: try a smaller parley batch window",
    "provider.timeout": "answers take longer than a call may take: choose faster models or allow more time",
    "provider.bad_request": "the provider refuses the request: look at the message, and at the length of these rows",
    "provider.too_large": "the answers are larger than any real one: look at the provider's address",
    "provider.moderated": "the provider refuses these questions: look at the rows",
    "reply.refused": "the models refuse these questions: look at the rows",
    "reply.truncated": "the answers are cut: allow more tokens",
}
_ANY_OTHER = "look at the message; run the failed ones again with parley batch retry when the cause is gone"


def remaining(amount: Amount, charged: Amount) -> Amount:
    """Return ``amount`` less what is ``charged`` already, at least zero."""
    usd, tokens = round(amount.usd - charged.usd, _DECIMALS), amount.tokens - charged.tokens
    return Amount(usd=max(0.0, usd), tokens=max(0, tokens))


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


def budget_pause(study: str, cap: Budget, used: Amount, wanted: Amount) -> PauseReason:
    """Return the pause for a next deliberation, estimated at ``wanted``, that does not fit the budget."""
    if fits_budget(Budget(usd=cap.usd), sum_amounts(used, wanted)) and not is_used_up(Budget(usd=cap.usd), used):
        reached = f"{counted(cap.tokens or 0, 'token')} reached"
        figures = f"{reached}: {used.tokens:,} used, the next deliberation needs about {wanted.tokens:,}"
        remedy = "--tokens N"
    else:
        used_up = f"{limit(cap.usd or 0)} reached: {in_dollars(used.usd)} used"
        figures = f"{used_up}, the next deliberation needs about {in_dollars(wanted.usd)}"
        remedy = "--usd Y"
    reason = f"Budget of {figures}. Raise it with: parley batch budget {study} {remedy}"
    return PauseReason(cause="budget", reason=reason)


def apply_report(state: BudgetInput, exchange: ShardReport) -> BudgetInput:
    """Return the budget with the settlements and requests of a shard applied."""
    shard, settled = exchange.shard_id, {s.number for s in exchange.settled}
    reserved = state.reserved.get(shard, {})
    kept = {} if exchange.is_leaving else {number: one for number, one in reserved.items() if number not in settled}
    # After a reset the same reports come again: what has ended waits no more, even where no permit is known.
    known = settled | {wanted.number for wanted in exchange.wanted}
    left = (entry for entry in state.queue if entry[0] != shard or entry[1].number not in known)
    waiting = sorted((*left, *((shard, wanted) for wanted in exchange.wanted)), key=lambda entry: not entry[1].is_free)
    queue = tuple(entry for entry in waiting if not (exchange.is_leaving and entry[0] == shard))
    others = {name: amounts for name, amounts in state.reserved.items() if name != shard}
    is_graver = state.pause is None or state.pause.cause in {"budget", "provider"}
    return state.model_copy(
        update={
            "used": sum_amounts(state.used, *(s.used for s in exchange.settled)),
            "reserved": {**others, shard: kept} if kept else others,
            "queue": queue,
            "tally": add_counts(state.tally, exchange.tally),
            "pause": exchange.trouble if exchange.trouble and is_graver else state.pause,
            "recent": _recent(state, exchange),
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

    First come, first served. When the next one would not fit even without the reservations, it is paused; what is free
    is permitted all the same.
    """
    if state.pause is not None and state.pause.cause != "budget":
        return state, {}
    queue, permits = deque(state.queue), dict[str, dict[int, PermitRequest]]()
    in_flight, cap = count_in_flight(state), state.terms.cap
    # Nothing is compared with what is reserved where nothing is limited.
    reserved = Reservations({}) if cap == Budget() else reservations(state)
    is_over = state.pause is not None or is_used_up(cap, state.used)
    while queue and in_flight < state.terms.window:
        head = queue[0][1]
        if not head.is_free and (is_over or not fits_budget(cap, sum_amounts(state.used, reserved.total_with(head)))):
            break
        shard, permitted = queue.popleft()
        permits.setdefault(shard, {})[permitted.number] = permitted
        reserved.add(permitted)
        in_flight += 1
    pause, wanted = state.pause, amount_to_reserve(state.learned, queue[0][1]) if queue else Amount()
    is_held = pause is None and bool(queue) and not queue[0][1].is_free
    if is_held and (is_over or not fits_budget(cap, sum_amounts(state.used, wanted))):
        pause = budget_pause(state.study, cap, state.used, wanted)
    added = {shard: {**state.reserved.get(shard, {}), **wants} for shard, wants in permits.items()}
    update = {"queue": tuple(queue), "reserved": {**state.reserved, **added}, "pause": pause}
    return state.model_copy(update=update), {shard: tuple(wants) for shard, wants in permits.items()}


def _current(state: BudgetInput, pause: PauseReason) -> PauseReason:
    """Return ``pause`` with what is used by now: deliberations in flight settle while it lasts."""
    if pause.cause != "budget":
        return pause
    return budget_pause(state.study, state.terms.cap, state.used, _wanted(state))


def _wanted(state: BudgetInput) -> Amount:
    """Return what the next deliberation would reserve."""
    return amount_to_reserve(state.learned, state.queue[0][1]) if state.queue else Amount()


def reservations(state: BudgetInput) -> Reservations:
    """Return what the deliberations in flight reserve, by the latest use of their arms."""
    return Reservations(state.learned, (one for wanted in state.reserved.values() for one in wanted.values()))


def count_in_flight(state: BudgetInput) -> int:
    """Return the number of instances with a permit that have not settled."""
    return sum(len(amounts) for amounts in state.reserved.values())


def budget_status(state: BudgetInput) -> BudgetStatus:
    """Return the status that the batch receives."""
    return BudgetStatus(
        batch_run=state.batch_run,
        used=state.used,
        reserved=reservations(state).total(),
        in_flight=count_in_flight(state),
        waiting=len(state.queue),
        pause=_current(state, state.pause) if state.pause else None,
        tally=state.tally,
        orders=state.orders,
        outages=state.watch.outages,
        failure_jump=failure_jump(state),
        learned=state.learned,
    )


def failure_jump(state: BudgetInput) -> FailureJump | None:
    """Return what is to be warned of, or ``None`` when failures are as frequent as before."""
    failures = [one for one in state.recent if one.error_type]
    of_before = state.tally.ended - state.tally.cancelled - len(state.recent)
    failed_before = state.tally.failed + state.tally.missing - len(failures)
    share_before = failed_before / of_before if of_before >= _FEWEST_BEFORE else 0.0
    if len(failures) < _FEWEST_FAILURES or len(failures) / len(state.recent) < share_before + _JUMP:
        return None
    ((commonest, _),) = Counter(one.error_type for one in failures).most_common(1)
    return FailureJump(
        failed=len(failures),
        of=len(state.recent),
        failed_before=failed_before,
        of_before=of_before,
        cause=next(one for one in reversed(failures) if one.error_type == commonest),
        remedy=_REMEDIES.get(commonest, _ANY_OTHER),
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


def _recent(state: BudgetInput, exchange: ShardReport) -> tuple[FailureCause, ...]:
    """Return the latest deliberations with those of ``exchange`` among them."""
    tally = exchange.tally
    unexplained = max(0, tally.failed + tally.missing - len(exchange.failures))
    ended = (*[FailureCause()] * tally.completed, *[_UNKNOWN] * unexplained, *exchange.failures)
    return (*state.recent, *ended)[-_RECENT:]


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
