"""What a council looks like when it has ended."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console, RenderableType

from protocols.deliberation import DeliberationResult
from starter.handlers import show_result
from starter.views import verdict
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result, lost_call
from tests.fakes.debate_results import debate_result


def text_of(drawn: RenderableType) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=160, markup=False, highlight=False).print(drawn)
    return out.getvalue()


def shown(**changes: Any) -> str:
    """A result with ``changes`` as text."""
    return text_of(verdict.render(council_result(**changes), link="http://localhost:8233/w"))


def test_verdict_and_its_author_are_shown() -> None:
    """The verdict is there with who wrote it."""
    assert "The council concludes." in shown()
    assert "written by the chair: maker/chair" in shown()


def test_tally_shows_positions_votes_and_first_places() -> None:
    """Every answer has a row with place, seat, model, average position, votes, first places and Borda points."""
    row = next(line for line in shown().splitlines() if "Response A" in line)
    assert row.split() == ["1", "Response", "A", "p1", "maker/one", "1.00", "2", "2", "2"]


def test_agreement_is_shown() -> None:
    """The agreement of the reviewers is printed below the order of the answers."""
    assert "agreement 1.00" in shown()


def test_lost_participant_is_shown_with_the_reason() -> None:
    """A lost call is named with kind, error, attempts and message."""
    row = next(line for line in shown().splitlines() if "maker/three" in line)
    assert "api_error (provider.unavailable)" in row
    assert "three is down" in row


def test_unknown_cost_is_said_and_not_counted_as_nothing() -> None:
    """A cost that is known in part is shown with the number of calls it leaves out."""
    assert "5 calls, 1,234 tokens, $0.0123 and the unknown cost of 1 call" in shown()


@pytest.mark.parametrize("made", [council_result, consensus_result, debate_result, circle_result, baseline_result])
def test_rehearsal_is_labelled(made: Callable[..., DeliberationResult]) -> None:
    """What scripted models said is never shown without saying so; what real ones said never says so."""
    assert "REHEARSAL" in text_of(verdict.render(made(rehearsal=True)))
    assert "REHEARSAL" not in text_of(verdict.render(made(rehearsal=False)))


def test_council_without_verdict_states_why() -> None:
    """A stopped council shows its stop reason in place of a verdict."""
    text = shown(verdict=None, stage3=None, synthesis="none", stop_reason="stopped")
    assert "No verdict" in text
    assert "stopped because: stopped" in text


def test_best_answer_in_place_of_a_synthesis_is_marked() -> None:
    """When no chair answered, the winner's answer is not passed off as a synthesis."""
    assert "synthesis: fallback" in shown(synthesis="fallback")


def test_skipped_review_is_said() -> None:
    """Without a review there is no table, and the screen says why."""
    text = shown(tally=None, review_skipped="final_only")
    assert "there was no review (final only)" in text
    assert "Borda" not in text


def test_link_is_shown() -> None:
    """Where to look further is at the end."""
    assert "Web UI: http://localhost:8233/w" in shown()


def test_model_text_cannot_steer_the_terminal_or_the_layout() -> None:
    """Escape sequences and markup in a verdict, a question and a message are shown as text or not at all (S13)."""
    hostile = "\x1b]0;owned\x07[red]plain[/red]\x9b2J :smile:"
    text = shown(verdict=hostile, question=hostile, failed=(lost_call(message=hostile),))
    assert "\x1b" not in text
    assert text.count("[red]plain[/red] :smile:") == 3


def test_transcript_is_shown_when_asked_for() -> None:
    """With the transcript every turn is there under its author."""
    text = text_of(verdict.render(council_result(), transcript=True))
    assert "opinion · p1 · maker/one" in text


def test_a_link_longer_than_a_line_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A narrow terminal shows the whole link, so that it can be opened from there."""
    out, link = io.StringIO(), f"http://localhost:8233/{'w' * 80}"
    narrow = Console(file=out, width=40, force_terminal=True, color_system=None)
    monkeypatch.setattr(show_result, "console", lambda: narrow)
    show_result.print_result("council-1", council_result(), None, json=False, link=link)
    assert f"Web UI: {link}" in out.getvalue()
