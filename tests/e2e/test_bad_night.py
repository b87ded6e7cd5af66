"""A study through web pages and redirects in place of answers: it pauses, continues by itself, and nothing fails."""

from collections.abc import AsyncIterator

import pytest

from bench.bad_night import Night, Place, Weather, repeated_answers, run_through, show
from tests.fakes.installation import installation

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

ROWS, WINDOW = 48, 12
NIGHT = (Weather(0.2, 20.0, "html-200"), Weather(0.5, 20.0, "redirect"))


@pytest.fixture(scope="module")
async def night(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Night]:
    """The study, held through the night."""
    async with installation(tmp_path_factory.mktemp("night"), latency_ms=300) as installed:
        place = Place(await installed.client(), installed.settings, installed.rehearsal_url)
        yield await run_through(place, ROWS, WINDOW, NIGHT)


def test_nothing_fails(night: Night, capsys: pytest.CaptureFixture[str]) -> None:
    """Every deliberation runs with its whole panel, none counted as failed at any time, each with one row."""
    with capsys.disabled():
        show(night, NIGHT)

    assert (ROWS, 0, 0) == (night.progress.completed, night.most_failed, night.result.tally.degraded)
    assert ROWS == night.lines
    assert 0 == night.repeated


def test_the_study_pauses_and_goes_on_by_itself(night: Night) -> None:
    """Each fault is one pause that names its cause and that the provider's own answers end."""
    assert ["provider.gateway", "provider.redirect"] == [one.cause for one in night.outages]
    assert {("rehearsal", "answers")} == {(one.provider, one.ended_by) for one in night.outages}
    assert all(one.until is not None and one.until > one.since for one in night.outages)


def test_an_answered_call_that_is_asked_again_is_seen() -> None:
    """The count itself notices one: it arrives after the answer, whatever became of it."""
    first = {"key": "a", "at": 1.0, "finished_at": 2.0, "outcome": "answered"}
    second = {"key": "a", "at": 3.0, "finished_at": 4.0, "outcome": "refused"}

    assert (1, 0) == (repeated_answers([second, first]), repeated_answers([second, {**second, "at": 5.0}]))
