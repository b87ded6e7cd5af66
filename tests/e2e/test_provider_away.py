"""A single council while its provider is away for longer than six tries last, and one whose patience has ended."""

import uuid
from collections.abc import AsyncIterator

import pytest

from protocols.council.model import CouncilResult
from protocols.model_call import CallTimeouts
from protocols.panel import Panel
from tests.fakes.councils import council_input
from tests.fakes.installation import Installation, installation
from workflows.council import CouncilWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

SIX_TRIES = 31.0
"""Seconds after which six tries with pauses of 1, 2, 4, 8 and 16 seconds are over."""
PAGE, PORTAL, DOWN = "html-200", "portal", "503"


@pytest.fixture
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation."""
    async with installation(tmp_path_factory.mktemp("away")) as everything:
        yield everything


async def hold(installed: Installation, patience: CallTimeouts) -> CouncilResult:
    """Run a council of three scripted models."""
    client = await installed.client()
    panel = Panel.of(tuple(f"rehearsal:maker/{n}" for n in ("one", "two", "three")), "rehearsal:maker/one")
    return await client.execute_workflow(
        CouncilWorkflow.run,
        council_input(panel=panel, patience=patience),
        id=f"council-{uuid.uuid4().hex[:8]}",
        task_queue="parley",
    )


async def test_a_council_outlasts_a_gateway_and_a_login_page(installed: Installation) -> None:
    """Through a gateway's page, a login page's redirect and a 503, longer than six tries last, no model is lost."""
    windows = [(PAGE, 0.0, 15.0), (PORTAL, 15.0, 15.0), (DOWN, 30.0, SIX_TRIES + 5 - 30)]
    faults = [{"fault": fault, "after_seconds": after, "for_seconds": lasts} for fault, after, lasts in windows]
    await installed.play({"faults": faults})
    result = await hold(installed, CallTimeouts(heartbeat=3))
    arrivals = await installed.arrivals()
    print(f"{len(arrivals)} arrivals, of which {sum(a['outcome'] == 'answered' for a in arrivals)} were answered")
    assert (result.stop_reason, result.failed) == ("verdict", ())
    assert {PAGE, PORTAL} <= {arrival["fault"] for arrival in arrivals}


async def test_a_council_gives_up_when_its_patience_is_over(installed: Installation) -> None:
    """With a patience of three seconds the loss says for how long the provider was waited for."""
    await installed.play({"faults": [{"match": {"model": "maker/two"}, "fault": PAGE}]})
    result = await hold(installed, CallTimeouts(heartbeat=3, away=3))
    lost = next(call for call in result.failed if call.stage == "opinion")
    assert lost.error_type == "provider.gateway"
    assert "(patience: 3 s)" in lost.message
