"""What a debate looks like when it has ended."""

import io
from typing import Any

import pytest
from rich.console import Console

from parley.errors import FAILED, VERDICT
from parley.results import no_verdict
from protocols.debate.model.history import Approval, Escalation, Measures
from protocols.debate.model.state import AgentStatus
from protocols.model_call import ParticipantId
from starter.handlers.show_result import print_result
from starter.views import verdict
from tests.fakes.debate_results import (
    APPROVED,
    FIRST,
    ROUNDS,
    SECOND,
    STATE,
    SYNTHESIS,
    debate_result,
    held,
    lost_debater,
    turn,
)


def shown(*, transcript: bool = False, **changes: Any) -> str:
    """What a wide screen without colours shows of a result with ``changes``."""
    out = io.StringIO()
    screen = Console(file=out, width=220, markup=False, highlight=False)
    screen.print(verdict.render(debate_result(**changes), transcript=transcript))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def rows_of(text: str, title: str) -> list[list[str]]:
    """The rows of the table of that title, cell by cell; cells are two blanks apart."""
    after = text.partition(f"{title}\n")[2].splitlines()
    body = after[after.index(next(line for line in after if "──" in line)) + 1 :]
    whole = body[: next(number for number, line in enumerate(body) if not line.strip())]
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in whole]


def test_every_debater_has_a_row_with_where_it_ended() -> None:
    """The positions have model, confidence with its change, vote and key point; who is lost is marked."""
    assert [
        ["p1", "maker/one", "80%", "ACCEPT", "Close it in steps."],
        ["p2", "maker/two", "90% (+10)", "MINOR", "Mind the shops."],
        ["p3", "three:8b", "–", "– (lost)"],
    ] == rows_of(shown(), "Positions")


def test_stances_are_shown_where_they_were_dealt() -> None:
    """In devil's advocate the positions have a stance, and elsewhere there is no such column (decision 1)."""
    dealt = STATE.model_copy(update={"agent_status": (AgentStatus(agent=FIRST, stance="NO", vote="BLOCKER"),)})
    assert [["p1", "maker/one", "NO", "–", "BLOCKER"]] == rows_of(
        shown(state=dealt, mode="devils-advocate"), "Positions"
    )
    assert "stance" not in shown()


def test_a_label_stands_beside_the_model_it_hid() -> None:
    """Where peers were anonymous the person sees who was Expert B."""
    assert "maker/two (Expert B)" in shown(mode="delphi", labels={"Expert B": SECOND})


def test_point_33_the_diversity_of_every_round_is_shown() -> None:
    """Positions, claims for each debater, and the share of them that one debater alone supports."""
    measures = Measures(positions=2, claims_per_agent=4 / 3, single_claims=0.75)
    held = debate_result().rounds[0].model_copy(update={"measures": measures})
    assert ["1", "2", "1.3", "75%"] in rows_of(shown(rounds=(held,)), "Diversity by round")


def test_every_round_is_shown_in_numbers() -> None:
    """Agreement, blockers, confidence, changes, facts, the largest context and what fired, round by round."""
    assert [
        ["1", "ordinary", "67%", "1", "80%", "–", "–", "2", "early convergence"],
        [
            "2",
            "objection",
            "100%",
            "0",
            "85%",
            "3.4%",
            "50%",
            "0",
            "round cap",
        ],
    ] == rows_of(shown(), "Rounds")
    assert "round 2: context 8,000 tokens; 2 claims shortened" in shown()


def test_every_claim_is_shown_with_its_status_and_sides() -> None:
    """A claim has its id, label, status, text, who made it, its evidence, and who means and against it."""
    assert [
        ["C1", "FACT", "accepted", "Traffic fell in comparable cities", "p1, round 1", "E1", "p1, p2", "–", "–"],
        ["C2", "ASSUME", "contested", "Shops lose trade", "p2, round 2", "–", "p2", "p1", "C1"],
    ] == rows_of(shown(), "Claims")


def test_evidence_and_decisions_are_shown() -> None:
    """Evidence has its source, what it states, what it supports and who added it; decisions are below."""
    source = "Lund, A. (2021). City Traffic. https://lab.example/lund"
    assert [["E1", "person", source, "Traffic fell by a tenth.", "C1", "person, round 1"]] == rows_of(
        shown(), "Evidence"
    )
    assert [["D1", "2", "Deliveries stay possible."]] == rows_of(shown(), "Decisions")


def test_what_is_empty_has_no_table() -> None:
    """A debate that had no result has neither evidence nor decisions nor broken rules to show."""
    nothing = STATE.model_copy(update={"claims": (), "evidence": (), "decisions": (), "agent_status": ()})
    text = shown(state=nothing, rounds=(), failed=())
    assert {"no claims yet", "no debater has spoken yet"} <= set(map(str.strip, text.splitlines()))
    assert [] == [title for title in ("Evidence", "Decisions", "Rules that", "Rounds") if f"{title}\n" in text]


def test_violations_are_counted_by_agent_and_rule() -> None:
    """The same rule broken twice by one debater is one row that states so, over all rounds."""
    assert [["p2", "fact uncited", "2"], ["p2", "no counterargument", "1"]] == rows_of(
        shown(), "Rules that were broken"
    )


def test_withheld_turns_are_reported_with_the_reason() -> None:
    """What peers were not shown is listed, with author, time and reason."""
    assert "withheld from peers: p3 in round 1 (exploit steps; the safety evaluator: It told how.)" in shown()


def test_a_released_turn_is_reported_with_its_rule_and_note() -> None:
    """What a user released was withheld once, and both are shown."""
    freed = turn(ParticipantId("p3"), 1, withheld_for="manipulation", released="released by a person: a quotation")
    text = shown(rounds=(held(1, turn(FIRST, 1), freed),))
    assert "p3 in round 1 was withheld (manipulation): released by a person: a quotation" in text


def test_safety_states_who_called_and_what_was_objected() -> None:
    """The evaluator's calling, its objections and the rounds that it did not judge are shown (decision 2)."""
    text = shown()
    assert "safety: the evaluator was called because of intent, for 2 rounds; it was asked 1 time" in text
    assert "safety: round 1 was not clean (p3): It told how." in text
    assert "safety: round 2 was not judged" in text


def test_a_debate_without_an_evaluator_states_so() -> None:
    """Where nothing called the evaluator there is one line that states so, and none of judgements."""
    text = shown(safety_triggers=(), rounds=(held(1, turn(FIRST, 1)),))
    assert ["safety: nothing called the evaluator"] == [line.strip() for line in text.splitlines() if "safety" in line]


def test_a_persons_decision_is_reported_with_its_note() -> None:
    """An escalation says after which round, what was decided, the note, and why a user was asked (decision 3)."""
    told = 'after round 2: continue "Deliveries stay possible." (the objection round brought no new fact)'
    assert f"a user was asked {told}" in shown()


def test_an_escalation_that_nobody_answered_is_flagged() -> None:
    """No user answered: the result says so, and that it is flagged."""
    escalation = Escalation(round=2, why="no new fact", decision="timed_out")
    text = shown(escalations=(escalation,), stop_reason="escalation_timed_out", is_flagged=True)
    assert "a user was asked after round 2: timed out (no new fact)" in text
    assert "FLAGGED: concluded without the person" in text
    assert "no person answered in time (2 rounds)" in text
    assert "FLAGGED" not in shown()


@pytest.mark.parametrize(
    ("approval", "told"),
    [
        (APPROVED, 'approval before the synthesis: approved "Go ahead."'),
        (Approval(outcome="timed_out"), "approval before the synthesis: timed out"),
        (Approval(), "approval before the synthesis: not asked for"),
    ],
    ids=["approved", "timed out", "never reached"],
)
def test_the_gate_before_the_synthesis_is_reported(approval: Approval, told: str) -> None:
    """A high-stakes debate says what happened to its gate (decision 6)."""
    assert told in shown(approval=approval)


def test_the_close_has_evidence_positions_and_dissent() -> None:
    """Key evidence, final positions and dissent are as the synthesis has them (section 5.3, "Final")."""
    lines = shown().splitlines()
    assert ["Key evidence", "  E1 Traffic fell elsewhere."] == lines[(at := lines.index("Key evidence")) : at + 2]
    assert ["Final positions", "  p1 (one): For it."] == lines[at + 2 : at + 4]
    assert ["Dissent", "  p2 fears for the shops."] == lines[at + 4 : at + 6]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "no consensus in the rounds that were allowed (2 rounds); written by the synthesiser: maker/one"),
        (
            {"stop_reason": "consensus", "rounds": ROUNDS[:1]},
            "consensus (1 round); written by the synthesiser: maker/one",
        ),
        (
            {"synthesis": SYNTHESIS.model_copy(update={"written_by": "fallback"})},
            "written in place of the synthesiser: maker/one",
        ),
        (
            {"synthesis": SYNTHESIS.model_copy(update={"written_by": "rule", "model": None})},
            "written by rule from the registries, not by a model",
        ),
        (
            {"stop_reason": "accepted", "remark": "good enough"},
            "a user accepted the motion (2 rounds) (good enough); written by",
        ),
    ],
    ids=["round cap", "consensus", "fallback", "rule", "accepted"],
)
def test_the_verdict_states_how_it_ended_and_who_wrote_it(changes: dict[str, Any], told: str) -> None:
    """Below the executive summary is how the debate ended and by whom the summary is."""
    text = shown(**changes)
    assert "Close the centre in steps." in text
    assert told in text


def test_a_debate_without_a_verdict_states_why_and_shows_what_there_is() -> None:
    """A refused approval leaves no verdict; the positions are shown all the same, and the exit code is 1."""
    changes: dict[str, Any] = {"verdict": None, "synthesis": None, "stop_reason": "not_approved"}
    assert "stopped because: not_approved" in shown(**changes)
    assert 3 == len(rows_of(shown(**changes), "Positions"))
    result = debate_result(**changes)
    assert (FAILED, VERDICT) == (
        print_result("d", result, no_verdict(result), json=True),
        print_result("d", result, None, json=True),
    )


def test_lost_debaters_are_reported_and_the_result_is_partial() -> None:
    """A lost call is named with its round and the reason, and the foot says that the result is partial."""
    text = shown()
    assert "turns, round 2" in text
    assert "api_error (provider.unavailable)" in text
    assert "debate-cars-000001: round_cap, partial, prompts 1@abcdef012345" in text


def test_transcript_shows_every_turn_with_its_vote() -> None:
    """With the transcript each turn is under round, seat, model, vote and confidence, the withheld one marked."""
    text = shown(transcript=True)
    headings = [
        "round 1 · p1 · maker/one · ACCEPT · confidence 80%",
        "round 1 · p3 · three:8b · no vote · confidence 80% · withheld",
        "round 2 · p2 · maker/two · MINOR · confidence 80%",
    ]
    places = [text.index(heading) for heading in headings]
    assert sorted(places) == places
    assert "p1 is for it in round 1.\n\nTraffic fell in comparable cities.[FACT][1]\n" in text


def test_model_text_cannot_steer_the_terminal_or_the_layout() -> None:
    """Escape sequences and markup in a claim, a summary, a dissent, a note and the topic are text or not shown."""
    hostile = "\x1b]0;owned\x07[red]plain[/red]\x9b2J :smile:"
    claims = (STATE.claims[0].model_copy(update={"text": hostile}),)
    changes: dict[str, Any] = {
        "verdict": hostile,
        "question": hostile,
        "state": STATE.model_copy(update={"claims": claims}),
        "synthesis": SYNTHESIS.model_copy(update={"dissent": (hostile,)}),
        "escalations": (Escalation(round=2, why="so", decision="accept", note=hostile),),
        "failed": (lost_debater(message=hostile),),
    }
    text = shown(**changes)
    assert "\x1b" not in text
    assert 6 == text.count("[red]plain[/red] :smile:")


def test_the_note_of_a_turn_stands_behind_its_heading() -> None:
    """A turn that was asked for once more says so in the transcript, on one line."""
    (first, *others) = debate_result().rounds
    noted = first.turns[0].model_copy(update={"note": "could not be used; asked again:\nGive a position."})
    rounds = (first.model_copy(update={"turns": (noted, *first.turns[1:])}), *others)
    heading = "round 1 · p1 · maker/one · ACCEPT · confidence 80%"
    assert f"{heading} · could not be used; asked again: Give a position." in shown(transcript=True, rounds=rounds)


def test_a_round_states_why_the_debate_goes_on() -> None:
    """What follows a round is never blank, and below the table is what a consensus lacked."""
    first, *others = (one.model_copy(update={"fired": ()}) for one in debate_result().rounds)
    text = shown(rounds=(first.model_copy(update={"lacking": "a confidence is below 70%"}), *others))
    assert "round 1 is no consensus: a confidence is below 70%" in text
    assert "round 2 is no consensus" not in text
    assert "round cap" in text.partition("Rounds")[2].partition("round 1 is")[0]
