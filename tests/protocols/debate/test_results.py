"""What comes out of a debate (seed 003, sections 5.2, 5.3 "Final", 7.4 and 9.2)."""

from typing import Any

import pytest
from pydantic import JsonValue

from protocols.debate import results
from protocols.debate.aliases import labels
from protocols.debate.model.closing import (
    DecisionReading,
    FinalPosition,
    JudgeDecision,
    KeyEvidence,
    Synthesis,
    SynthesisReading,
)
from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import (
    Approval,
    DebateHistory,
    Escalation,
    Judgement,
    Measures,
    SafetyRound,
    SafetyVerdict,
    WithheldTurn,
)
from protocols.debate.model.io import DebateInput, DebateResult, StopReason
from protocols.debate.model.state import PERSON, AgentStatus
from protocols.debate.model.turn import AgentResponse, ClaimsTouched
from protocols.debate.prompts import clarifications
from protocols.debate.results import DebateRecord
from protocols.debate.rules.summaries import synthesise_by_rule
from protocols.debate.tables import live_table
from protocols.deliberation import Ending
from protocols.model_call import Spending, lost_call
from protocols.progress import Progress
from protocols.transcript import Turn
from tests.protocols.debate.parts import (
    claim,
    course,
    debate,
    evidence,
    held,
    lost,
    model,
    names_of,
    reading,
    reference,
    registered,
    reply,
    seat,
    state,
    turn,
)

PROGRESS = Progress(protocol="debate", title="Cars", spent=Spending(calls=9, usd=0.14), rehearsal=True)
WRITTEN = Synthesis(executive_summary="Close it.", written_by="synthesiser", model="lab/writer")
LOSS = lost_call(lost(3), "turns")
CLOSE, TOLL = "Close the centre to cars", "Introduce a congestion toll instead"


def saying(number: int, position: str, held_in: int = 1, **fields: Any) -> AgentResponse:
    """A turn with that position."""
    return turn(number, held_in, reading(position=position, **fields))


def argued(**changes: Any) -> DebateHistory:
    """Three debaters, one round: two are for closing, the third blocks."""
    turns = (
        saying(1, CLOSE, confidence=0.8),
        saying(2, f"{CLOSE} now", confidence=0.9),
        saying(3, TOLL, confidence=0.95, vote="BLOCKER"),
    )
    measures = Measures(agreement=2 / 3, blockers=1, new_facts=2)
    return course(**({"rounds": (held(1, *turns, measures=measures, context=ContextUse(total=7812)),)} | changes))


def concluded(
    stop_reason: StopReason = "consensus",
    table: DebateHistory | None = None,
    inp: DebateInput | None = None,
    **record: Any,
) -> DebateResult:
    """The result of a debate that ended so."""
    asked = inp or debate()
    said = DebateRecord(table or argued(), record.pop("names", names_of(asked)), **record)
    return results.build_result(asked, said, Ending("debate-x", stop_reason, PROGRESS.spent, rehearsal=True))


class TestResult:
    """The fields of the result."""

    def test_it_states_what_was_asked_and_what_it_cost(self) -> None:
        """Question, mode, spending, prompts and rehearsal travel with the result."""
        result, inp = concluded(), debate()
        assert ("debate-x", inp.question, "collaborative") == (result.deliberation_id, result.question, result.mode)
        assert (PROGRESS.spent, True) == (result.spent, result.rehearsal)
        assert f"1@{inp.prompts.fingerprint}" == result.prompts

    def test_it_holds_everything_that_was_held(self) -> None:
        """Rounds, registries, escalations, the gate, the remark and the synthesiser's turn are in it."""
        wait = Escalation(round=1, why="it failed", decision="accept")
        spoken = Turn(participant=seat(9), model=model(9), stage="synthesis", text="Close it.")
        table = argued(escalations=(wait,), failed=(LOSS,))
        gate = Approval(outcome="approved")
        result = concluded("accepted", table, approval=gate, remark="enough", synthesis_turn=spoken)
        assert (table.rounds, table.state, (wait,)) == (result.rounds, result.state, result.escalations)
        assert (gate, "enough", spoken, (LOSS,)) == (
            result.approval,
            result.remark,
            result.synthesis_turn,
            result.failed,
        )

    def test_labels_are_reported_where_peers_were_anonymous(self) -> None:
        """In delphi the result says who spoke under which label, elsewhere there is none."""
        dealt = labels((seat(2), seat(1), seat(3)))
        result = concluded(inp=debate("delphi"), names=dealt)
        assert {"Expert A": "p2", "Expert B": "p1", "Expert C": "p3"} == result.labels
        assert {} == concluded().labels

    def test_why_the_evaluator_was_called(self) -> None:
        """Each reason once, in the order in which they came up."""
        reasons = (("mode", "topic"), (), ("intent", "mode"))
        called = [
            held(n, safety=SafetyRound.model_validate({"triggers": one})) for n, one in enumerate(reasons, start=1)
        ]
        assert ("mode", "topic", "intent") == concluded(table=course(rounds=called)).safety_triggers

    @pytest.mark.parametrize(
        ("stop_reason", "agreed"),
        [
            ("consensus", True),
            ("accepted", True),
            ("plateau", False),
            ("round_cap", False),
            ("rejected", False),
            ("escalation_timed_out", False),
            ("stopped", False),
        ],
    )
    def test_consensus(self, stop_reason: StopReason, *, agreed: bool) -> None:
        """It is reached by the exit of that name, or when a user accepts the present state."""
        assert agreed == concluded(stop_reason).consensus_reached

    @pytest.mark.parametrize(
        ("stop_reason", "partial"),
        [
            ("consensus", False),
            ("plateau", False),
            ("round_cap", False),
            ("rejected", False),
            ("escalation_timed_out", False),
            ("not_approved", False),
            ("stopped", True),
            ("cancelled", True),
            ("debate_too_small", True),
            ("participant_lost", True),
            ("safety_blocked", True),
        ],
    )
    def test_what_was_broken_off_is_partial(self, stop_reason: StopReason, *, partial: bool) -> None:
        """What the rules or a user's decision ended is whole."""
        assert partial == concluded(stop_reason).partial

    def test_a_lost_call_degrades_a_debate_that_was_held_to_its_end(self) -> None:
        """It counts as a flaw, and the debate is not partial."""
        result = concluded(table=argued(failed=(LOSS,)))
        assert ("degraded: 1 lost", False) == (result.degraded.line, result.partial)

    def test_a_debate_whose_synthesis_is_cut_is_partial(self) -> None:
        """A verdict that ends at its length limit is part of one."""
        read = SynthesisReading(executive_summary="Close").model_dump(mode="json")
        written = results.closing_text(Synthesis, reply(1, reading=read, finish="truncated"), "synthesiser")
        assert concluded(synthesis=written).partial

    def test_a_fallback_that_closed_it_is_a_flaw(self) -> None:
        """Where another than the synthesiser wrote the report, or another than the judge decided, both are named."""
        read = SynthesisReading(executive_summary="Close").model_dump(mode="json")
        written = results.closing_text(Synthesis, reply(1, reading=read), "fallback")
        read = DecisionReading(decision="Close").model_dump(mode="json")
        taken = results.closing_text(JudgeDecision, reply(1, reading=read), "fallback")
        assert {"fallback_chair": 1} == concluded(synthesis=written).degraded.counts
        found = concluded(synthesis=written, decision=taken).degraded.flaws
        assert [("decision", "the decision is by lab/model-1"), ("synthesis", "the synthesis is by lab/model-1")] == [
            (flaw.stage, flaw.note) for flaw in found
        ]

    @pytest.mark.parametrize("stage", ["safety", "summary", "synthesis", "decision"])
    def test_what_cannot_be_read_beside_the_debaters_is_a_flaw(self, stage: str) -> None:
        """A verdict, a line, a report or a decision that is still not read after the further call is ``unread``."""
        readings: dict[str, JsonValue] = {"safety": None}
        blank = reply(1).model_copy(update={"reading": readings.get(stage, {})})
        found = clarifications.unread_flaw(debate(), blank, stage, 2)
        assert found is not None
        assert ("unread", stage, 2) == (found.kind, found.stage, found.round)


class TestVerdict:
    """The verdict is the executive summary."""

    @pytest.mark.parametrize(
        "stop_reason", ["consensus", "plateau", "round_cap", "accepted", "rejected", "escalation_timed_out"]
    )
    def test_the_synthesis_of_a_model_is_taken(self, stop_reason: StopReason) -> None:
        """Where a model closed the debate its summary is the verdict."""
        result = concluded(stop_reason, synthesis=WRITTEN)
        assert ("Close it.", WRITTEN) == (result.verdict, result.synthesis)

    @pytest.mark.parametrize("stop_reason", ["consensus", "stopped"])
    def test_without_one_it_is_closed_by_rule(self, stop_reason: StopReason) -> None:
        """Without a synthesis, or when a user stopped it first, there is a verdict all the same."""
        result = concluded(stop_reason)
        assert synthesise_by_rule(debate(), argued(), names_of(debate())) == result.synthesis
        assert (result.verdict or "").startswith("2 of 3 debaters agree")

    @pytest.mark.parametrize("stop_reason", ["participant_lost", "debate_too_small", "safety_blocked", "cancelled"])
    def test_what_failed_has_none(self, stop_reason: StopReason) -> None:
        """What there was is put together by rule, but nothing is concluded from it."""
        result = concluded(stop_reason)
        assert (None, "rule") == (result.verdict, result.synthesis and result.synthesis.written_by)

    def test_behind_a_shut_gate_there_is_no_synthesis(self) -> None:
        """A user has not approved that the debate be closed."""
        result = concluded("not_approved", approval=Approval(outcome="refused"))
        assert (None, None) == (result.verdict, result.synthesis)

    def test_nothing_was_said(self) -> None:
        """Stopped before the first turn there is nothing to close."""
        result = concluded("stopped", course())
        assert (None, None) == (result.verdict, result.synthesis)


CLEAN = SafetyVerdict(is_clean=True)
DIRTY = SafetyVerdict(is_clean=False, withhold=(WithheldTurn(agent=seat(1)),), reason="a plan to harm")


def judged(verdict: SafetyVerdict | None, **changes: Any) -> SafetyRound:
    """A round in which the evaluator said that of the first debater's turn."""
    return SafetyRound(judgements=(Judgement(agents=(seat(1),), verdict=verdict),), **changes)


def watched(*verdicts: SafetyVerdict | None, is_active: bool = True) -> DebateHistory:
    """Rounds that the evaluator judged so."""
    return course(
        rounds=[
            held(n, turn(1, n), safety=judged(verdict, is_active=True) if is_active else SafetyRound())
            for n, verdict in enumerate(verdicts, start=1)
        ]
    )


class TestFlag:
    """A result is flagged when no user answered, or against doubts of the safety evaluator."""

    @pytest.mark.parametrize(
        ("stop_reason", "flagged"),
        [("escalation_timed_out", True), ("safety_blocked", True), ("consensus", False), ("rejected", False)],
    )
    def test_by_its_end(self, stop_reason: StopReason, *, flagged: bool) -> None:
        """No decision came in time, or nothing could be shown."""
        assert flagged == concluded(stop_reason).is_flagged

    @pytest.mark.parametrize(("gate", "flagged"), [("timed_out", True), ("refused", False), ("approved", False)])
    def test_by_the_gate(self, gate: str, *, flagged: bool) -> None:
        """No user answered in time; a user's own decision flags nothing."""
        assert flagged == concluded("not_approved", approval=Approval.model_validate({"outcome": gate})).is_flagged

    @pytest.mark.parametrize(
        ("verdicts", "flagged"),
        [((CLEAN,), False), ((DIRTY,), True), ((None,), True), ((DIRTY, CLEAN), False), ((CLEAN, DIRTY), True)],
    )
    def test_by_the_last_round_that_was_judged(
        self, verdicts: tuple[SafetyVerdict | None, ...], *, flagged: bool
    ) -> None:
        """Not clean, or the evaluator was lost over it; what was cleared since flags nothing."""
        assert flagged == concluded(table=watched(*verdicts)).is_flagged

    def test_rounds_that_nobody_judged_flag_nothing(self) -> None:
        """Where the evaluator was not called there is no doubt."""
        assert not concluded(table=watched(None, is_active=False)).is_flagged

    def test_words_alone_flag_nothing(self) -> None:
        """A turn that words pointed to and that the evaluator cleared is no doubt; one that it did not clear is."""
        pointed = turn(1, said=reading(alerts=("exploit_steps",)))
        cleared, doubted = (course(rounds=(held(1, pointed, safety=judged(one)),)) for one in (CLEAN, DIRTY))
        assert (False, True) == (concluded(table=cleared).is_flagged, concluded(table=doubted).is_flagged)


class TestFailure:
    """One clear message, or none."""

    def test_strict(self) -> None:
        """It names seat, model, round and error."""
        result = concluded("participant_lost", argued(failed=(LOSS,)))
        assert (
            "STRICT mode, and a participant was lost: p3 lab/model-3 (round 1, timeout: no answer within 60 s)"
            == results.failure_message(result)
        )

    def test_too_small(self) -> None:
        """The message has the number of debaters left."""
        losses = tuple(lost_call(lost(n), "turns") for n in (2, 3))
        gone = tuple(AgentStatus(agent=seat(n), is_lost=True) for n in (2, 3))
        state = course().state.model_copy(update={"agent_status": gone})
        table = course(rounds=(held(1),), lost=(seat(2), seat(3)), failed=losses, state=state)
        message = results.failure_message(concluded("debate_too_small", table)) or ""
        assert message.startswith(
            "the debate is too small to continue: 1 of 3 debaters are left: p2 lab/model-2 (round 1"
        )
        assert "p3 lab/model-3 (round 1, timeout: no answer within 60 s)" in message

    def test_blocked(self) -> None:
        """The message names whose turns were withheld and why, and the commands that help; no turn is quoted."""
        turns = [turn(n, 2, withheld="the safety evaluator: a plan") for n in (1, 2)]
        result = concluded("safety_blocked", course(rounds=(held(1), held(2, *turns))))
        message = results.failure_message(result) or ""
        told = "p1 (the safety evaluator: a plan); p2 (the safety evaluator: a plan)"
        assert message.startswith(f"no turn of round 2 may be shown: {told}. Hold it again with another evaluator")
        assert message.endswith(f"parley release {result.deliberation_id} p1")
        assert "no turn may be shown" == results.failure_message(concluded("safety_blocked", course()))

    def test_a_round_in_which_nobody_spoke(self) -> None:
        """Debaters that all refused or could not be read are still there, and the message says that none had a turn."""
        refusals = tuple(lost_call(lost(n, "refused"), "turns") for n in (1, 2, 3))
        result = concluded("debate_too_small", course(rounds=(held(1), held(2)), failed=refusals))
        assert (results.failure_message(result) or "").startswith(
            "no debater had a turn that can be used in round 2: p1 lab/model-1 (round 1, refused"
        )

    @pytest.mark.parametrize("stop_reason", ["consensus", "round_cap", "stopped", "cancelled", "not_approved"])
    def test_an_end_that_is_no_failure_has_no_message(self, stop_reason: StopReason) -> None:
        """What the rules or a user ended has not failed."""
        assert results.failure_message(concluded(stop_reason, argued(failed=(LOSS,)))) is None

    def test_a_failure_is_no_longer_than_can_be_recorded(self) -> None:
        """However many were lost, and however much they said."""
        losses = [LOSS.model_copy(update={"message": "x" * 500})] * 12
        message = results.failure_message(concluded("participant_lost", argued(failed=losses))) or ""
        assert (1000, False) == (len(message), "x" * 200 in message)


def closed(table: DebateHistory) -> Synthesis:
    """The debate closed by rule."""
    return synthesise_by_rule(debate(), table, names_of(debate()))


class TestByRule:
    """Section 5.3, "Final": executive summary, key evidence, final positions; and dissent."""

    def test_the_position_most_agree_on(self) -> None:
        """The largest group counts, in the words of its surest member; not of the surest of all."""
        assert (
            "2 of 3 debaters agree, most surely p2 (model-2) (90%): Close the centre to cars now\n"
            "Round 1: agreement 67%, 1 blocker." == closed(argued()).executive_summary
        )

    def test_no_two_agree(self) -> None:
        """Among groups of the same size the surest debater is quoted, and the result says that no one else agrees."""
        table = course(rounds=(held(1, saying(1, CLOSE), saying(2, TOLL, confidence=0.9)),))
        told = "No two debaters agree, most sure is p2 (model-2) (90%): Introduce a congestion toll instead"
        assert closed(table).executive_summary.startswith(told)

    def test_nobody_said_how_sure(self) -> None:
        """Then the first of the group is quoted, and no figure is made up."""
        table = course(rounds=(held(1, *(saying(n, CLOSE, confidence=None) for n in (1, 2))),))
        assert closed(table).executive_summary.startswith("2 of 3 debaters agree; p1 (model-1) says: C")

    def test_the_last_turn_of_everybody_counts(self) -> None:
        """Of a lost debater its last turn, of a round that was broken off its turns."""
        table = argued(lost=(seat(3),), open=(saying(1, "Wait a year", 2),))
        assert [
            FinalPosition(agent="p1 (model-1)", position="Wait a year"),
            FinalPosition(agent="p2 (model-2)", position=f"{CLOSE} now"),
            FinalPosition(agent="p3 (model-3)", position=f"{TOLL} [lost after round 1]"),
        ] == list(closed(table).final_positions)
        assert closed(table).executive_summary.endswith("Lost: p3 (model-3).")

    def test_who_never_spoke_has_no_position(self) -> None:
        """The result says whether it was lost or not asked."""
        table = course(rounds=(held(1, saying(1, CLOSE)),), lost=(seat(2),))
        assert [CLOSE, "[lost before it spoke]", "[did not speak]"] == [
            one.position for one in closed(table).final_positions
        ]

    def test_nothing_withheld_is_quoted(self) -> None:
        """Neither as the position most agree on, nor as a final one, nor as dissent; the result says why."""
        harmful = saying(2, "Here is how to harm them", confidence=1.0, vote="BLOCKER")
        hidden = harmful.model_copy(update={"withheld": "exploit_steps"})
        found = closed(course(rounds=(held(1, saying(1, CLOSE), hidden),)))
        assert "Here is" not in found.model_dump_json()
        assert ("[withheld]", ("p2 (model-2) blocks: [withheld]",)) == (
            found.final_positions[1].position,
            found.dissent,
        )
        assert "Withheld from peers: the last turn of 1." in found.executive_summary

    def test_nothing_may_be_quoted(self) -> None:
        """Where every last turn is withheld there is no position to tell."""
        hidden = saying(1, "Here is how to harm them").model_copy(update={"withheld": "exploit_steps"})
        assert closed(course(rounds=(held(1, hidden),))).executive_summary.startswith("No position may be shown.")

    def test_evidence_under_accepted_claims(self) -> None:
        """What carries most of them is first; what no accepted claim is on is left out."""
        claims = (
            registered(1, "Traffic fell", status="accepted", support=("E1", "E2")),
            registered(2, "Air is cleaner", status="accepted", support=("E2", "E4")),
            registered(3, "Shops lose", status="contested", support=("E3",)),
        )
        found = (
            evidence(1, "Lund 2021"),
            evidence(2, "Oslo survey"),
            evidence(3, "A leaflet"),
            evidence(4, "City office", gist="NOx fell by a third", added_by=PERSON),
        )
        table = argued(state=state(claims=claims, evidence=found))
        assert (
            KeyEvidence(id="E2", text="Oslo survey (for C1, C2)"),
            KeyEvidence(id="E1", text="Lund 2021 (for C1)"),
            KeyEvidence(id="E4", text="NOx fell by a third (City office) (for C2)"),
        ) == closed(table).key_evidence

    def test_withheld_evidence_is_none(self) -> None:
        """An id that lost its text carries nothing."""
        claims = (registered(1, "Traffic fell", status="accepted", support=("E1",)),)
        table = argued(state=state(claims=claims, evidence=(evidence(1, "[withheld]"),)))
        assert () == closed(table).key_evidence

    def test_dissent(self) -> None:
        """Blockers with their positions, then contested claims with who is on which side."""
        claims = (
            registered(1, "Traffic fell", status="accepted"),
            registered(2, "Shops lose", status="contested", opponents=(seat(2),)),
            registered(3, "Noise falls", by=2, status="contested", opponents=(seat(1), seat(3))),
        )
        assert (
            f"p3 (model-3) blocks: {TOLL}",
            "C3 is contested: Noise falls (for: p2 (model-2); against: p1 (model-1), p3 (model-3))",
            "C2 is contested: Shops lose (for: p1 (model-1); against: p2 (model-2))",
        ) == closed(argued(state=state(claims=claims))).dissent

    def test_everything_is_bounded(self) -> None:
        """Ten debaters with endless positions and a hundred contested claims make a synthesis that can be read."""
        inp = debate(debaters=10)
        claims = [registered(n, "word " * 500, status="contested", opponents=(seat(2),)) for n in range(1, 101)]
        turns = [saying(n, "word " * 5000, vote="BLOCKER") for n in range(1, 11)]
        table = course(10, rounds=(held(1, *turns),), state=state(10, claims=claims))
        found = synthesise_by_rule(inp, table, names_of(inp))
        assert "… and 90 more contested claims" == found.dissent[-1]
        assert 21 == len(found.dissent)
        assert len(found.model_dump_json()) < 20_000

    def test_it_is_by_rule(self) -> None:
        """No model is named for it."""
        assert ("rule", None) == (closed(argued()).written_by, closed(argued()).model)


def test_a_synthesis_that_was_read() -> None:
    """Everything of the reading is taken over, with who wrote it."""
    read = SynthesisReading(
        executive_summary="Close it.",
        key_evidence=(KeyEvidence(id="E1", text="Traffic fell."),),
        final_positions=(FinalPosition(agent="p1", position="For it."),),
        dissent=("p3 would rather have a toll.",),
    )
    given = reply(1, reading=read.model_dump(mode="json"), finish="truncated")
    made = results.closing_text(Synthesis, given, "fallback")
    assert read.model_dump(exclude={"why"}) == made.model_dump(exclude={"written_by", "model", "is_cut"})
    assert ("fallback", model(1), True) == (made.written_by, made.model, made.is_cut)


STOOD = (
    AgentStatus(agent=seat(1), confidence=0.85, confidence_delta=0.06, vote="ACCEPT", key_point="Close it in steps."),
    AgentStatus(agent=seat(2), confidence=0.78, vote="MINOR", key_point="It depends on what the shops can live with."),
)


def live_rows(course: DebateHistory, inp: DebateInput | None = None) -> list[tuple[str, ...]]:
    """Return the headings and the cells of the positions in a running debate."""
    inp = inp or debate()
    shown = live_table(course, names_of(inp), inp)
    return [tuple(one.heading for one in shown.columns), *(tuple(cell.text for cell in row) for row in shown.rows)]


class TestFindings:
    """Section 5.2, "AGENT POSITIONS", on the screen."""

    def test_positions(self) -> None:
        """Confidence with its change in points, vote and key point on one line; before the first turn there is none."""
        assert [
            ("agent", "confidence", "vote", "key point"),
            ("p1 (model-1)", "85% (+6)", "ACCEPT", "Close it in steps."),
            ("p2 (model-2)", "78%", "MINOR", "It depends on what the shops can live with."),
            ("p3 (model-3)", "–", "–", ""),
        ] == live_rows(course(state=state(agent_status=STOOD)))

    @pytest.mark.parametrize(
        ("mode", "heading", "parts"),
        [
            ("devils-advocate", "stance", ["YES", "–", "–"]),
            ("red-team-blue-team", "team", ["red", "blue", "red"]),
            ("adversarial", "confidence", ["85% (+6)", "78%", "–"]),
        ],
    )
    def test_stance_or_team(self, mode: str, heading: str, parts: list[str]) -> None:
        """The second column is the stance taken or the team assigned, where the mode has either."""
        stood = (STOOD[0].model_copy(update={"stance": "YES"}), STOOD[1])
        rows = live_rows(course(state=state(agent_status=stood)), debate(mode))
        assert [heading, *parts] == [row[1] for row in rows]

    def test_a_lost_debater_is_marked(self) -> None:
        """Its last vote stays visible."""
        rows = live_rows(course(state=state(agent_status=STOOD), lost=(seat(1), seat(3))))
        assert ["ACCEPT (lost)", "– (lost)"] == [rows[1][-2], rows[3][-2]]

    def test_the_sign_of_a_change_is_shown(self) -> None:
        """The sign of a change is shown, also where nothing changed."""
        stood = [STOOD[0].model_copy(update={"confidence_delta": delta}) for delta in (-0.1, 0.0)]
        rows = [live_rows(course(state=state(agent_status=(one,))))[1] for one in stood]
        assert ["85% (-10)", "85% (+0)"] == [row[1] for row in rows]

    def test_where_the_debate_stands(self) -> None:
        """Below the debaters the last round in figures, its context, groupthink and safety."""
        assert [
            ("last round", "Round 1: agreement 67%, 1 blocker, 2 new facts"),
            ("context", "7,812 tokens"),
            ("groupthink", "no sign of it"),
            ("safety", "the evaluator was not called; withheld: no turn"),
        ] == results.standing(argued())

    def test_what_a_consensus_lacks_is_reported(self) -> None:
        """Beside the figures of the last round is the reason why it is no consensus, and nothing where it is one."""
        table = course(rounds=(held(1, lacking="a confidence is below 70%"),))
        assert told("no consensus", table) == "a confidence is below 70%"
        assert "no consensus" not in dict(results.standing(course(rounds=(held(1),))))

    def test_nothing_stands_before_the_first_round(self) -> None:
        """Before a round has ended there are no figures."""
        assert [] == results.standing(course())

    def test_the_last_round_is_below_the_positions(self) -> None:
        """The figures of the last round, its context, groupthink and safety are notes of the table."""
        shown = live_table(argued(), names_of(debate()), debate())
        assert [note.text for note in shown.notes] == [": ".join(line) for line in results.standing(argued())]

    @pytest.mark.parametrize("mode", ["collaborative", "devils-advocate", "red-team-blue-team", "delphi"])
    def test_all_rows_have_as_many_cells(self, mode: str) -> None:
        """They can be shown as one table."""
        assert 1 == len({len(row) for row in live_rows(argued(), debate(mode))})

    def test_what_was_not_shown_whole_is_reported_with_the_context(self) -> None:
        """Point 28: how many claims are shortened or shown by their ids alone, and how many turns are cut."""
        use = ContextUse(total=9000, material=1500, claims_shortened=2, claims_by_id=1, turns_shortened=3)
        table = course(rounds=(held(1, context=use),))
        whole = "9,000 tokens and 1,500 of material; 2 claims shortened; 1 claim by id alone; 3 turns shortened"
        assert whole == told("context", table)


def told(name: str, table: DebateHistory) -> str:
    """The text beside ``name``."""
    return dict(results.standing(table))[name]


UNMOVED = Measures(new_facts=0, mean_confidence=0.9)


class TestGroupthinkShown:
    """Decision 3 on the screen."""

    def test_fired(self) -> None:
        """Both triggers are named, and what follows."""
        table = course(rounds=(held(2, fired=("stagnation", "early_convergence")),))
        assert "stagnation and early convergence: an objection round follows" == told("groupthink", table)

    @pytest.mark.parametrize(
        ("measures", "decision", "expected"),
        [
            (Measures(new_facts=1), None, "the objection round helped"),
            (UNMOVED, None, "the objection round failed; a user is asked"),
            (UNMOVED, "continue", "the objection round failed; a user: continue"),
        ],
    )
    def test_after_the_objection_round(self, measures: Measures, decision: str | None, expected: str) -> None:
        """Whether it helped, and if not what a user made of it."""
        made = [Escalation.model_validate({"round": 3, "why": "", "decision": decision})] if decision else []
        table = course(rounds=(held(3, kind="objection", measures=measures),), escalations=made)
        assert expected == told("groupthink", table)


class TestSafetyShown:
    """Decision 2 on the screen."""

    def test_the_evaluator_judges(self) -> None:
        """Why it was called, and how many rounds were clean since."""
        called = judged(CLEAN, is_active=True, triggers=("mode", "high_stakes"))
        table = course(rounds=(held(1, turn(1, withheld="x"), safety=called),), is_evaluated=True, clean_rounds=1)
        shown = "the evaluator judges (mode, high stakes), 1 clean round; withheld: p1 in round 1"
        assert shown == told("safety", table)

    def test_the_evaluator_left(self) -> None:
        """After two clean rounds it is there no more."""
        table = course(rounds=(held(1, safety=SafetyRound(is_active=True, triggers=("topic",))),))
        assert "the evaluator left; withheld: no turn" == told("safety", table)

    def test_many_withheld_turns_are_counted(self) -> None:
        """The first four are listed, the latest round first."""
        rounds = [held(n, *(turn(k, n, withheld="x") for k in (1, 2, 3))) for n in (1, 2)]
        listed = "p1 in round 2, p2 in round 2, p3 in round 2, p1 in round 1 and 2 more"
        assert (told("safety", course(rounds=rounds)) or "").endswith(f"withheld: {listed}")


class TestTrimmed:
    """What the next run needs."""

    def test_only_the_round_before_is_kept_in_full(self) -> None:
        """Older turns lose their prose, and keep how they was and what they did to which claim."""
        long = reading(
            claim("Traffic fell", "FACT", citations=[1]), references=(reference(1, "Lund 2021"),), replies_to=("p2",)
        )
        touched = ClaimsTouched(introduced=("C1",))
        rounds = [held(n, turn(1, n, long, claims_touched=touched, vote_before="MINOR")) for n in (1, 2, 3)]
        kept = results.trimmed(course(rounds=rounds)).rounds
        bare = kept[0].turns[0]
        assert ("", "", (), (), ()) == (
            bare.said.reasoning,
            bare.said.steelman,
            bare.said.claims,
            bare.said.references,
            bare.said.alternatives,
        )
        assert (long.position, "ACCEPT", 0.8, touched, "MINOR") == (
            bare.said.position,
            bare.vote,
            bare.confidence,
            bare.claims_touched,
            bare.vote_before,
        )
        assert (bare.said, rounds[2]) == (kept[1].turns[0].said, kept[2])

    def test_what_may_still_be_released_is_kept_whole(self) -> None:
        """A withheld turn of an older round keeps everything that it states."""
        hidden = turn(1, 1, reading(claim("Traffic fell")), withheld="why", withheld_for="other")
        kept = results.trimmed(course(rounds=(held(1, hidden, turn(2)), held(2, turn(1, 2))))).rounds[0]
        assert (hidden, "") == (kept.turns[0], kept.turns[1].said.reasoning)

    def test_everything_else_stays(self) -> None:
        """Registries, losses and figures are carried on as they are."""
        table = argued(failed=(LOSS,), lost=(seat(3),), clean_rounds=1)
        assert table == results.trimmed(table)

    def test_before_the_first_round(self) -> None:
        """Nothing is there to be trimmed."""
        assert course() == results.trimmed(course())
