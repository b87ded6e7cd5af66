"""Schedules, as a user reads them."""

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from starter.views.lists import schedules_table
from studies.schedules import ScheduleLine

LINE = ScheduleLine(
    name="nightly",
    times="0 3 * * *",
    paused=False,
    note="Does talking help?",
    next_at=datetime(2026, 5, 2, 3, 0, tzinfo=UTC),
    recent=("nightly-20260501-030000",),
)


def text_of(*lines: ScheduleLine) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=160).print(schedules_table(lines))
    return out.getvalue()


def test_a_schedule_shows_its_times_and_what_it_began() -> None:
    """When it fires next, by which times, and its newest firings under it."""
    row, firing = [line for line in text_of(LINE).splitlines() if "nightly" in line]
    assert row.split() == ["nightly", "0", "3", "*", "*", "*", "2026-05-02", "03:00", "UTC", "Does", "talking", "help?"]
    assert firing.split() == ["·", "nightly-20260501-030000"]


@pytest.mark.parametrize(
    ("line", "coming"),
    [
        (replace(LINE, paused=True, note="too dear"), "paused"),
        (replace(LINE, next_at=None), "never"),
    ],
)
def test_a_schedule_that_does_not_fire_states_so(line: ScheduleLine, coming: str) -> None:
    """Whether a user paused it or its times are over."""
    assert coming in text_of(line)
    assert "2026-05-02" not in text_of(line)


def test_no_schedule_states_how_to_make_one() -> None:
    """An empty list is an invitation."""
    assert "parley schedule create NAME STUDY.toml" in text_of()


def test_a_note_is_shown_as_it_was_written() -> None:
    """Brackets are no markup here, and control characters are not followed."""
    shown = text_of(replace(LINE, note="[bold]why[/bold] \x1b[2J[/]"))
    assert "[bold]why[/bold]" in shown
    assert "\x1b" not in shown
