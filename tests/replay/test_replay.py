"""Histories recorded by earlier versions: this version must make the same commands from them."""

from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from tests.fakes.converter import CONVERTER
from tests.fakes.sandbox import prepared_once
from tests.replay.record import HISTORIES, SCENES, recorded
from worker import WORKFLOWS

RECORDED = sorted(HISTORIES.glob("*.json"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_a_recorded_history_is_replayed(path: Path) -> None:
    """A deliberation that was started by an earlier version continues in this one, command by command."""
    history = WorkflowHistory.from_json(path.stem, path.read_text())  # noqa: ASYNC240 - a small local file
    replayer = Replayer(workflows=list(WORKFLOWS), data_converter=CONVERTER, workflow_runner=prepared_once())

    await replayer.replay_workflow(history)


def test_every_scene_has_a_history() -> None:
    """No shape of a deliberation is without a recorded history."""
    assert not [name for name in SCENES if not recorded(name)]
