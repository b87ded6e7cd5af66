"""All seven modes on the real server, once with positions that stay opposite and once with positions that meet."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from parley import visibility
from protocols.debate.model.io import DebateResult, ModeName
from protocols.debate.modes import MODES
from protocols.model_call import CallTimeouts
from tests.e2e.test_debate_modes import ended
from tests.fakes.debates import rehearsed_debate
from tests.fakes.installation import installation
from workflows.debate import DebateWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(280)]

OPPOSED, MEETING = "debate-opposed", "debate-converges"

Held = dict[tuple[ModeName, str], DebateResult]


@pytest.fixture(scope="module")
async def debates(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Held]:
    """Every mode held twice, side by side."""
    async with installation(tmp_path_factory.mktemp("agreement")) as installed:
        client = await installed.client()
        handles = {}
        for mode in MODES:
            for manner in (OPPOSED, MEETING):
                inp = rehearsed_debate(mode, *[manner] * 3, max_rounds=3, patience=CallTimeouts(heartbeat=30))
                handles[mode, manner] = await client.start_workflow(
                    DebateWorkflow.run,
                    inp,
                    id=f"{manner}-{mode}",
                    task_queue="parley",
                    search_attributes=visibility.initial_attributes("debate", inp),
                )
        found = await asyncio.gather(*(ended(handle) for handle in handles.values()))
        yield {held: one.result for held, one in zip(handles, found, strict=True)}


def test_points_25_and_26_votes_have_an_object_and_somebody_decides(
    debates: Held, capsys: pytest.CaptureFixture[str]
) -> None:
    """Opposite positions agree on nothing however often they accept; those that meet accept a motion, printed here."""
    with capsys.disabled():
        for (mode, manner), one in debates.items():
            moved = one.accepted_motion.text if one.accepted_motion else "-"
            decided = one.decision.decision if one.decision else "-"
            agreement = one.rounds[-1].measures.agreement
            print(
                f"\n  {mode:19} {manner:17} {one.stop_reason:10} {len(one.rounds)} rounds, {agreement:.0%} accept",
                end="",
            )
            print(f"\n      motion: {moved[:80]}\n      decision: {decided[:80]}", end="")
        print()

    assert {False} == {one.consensus_reached for (_, manner), one in debates.items() if manner == OPPOSED}
    for (mode, manner), one in debates.items():
        meets = manner == MEETING and MODES[mode].has_motion
        assert meets == one.consensus_reached == (one.accepted_motion is not None)
        assert MODES[mode].is_judged == (one.decision is not None)
        assert one.synthesis is not None


def test_opposite_positions_accept_all_the_same(debates: Held) -> None:
    """The votes of those that stay opposite are ACCEPT alone: the positions keep them apart."""
    opposite = [one for (_, manner), one in debates.items() if manner == OPPOSED]

    assert {1.0} == {held.measures.agreement for one in opposite for held in one.rounds}
    assert all(len({turn.said.position for turn in one.rounds[-1].turns}) == 3 for one in opposite)
