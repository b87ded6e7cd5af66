"""A provider that is away: the study pauses for it, tries it again, continues by itself, and no deliberation fails."""

import asyncio
from datetime import datetime, timedelta

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.model_call import ModelCall
from protocols.study.model import BatchResult, Budget, RunSettings
from protocols.study.outages import CallSurvey, ProviderCalls, SurveyRequest
from tests.fakes.studies import FakeStudy, Script, refused, replay, server_time

LIMIT = 50.0
OUTAGE = timedelta(minutes=20)


def away_for(attempts: int, error_type: str = "provider.gateway") -> Script:
    """A provider whose first calls are lost for good, so many of them, and whose later ones are answered."""
    left = [attempts]

    def script(_: str, __: ModelCall) -> float | Exception:
        left[0] -= 1
        return refused(error_type, 200) if left[0] >= 0 else 1.0

    return script


async def held(study: FakeStudy, env: WorkflowEnvironment, end: int, **terms: object) -> BatchResult:
    """The result of a batch on these terms; every schedule's history replays."""
    async with study.staff(env), asyncio.timeout(LIMIT):
        handle = await study.start(env, study.batch(end, terms=RunSettings.model_validate(terms)))
        result: BatchResult = await handle.result()
        await replay(env, study.name, f"{study.name}/shard-0001", f"{study.name}/budget")
    return result


async def test_losses_in_a_row_pause_and_are_held_again(env: WorkflowEnvironment) -> None:
    """Five deliberations that lost every call pause the study; after some trials everything runs, counted once."""
    study = FakeStudy(away_for(11))
    result = await held(study, env, 12, window=4)
    (outage,) = result.outages

    assert (12, 0, 0) == (result.tally.completed, result.tally.failed, result.tally.missing)
    assert ("openrouter", "provider.gateway", "answers") == (outage.provider, outage.cause, outage.ended_by)
    assert 11 == outage.reruns
    assert outage.trials >= 3
    assert outage.until is not None
    assert outage.until - outage.since >= timedelta(seconds=5 + 10 + 20)
    assert 12 + 11 == sum(study.calls.values())


async def test_reservations_of_losses_come_back(env: WorkflowEnvironment) -> None:
    """A budget for exactly one holding of each is enough, however often some of them are lost."""
    study = FakeStudy(away_for(9))
    result = await held(study, env, 6, window=3, cap=Budget(usd=6))

    assert (6, 6.0) == (result.tally.completed, result.tally.used.usd)


async def test_fewer_losses_are_counted_as_they_ended(env: WorkflowEnvironment) -> None:
    """Losses between answers are failures; so are those at the end that are too few for a pause."""
    lost = {2, 3, 4, 5, 7, 10, 11}

    def script(deliberation_id: str, _: ModelCall) -> float | Exception:
        number = int(deliberation_id.rpartition("/r")[2].partition(".")[0])
        return refused("provider.unavailable", 503) if number in lost else 1.0

    study = FakeStudy(script)
    result = await held(study, env, 12, window=1)

    assert (5, 7, ()) == (result.tally.completed, result.tally.failed, result.outages)
    assert {1} == set(study.calls.values())


async def test_a_verdict_without_a_whole_provider_is_held_again(env: WorkflowEnvironment) -> None:
    """A degraded deliberation counts as a loss as well, and what was answered in it is charged once."""
    away = away_for(6)

    def script(deliberation_id: str, call: ModelCall) -> float | Exception:
        return away(deliberation_id, call) if call.participant == "p2" else 1.0

    study = FakeStudy(script, seats=2, providers=("openrouter", "cerebras"))
    result = await held(study, env, 8, window=2, pause_after_losses=2)

    assert (8, 0) == (result.tally.completed, result.tally.degraded)
    assert ("cerebras",) == tuple(outage.provider for outage in result.outages)


async def test_one_model_that_is_gone_pauses_nothing(env: WorkflowEnvironment) -> None:
    """The others of the panel are asked all the same, whichever provider serves them."""

    def script(_: str, call: ModelCall) -> float | Exception:
        return refused("provider.not_found", 404) if call.participant == "p2" else 1.0

    study = FakeStudy(script, seats=2, providers=("openrouter", "cerebras"))
    result = await held(study, env, 8)

    assert (8, 8, ()) == (result.tally.completed, result.tally.degraded, result.outages)


def stuck(numbers: tuple[int, ...], since: datetime) -> CallSurvey:
    """Running deliberations that all wait for one provider."""
    line = ProviderCalls(
        provider="openrouter",
        deliberations=len(numbers),
        stuck=numbers,
        cause="provider.unavailable",
        message="openrouter: 503",
        since=since,
    )
    return CallSurvey(providers=(line,))


@pytest.mark.long
async def test_waiting_calls_pause_the_study(env: WorkflowEnvironment) -> None:
    """When nothing ends because all of them wait for the provider, the study pauses until one of them is answered."""
    begun = await env.get_current_time()
    seen, answered = list[int](), list[str]()

    def is_away() -> bool:
        return server_time() - begun < OUTAGE

    def script(deliberation_id: str, _: ModelCall) -> float | Exception:
        if is_away():
            return ApplicationError("503", {"status": 503}, type="provider.unavailable")
        answered.append(deliberation_id)
        return 1.0

    def look(request: SurveyRequest) -> CallSurvey:
        seen.append(len(request.numbers))
        waiting = tuple(number for number in request.numbers if study.id_of(number) not in answered)
        line = ProviderCalls(provider="openrouter", deliberations=len(waiting))
        return stuck(waiting, begun) if is_away() else CallSurvey(providers=(line,) if waiting else ())

    study = FakeStudy(script)
    study.look = look
    result = await held(study, env, 9, window=3)
    (outage,) = result.outages

    print(f"{outage.as_text}; {outage.checks} checks, {outage.trials} trials")
    assert (9, 0, {3}) == (result.tally.completed, result.tally.failed, set(seen[:5]))
    assert ("answers", 0, 0) == (outage.ended_by, outage.trials, outage.reruns)
    assert 5 <= outage.checks <= 12
    assert outage.until is not None
    assert outage.until - begun < OUTAGE + timedelta(minutes=3)
