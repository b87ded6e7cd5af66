"""What a consensus looks like when it has ended."""

import io
from typing import Any

import pytest
from rich.console import Console

from parley.errors import FAILED, VERDICT
from parley.results import no_verdict
from protocols.consensus.model import ConsensusResult
from starter.handlers.show_result import print_result
from starter.views import verdict
from tests.fakes.consensus_results import consensus_result, lost_check, unagreed


def text_of(result: ConsensusResult, **how: Any) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=160, markup=False, highlight=False).print(verdict.render(result, **how))
    return out.getvalue()


def row_of(text: str, first: str) -> list[str]:
    """The words of the row that begins with ``first``."""
    return next(words for words in (line.split() for line in text.splitlines()) if words[:1] == [first])


def test_verdict_and_its_curator_are_shown() -> None:
    """The verdict is there, with how many rounds it took and who polished it."""
    text = text_of(consensus_result())
    assert "Because, polished." in text
    assert "all accepted after 2 rounds; polished by the curator: maker/curator" in text


def test_who_had_no_vote_has_not_accepted() -> None:
    """Where a speaker was lost by the last round, those that accepted are named instead of all."""
    result = consensus_result()
    last = result.rounds[-1]
    last = last.model_copy(
        update={
            "opinions": {name: one for name, one in last.opinions.items() if name != "validator"},
            "stances": {name: one for name, one in last.stances.items() if name != "validator"},
        }
    )
    text = text_of(result.model_copy(update={"rounds": (*result.rounds[:-1], last)}))
    assert "generator and refiner accepted after 2 rounds; polished by the curator" in text


def test_every_round_shows_three_opinions_and_whose_draft_it_was() -> None:
    """A round has a row: how each spoke of the draft or nothing obtained, who wrote it, whether it changed."""
    text = text_of(consensus_result())
    assert ["1", "ACCEPT", "objection", "-", "validator", "new"] == row_of(text, "1")
    assert ["2", "ACCEPT", "ACCEPT", "ACCEPT", "generator", "changed"] == row_of(text, "2")


def test_speaker_without_a_vote_is_no_missing_opinion() -> None:
    """A model that is asked no more has no vote, which is distinguished from an opinion that was not obtained."""
    (first, *_) = consensus_result().rounds
    without = first.model_copy(update={"opinions": {"generator": "NO", "validator": "NO"}, "draft_changed": False})
    text = text_of(consensus_result(rounds=(without,), zombies=("refiner",)))
    assert ["1", "ACCEPT", "no", "vote", "ACCEPT", "validator", "unchanged"] == row_of(text, "1")
    assert "asked no more after two losses in a row: refiner" in text


@pytest.mark.parametrize(
    ("stop_reason", "told"),
    [
        ("round_limit", "no consensus after 1 round: this is the last draft, written by the validator"),
        ("majority", "no consensus: after 1 round most accepted this draft"),
        ("deadlock", "no consensus: after 1 round this draft no longer changed"),
        ("accepted", "a user accepted this draft as the verdict (good enough), written by the validator"),
        ("stopped", "no consensus: a user stopped it; this is the last draft (good enough)"),
        ("quorum_lost", "no consensus: fewer than two speakers were left; this is the last draft"),
    ],
)
def test_draft_in_place_of_a_consensus_is_marked(stop_reason: str, told: str) -> None:
    """Where the three did not agree the last draft is not passed off as their consensus."""
    remark = "good enough" if stop_reason in {"accepted", "stopped"} else ""
    text = text_of(unagreed(stop_reason, remark=remark))
    assert told in text
    assert "all accepted" not in text


def test_accepted_draft_without_a_curator_is_marked() -> None:
    """When the curator was lost the accepted draft is shown as such."""
    text = text_of(consensus_result(written_by="draft", curation=None, verdict="Because."))
    assert "no curator's text could be had: this is the accepted draft, written by the generator" in text


def test_consensus_without_a_draft_states_why() -> None:
    """Without any draft the stop reason is in place of the verdict, and there was no round."""
    text = text_of(unagreed("no_draft", verdict=None, written_by="none", draft=None, draft_by=None, rounds=()))
    assert "stopped because: no_draft" in text
    assert "no round completed its check" in text


def test_exit_code_is_that_of_the_verdict_and_not_of_the_agreement() -> None:
    """A consensus that ends with its last draft has a verdict: 0. Without a draft there is none: 1."""
    drafted = unagreed("round_limit")
    undrafted = unagreed("stopped", verdict=None, written_by="none")
    assert VERDICT == print_result("c", drafted, no_verdict(drafted), json=True)
    assert FAILED == print_result("c", undrafted, no_verdict(undrafted), json=True)


def test_lost_check_is_shown_with_the_reason() -> None:
    """A lost call is named with the stage, the kind and the message; with the round where there are several."""
    text = text_of(consensus_result())
    later = text_of(consensus_result(failed=(lost_check(round=2),)))
    assert "api_error (provider.unavailable)" in text
    assert "consensus_check, round 2" in later


def test_foot_shows_the_id_the_end_and_the_money() -> None:
    """At the end are the id, the stop reason, the prompts, tokens and cost, and where to look further."""
    text = text_of(consensus_result(), link="http://localhost:8233/w")
    assert "consensus-why-000001: consensus, partial, prompts 1@abcdef012345" in text
    assert "13 calls, 1,234 tokens, $0.0123 and the unknown cost of 1 call" in text
    assert "Web UI: http://localhost:8233/w" in text


def test_transcript_shows_every_turn_round_by_round() -> None:
    """With the transcript the turns, the checks and the curator's text are there in the order of the rounds."""
    text = text_of(consensus_result(), transcript=True)
    headings = [
        "round 1 · generator",
        "round 1 · consensus_check · refiner · maker/refiner",
        "round 2 · generator",
        "round 2 · curator · curator · maker/curator",
    ]
    places = [text.index(heading) for heading in headings]
    assert sorted(places) == places
    assert "Say more." in text


def test_model_text_cannot_steer_the_terminal_or_the_layout() -> None:
    """Escape sequences and markup in a verdict, a question, a remark and a message are shown as text or not at all."""
    hostile = "\x1b]0;owned\x07[red]plain[/red]\x9b2J :smile:"
    changes = {"verdict": hostile, "question": hostile, "remark": hostile, "failed": (lost_check(message=hostile),)}
    text = text_of(unagreed("stopped", **changes))
    assert "\x1b" not in text
    assert 4 == text.count("[red]plain[/red] :smile:")


def test_the_note_of_a_message_stands_behind_its_heading() -> None:
    """A draft that was cut off is marked in the transcript, and the others are not."""
    text = text_of(consensus_result(message_notes=("cut off by its length", "")), transcript=True)
    assert "round 1 · generator · cut off by its length" in text
    assert 1 == text.count("cut off by its length")
