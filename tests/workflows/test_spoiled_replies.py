"""Deliberations whose replies are lost, refused or unreadable: every end can be shown on every screen."""

from collections.abc import Callable

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from activities.ledger import LedgerActivities
from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.scores import ScoreReader
from parley.results import parse_result
from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationResult
from protocols.model_call import ModelCall
from report.build import build_report
from starter.handlers.show_result import print_result
from tests.fakes.models import CUT, Script, ScriptedModels, refused_by_provider
from tests.fakes.specified import scripted_reply, specified
from tests.workflows import holding
from tests.workflows.conftest import staff

REMARK = "All of this is fine with me."
SPOILED: dict[str, Script] = {
    "lost": lambda _: refused_by_provider(),
    "refusal": lambda _: "I'm sorry, but I can't help with that request.",
    "remark": lambda _: REMARK,
    "cut": lambda call: scripted_reply(call)[:40] + CUT,
    "null object": lambda _: "```json\n{}\n```",
}

SOONER = {"consensus": {"deadlock_after": 2}}
"""By protocol: options with which it has the same ends in fewer rounds."""


def spoiled(kind: str, *, but: Callable[[ModelCall], bool] = lambda _: False) -> Script:
    """Return a script that spoils every call but some."""
    return lambda call: scripted_reply(call) if but(call) else SPOILED[kind](call)


def step_of(call: ModelCall) -> tuple[str, int]:
    """Return the stage and the round of a call."""
    return call.stage, call.round


async def end_of(
    env: WorkflowEnvironment, name: str, models: ScriptedModels, store: Store
) -> tuple[str, DeliberationResult]:
    """Run a deliberation to its end, or to its failure, and return its id and its result."""
    async with staff(env, models, LedgerActivities(store)):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, specified(name, **SOONER.get(name, {})))
        result = await result_of(handle)
        await holding.replay(env, handle)
    return handle.id, result


async def result_of(handle: holding.Handle) -> DeliberationResult:
    """Return the result of a deliberation, which a failure carries."""
    try:
        result: DeliberationResult = await handle.result()
    except WorkflowFailureError as failed:
        if not isinstance(failed.cause, ApplicationError):
            raise
        return parse_result(failed.cause.details[0])
    return result


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.long) for kind in SPOILED if kind != "remark"] + ["remark"]
)
@pytest.mark.parametrize("name", PROTOCOLS)
async def test_every_end_can_be_shown(
    env: WorkflowEnvironment, name: str, kind: str, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """All calls, all after the first stage, or one seat's: progress, details, screen, JSON, ledger and report agree."""
    store, wholly = Store(sqlite_url), ScriptedModels(spoiled(kind))
    after_first = ScriptedModels(spoiled(kind, but=lambda call: step_of(call) == step_of(wholly.calls[0])))
    one_seat = ScriptedModels(spoiled(kind, but=lambda call: call.participant != wholly.calls[0].participant))
    for models in (wholly, after_first, one_seat):
        deliberation_id, result = await end_of(env, name, models, store)
        capsys.readouterr()
        print_result(deliberation_id, result, None, json=True)
        print_result(deliberation_id, result, None, json=False, transcript=True)
        screen = capsys.readouterr().out
        async with StudyReader(sqlite_url) as reader, ScoreReader(sqlite_url) as scores:
            row = await reader.result(deliberation_id, whole=True)
            page = await build_report(reader, scores, deliberation_id)
        assert row is not None
        assert parse_result(row.result) == result
        assert result.stop_reason in screen
        assert result.stop_reason in page.document
    await store.close()
