"""A study whose plan is wrong: used and reserved dollars over time, with reservations by plan and as they learn.

``python -m bench.reservations`` runs the rules of the budget (``protocols.study.budget``) against deliberations that
take random times and costs, in a simulated time and with a seed: the figures are the same at every run. Five arms take
``--factor`` times what was planned, times a factor of their own between 0.8 and 1.2, with a coefficient of variation of
30 %. Two figures say how good the reservations were::

    overshoot   dollars used beyond the budget, when nothing is in flight any more
    idle        places of the window that were empty although the budget had money for the next deliberation:
                their share of all places and minutes before the budget was used up
"""

import heapq
import math
import random
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from bench.program import options
from protocols.study import budget
from protocols.study.messages import BudgetInput, PermitRequest, Settlement, ShardReport
from protocols.study.model import Amount, Budget, Counts, RunSettings

_ARMS = (0.8, 0.9, 1.0, 1.1, 1.2)
_PLANNED = (0.01, 0.02, 0.03, 0.05, 0.09)
_TOKENS = 1000
_VARIATION = 0.3
_SHARD = "shard"


class Plan(NamedTuple):
    """The study that is simulated."""

    factor: float
    """What a deliberation takes to what was planned, on average."""
    deliberations: int = 1500
    window: int = 60
    usd: float = 20.0
    seed: int = 7


class Point(NamedTuple):
    """The budget at one time."""

    minute: float
    used: float
    reserved: float
    pending: float
    """What the deliberations in flight really take."""
    in_flight: int


class Outcome(NamedTuple):
    """One simulated run."""

    points: tuple[Point, ...]
    overshoot: float
    idle: float
    """The share of the places of the window that were empty while the budget had money, from 0 to 1."""
    minutes: float
    completed: int


class _Simulation:
    """The budget and the deliberations that it permits, in simulated minutes."""

    def __init__(self, plan: Plan, *, learns: bool) -> None:
        self._plan, self._learns, self._random = plan, learns, random.Random(plan.seed)
        self._state = budget.apply_report(
            BudgetInput(
                study="simulated",
                batch_id="simulated",
                batch_run="run",
                terms=RunSettings(window=plan.window, cap=Budget(usd=plan.usd)),
            ),
            ShardReport(shard_id=_SHARD, wanted=tuple(map(_request, range(plan.deliberations)))),
        )
        self._costs = [self._cost(number) for number in range(plan.deliberations)]
        self._ends: list[tuple[float, int]] = []
        self._now = self._idle = self._places = 0.0

    def run(self) -> Outcome:
        """Run until nothing is in flight and nothing is permitted."""
        points = [self._start()]
        completed = 0
        while self._ends:
            ended, number = heapq.heappop(self._ends)
            self._count_idle(ended - self._now)
            self._now = ended
            self._settle(number)
            completed += 1
            points.append(self._start())
        overshoot = max(0.0, self._state.used.usd - self._plan.usd)
        idle = self._idle / self._places if self._places else 0.0
        return Outcome(tuple(points), overshoot, idle, self._now, completed)

    def _start(self) -> Point:
        self._state, permits = budget.issue_permits(self._state)
        for number in permits.get(_SHARD, ()):
            minutes = math.exp(self._random.gauss(math.log(3.0), 0.4))
            heapq.heappush(self._ends, (self._now + minutes, number))
        pending = math.fsum(self._costs[number] for _, number in self._ends)
        reserved = budget.reservations(self._state).total().usd
        return Point(self._now, self._state.used.usd, reserved, pending, len(self._ends))

    def _settle(self, number: int) -> None:
        took = Amount(usd=self._costs[number], tokens=_TOKENS)
        settled = Settlement(number=number, used=took, took=took if self._learns else None)
        report = ShardReport(shard_id=_SHARD, settled=(settled,), tally=Counts(completed=1))
        self._state = budget.apply_report(self._state, report)

    def _count_idle(self, minutes: float) -> None:
        """Count the empty places of the window for which the budget has money."""
        if not self._state.queue:
            return
        in_flight = math.fsum(self._costs[number] for _, number in self._ends)
        left = self._plan.usd - self._state.used.usd - in_flight
        empty = self._plan.window - len(self._ends) - 1
        following = accumulate(sorted(self._costs[wanted.number] for _, wanted in self._state.queue[:empty]))
        self._idle += minutes * sum(cost <= left for cost in following)
        self._places += minutes * self._plan.window

    def _cost(self, number: int) -> float:
        arm = number % len(_ARMS)
        spread = math.sqrt(math.log(1 + _VARIATION**2))
        around = math.exp(self._random.gauss(-spread * spread / 2, spread))
        return _PLANNED[arm] * self._plan.factor * _ARMS[arm] * around


def _request(number: int) -> PermitRequest:
    arm = number % len(_ARMS)
    return PermitRequest(number=number, estimate=Amount(usd=_PLANNED[arm], tokens=_TOKENS), arm=f"arm-{arm + 1}")


def simulate(plan: Plan, *, learns: bool) -> Outcome:
    """Return the outcome of ``plan``, with reservations by plan alone or as they learn."""
    return _Simulation(plan, learns=learns).run()


def table(plain: Outcome, learned: Outcome, *, lines: int = 12) -> Iterator[str]:
    """Yield both runs over time as a Markdown table, and their overshoot and idle places."""
    yield "| minute | used $ | reserved $ by plan | in flight really $ | in flight | used $ | reserved $ learned | "
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    last = max(plain.minutes, learned.minutes)
    for number in range(lines + 1):
        minute = last * number / lines
        cells = [cell for run in (plain, learned) for cell in _cells(run.points, minute)]
        yield f"| {minute:.1f} | {' | '.join(cells)} |"
    for name, run in (("by plan", plain), ("learned", learned)):
        yield (
            f"{name}: {run.completed} completed in {run.minutes:.1f} minutes, overshoot ${run.overshoot:.2f}, "
            f"idle {run.idle:.1%} of the window"
        )


def _cells(points: Sequence[Point], minute: float) -> list[str]:
    at = [point for point in points if point.minute <= minute][-1]
    return [f"{at.used:.2f}", f"{at.reserved:.2f}", f"{at.pending:.2f}", f"{at.in_flight}"]


def main() -> None:
    """Print the tables for costs of three times the plan, and of a third of it."""
    parser = options(__doc__)
    parser.add_argument("--factor", type=float, action="append", help="by default 3 and 1/3")
    parser.add_argument("--usd", type=float, default=20.0)
    given = parser.parse_args()
    for factor in given.factor or (3.0, 1 / 3):
        plan = Plan(factor=factor, usd=given.usd)
        print(f"\nfive arms that take {factor:.2f} times their plan; budget ${plan.usd:.2f}, window {plan.window}\n")
        print(*table(simulate(plan, learns=False), simulate(plan, learns=True)), sep="\n")


if __name__ == "__main__":
    main()
