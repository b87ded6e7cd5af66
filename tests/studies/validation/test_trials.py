"""Holding trials: so many at once, errors counted, and what is read from a result."""

import asyncio
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.service import RPCError, RPCStatusCode

from parley.client import Parley
from parley.errors import DeliberationFailedError, RequestError, UnknownDeliberationError
from protocols.exchange import Spent
from protocols.fire_circle.model import Mode
from protocols.fire_circle.modes import EvaluateResult
from starter.commands.validate import judge
from studies.validation.cases import TEN_CASES, Case
from studies.validation.scores import Named, Trial
from studies.validation.trials import Judge, Outcome, hold, trial_of
from studies.validation.validation import Grounds
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.trials import case

CASES = [case("one"), case("two")]


async def held(judging: Judge, *, window: int = 8) -> tuple[Trial, ...]:
    """Two cases in three modes, nobody being told."""
    return await hold(CASES, judging, window=window, heard=lambda *_told: None)


def failing_with(error: Exception) -> Judge:
    """A judge whose circles fail and whose baselines do not."""

    async def judging(_case: Case, mode: Mode) -> Outcome:
        if mode == "fire_circle":
            raise error
        return baseline_result()

    return judging


def test_a_circle_is_read_by_its_highest_falsehood() -> None:
    """The highest falsehood, the chair's influence, and how many models named each pattern."""
    trial = trial_of(CASES[0], "fire_circle", circle_result())
    assert (0.9, 0.9, 0.5) == (trial.falsehood, trial.highest, trial.influence)
    assert (Named(type="temporal_inconsistency", models=2),) == trial.patterns
    assert (True, 8) == (trial.partial, trial.spent.calls)


def test_a_baseline_is_read_by_its_mean_and_its_highest() -> None:
    """The mean is what it ends with; influence is a circle's matter."""
    trial = trial_of(CASES[0], "parallel", baseline_result())
    assert (0.5, 0.8, None) == (trial.falsehood, trial.highest, trial.influence)


@pytest.mark.parametrize("result", [circle_result(verdict=None), baseline_result(verdict=None)])
def test_a_result_without_a_verdict_judged_nothing(result: Outcome) -> None:
    """What was stopped before it had a verdict is an error with its stop reason, and its money is counted."""
    trial = trial_of(CASES[0], "single", result)
    assert (None, f"ended without a verdict ({result.stop_reason})") == (trial.falsehood, trial.error)
    assert result.spent == trial.spent


async def test_every_case_is_tried_in_every_mode() -> None:
    """The trials come in the order of the cases, whichever is over first."""

    async def judging(tried: Case, mode: Mode) -> EvaluateResult:
        await asyncio.sleep(0 if tried.id == "two" else 0.01)
        return baseline_result(mode="parallel" if mode == "parallel" else "single")

    trials = await held(judging)
    assert [(name, mode) for name in ("one", "two") for mode in ("single", "parallel", "fire_circle")] == [
        (trial.case, trial.mode) for trial in trials
    ]


@pytest.mark.parametrize("window", [1, 2, 6])
async def test_no_more_than_the_window_are_held_at_once(window: int) -> None:
    """As many are held at once as the window allows, and never one more."""
    running, most = 0, 0

    async def judging(_case: Case, _mode: Mode) -> Outcome:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return baseline_result()

    await held(judging, window=window)
    assert window == most


@pytest.mark.parametrize(
    "error",
    [
        DeliberationFailedError("the circle is too small to go on"),
        RequestError("it cannot be held"),
        RPCError("gone", RPCStatusCode.UNAVAILABLE, b""),
    ],
)
async def test_one_failure_does_not_end_the_others(error: Exception) -> None:
    """A deliberation that fails is a trial with the reason; all others are held."""
    trials = await held(failing_with(error))
    assert [None, None, str(error)] * 2 == [trial.error for trial in trials]


async def test_what_a_failure_spent_is_counted() -> None:
    """A circle that broke off carries what it spent."""
    broken = circle_result(verdict=None, spent=Spent(calls=4), rehearsal=True)
    trials = await held(failing_with(DeliberationFailedError("too small", broken)))
    assert (4, True) == (trials[2].spent.calls, trials[2].rehearsal)


async def test_a_defect_is_no_result() -> None:
    """What is nobody's failure but ours ends everything."""
    with pytest.raises(ExceptionGroup) as ended:
        await held(failing_with(KeyError("a defect")))
    assert ended.group_contains(KeyError)


async def test_every_trial_is_told_when_it_is_over() -> None:
    """Whoever waits hears how many are over, of how many, and the last of them."""
    told: list[Any] = []
    await hold(CASES, failing_with(RequestError("no")), window=1, heard=lambda *heard: told.append(heard))
    assert [(number, 6) for number in range(1, 7)] == [(over, wanted) for over, wanted, _ in told]
    assert {"one", "two"} == {trial.case for _, _, trial in told}


@pytest.mark.parametrize("mode", ["single", "parallel", "fire_circle"])
async def test_an_interruption_cancels_what_is_held(parley: Parley, mode: Mode) -> None:
    """A deliberation that nobody waits for any more is asked to end, so that it spends no more."""
    grounds = Grounds(models=("a/one", "a/two"), single_model="a/one", rehearse=True)
    task = asyncio.create_task(judge(parley, grounds, "resilient", batch="stopped")(TEN_CASES[0], mode))
    deliberation = f"stopped-{TEN_CASES[0].id}-{mode}"
    await _started(parley, deliberation)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    history = await parley.client.get_workflow_handle(deliberation).fetch_history()
    assert EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED in [event.event_type for event in history.events]


async def _started(parley: Parley, deliberation: str) -> None:
    while True:
        try:
            await parley.about(deliberation)
        except UnknownDeliberationError:
            await asyncio.sleep(0.02)
        else:
            return


async def test_a_circle_and_its_baselines_are_asked_of_the_models_that_are_named(parley: Parley) -> None:
    """Single asks its own model, the others the whole circle; what is an attack goes to the bank under its name."""
    grounds = Grounds(models=("a/one", "a/two"), single_model="b/alone", rehearse=True)
    judging = judge(parley, grounds, "strict", batch="asked")
    tasks = [asyncio.create_task(judging(TEN_CASES[0], mode)) for mode in ("single", "parallel", "fire_circle")]
    inputs = [await _input(parley, f"asked-history_01-{mode}") for mode in ("single", "parallel", "fire_circle")]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    seated = [[one["model"] for one in inp["panel"]["participants"]] for inp in inputs]
    pair = ["rehearsal:a/one", "rehearsal:a/two"]
    assert [["rehearsal:b/alone"], pair, pair] == seated
    assert {("history_01", "strict", 1)} == {
        (inp["attack_id"], inp["failure_mode"], inp["session"]["turn"]) for inp in inputs
    }


async def _input(parley: Parley, deliberation: str) -> Any:
    await _started(parley, deliberation)
    history = await parley.client.get_workflow_handle(deliberation).fetch_history()
    payloads = history.events[0].workflow_execution_started_event_attributes.input.payloads
    return (await parley.client.data_converter.decode(payloads))[0]
