"""The columns of the list: each change is an event of the history with all of its values."""

import json
from typing import Any

import pytest
from temporalio import workflow

from protocols.model_call import Usage
from protocols.panel import Panel
from tests.fakes.council_results import council_result
from tests.fakes.payments import answer
from workflows.progress_board import ProgressBoard

SEATS = Panel.of(("a/b", "c/d"), "a/b").participants


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The columns of each event."""
    events: list[dict[str, Any]] = []
    monkeypatch.setattr(
        workflow,
        "upsert_search_attributes",
        lambda columns: events.append({column.key.name: column.value for column in columns}),
    )
    return events


@pytest.fixture
def board() -> ProgressBoard:
    """The board of a deliberation that begins."""
    return ProgressBoard("council", "Sky", "Why?", ("opinion", "review"))


def test_a_stage_writes_only_the_columns_that_changed(board: ProgressBoard, written: list[dict[str, Any]]) -> None:
    """Round and flaws are the same in most stages; the first stage writes all, so that the list can be filtered."""
    board.open_stage("opinion", SEATS)
    board.open_stage("review", SEATS)
    board.open_stage("review", SEATS, round_number=2)

    assert [{"Stage": "opinion", "Round": 1, "Degraded": False}, {"Stage": "review"}, {"Round": 2}] == written


def test_columns_that_did_not_change_are_no_event(board: ProgressBoard, written: list[dict[str, Any]]) -> None:
    """The same stage of the same round again is nothing new."""
    board.open_stage("opinion", SEATS)
    board.open_stage("opinion", SEATS)

    assert 1 == len(written)


def test_a_budget_that_is_waited_for_is_in_the_list_once(board: ProgressBoard, written: list[dict[str, Any]]) -> None:
    """Its stage is shown while it is waited for, and the stage before it comes back."""
    board.open_stage("opinion", SEATS)
    board.wait_for_budget("$1")
    board.wait_for_budget("$2")
    board.wait_for_budget("")

    assert [{"Stage": "budget"}, {"Stage": "opinion"}] == written[1:]


def test_a_list_of_names_is_no_longer_than_a_column(board: ProgressBoard, written: list[dict[str, Any]]) -> None:
    """The server ends a run that writes 2,048 bytes or more, and its result is lost; names beyond that are left out."""
    board.lost_models = [f"中文{number:0>40}" for number in reversed(range(100))]
    board.end(council_result())
    names = written[-1]["FailedModels"]

    assert sorted(set(board.lost_models))[: len(names)] == names
    assert 1_900 < len(json.dumps(names)) < 2_048


def test_tokens_that_no_provider_counted_are_no_column(board: ProgressBoard, written: list[dict[str, Any]]) -> None:
    """They are unknown and not none, like a cost; tokens that are known in part are a column."""
    uncounted = answer().model_copy(update={"usage": Usage()})
    board.add_cost(uncounted)
    board.end(council_result())
    board.add_cost(answer())
    board.end(council_result())

    assert [None, 17] == [columns.get("Tokens") for columns in written]
