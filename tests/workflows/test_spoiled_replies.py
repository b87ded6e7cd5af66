"""Deliberations whose replies are lost, refused or unreadable: every end can be shown on every screen."""

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
from protocols.model_call import Failed, ModelCall
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


def spoiled(kind: str, *, first: ModelCall | None, seat: str | None) -> Script:
    """Return a script that spoils every call but those of the first stage, or those of one seat."""

    def script(call: ModelCall) -> str | Exception | Failed:
        is_first = first is not None and (call.stage, call.round) == (first.stage, first.round)
        if is_first or (seat is not None and call.participant != seat):
            return scripted_reply(call)
        return SPOILED[kind](call)

    return script


async def end_of(env: WorkflowEnvironment, name: str, script: Script, store: Store) -> tuple[str, DeliberationResult]:
    """Run a deliberation to its end, or to its failure, and return its id and its result."""
    models = ScriptedModels(script)
    async with staff(env, models, LedgerActivities(store)):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, specified(name))
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
    store, plain = Store(sqlite_url), ScriptedModels(scripted_reply)
    async with staff(env, plain):
        await (await holding.start(env, PROTOCOLS[name].workflow.run, specified(name))).result()
    first = plain.calls[0]
    scripts = (
        spoiled(kind, first=None, seat=None),
        spoiled(kind, first=first, seat=None),
        spoiled(kind, first=None, seat=first.participant),
    )
    for script in scripts:
        deliberation_id, result = await end_of(env, name, script, store)
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
