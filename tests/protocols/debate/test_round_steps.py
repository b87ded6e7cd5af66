"""How replies become turns and turns a round that has ended (seed 003, sections 5.1, 7.2, 7.4; decisions 1, 2, 5)."""

from collections.abc import Sequence
from typing import Any

import pytest

from protocols.debate.aliases import Aliases, labels
from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import DebateHistory, RoundKind, SafetyRound, SafetyVerdict, WithheldTurn
from protocols.debate.model.io import Carried, DebateInput
from protocols.debate.model.state import PERSON, WITHHELD, AgentStatus
from protocols.debate.model.turn import ClaimsTouched, TurnReading, Violation
from protocols.debate.modes import MODES
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.rules import summaries
from protocols.debate.rules.measures import measure
from protocols.debate.rules.round_steps import (
    apply_reply,
    close_round,
    open_round,
    release_turn,
    restore_seat,
    start_debate,
)
from protocols.debate.rules.safety import apply_verdict, withheld_turns
from protocols.model_call import Answered, Failed, FailureKind, Spending
from tests.protocols.debate.parts import (
    NOON,
    claim,
    course,
    debate,
    evidence,
    held,
    lost,
    model,
    names_of,
    page,
    reading,
    reference,
    registered,
    reply,
    seat,
    state,
    turn,
    unread,
)

P1, P2, P3 = seat(1), seat(2), seat(3)
LUND = reference(1, "Lund (2021). Traffic.")
PAGE = page(1, LUND.text)
BY_PAGE = reference(1, LUND.text, PAGE.url)
C1 = registered(1, "Traffic fell in cities")
NAMES_P1 = SafetyVerdict(is_clean=False, withhold=(WithheldTurn(agent=P1, rule="exploit_steps"),), reason="steps")
PROSE = TurnReading(position="I am for it.", reasoning="I am for it.", source="prose")


def view_of(inp: DebateInput, table: DebateHistory, names: Aliases | None = None) -> DebateView:
    """The debate as a step sees it."""
    return DebateView(inp, table, names or names_of(inp), "secret")


def hear(
    inp: DebateInput,
    *replies: Answered | Failed,
    before: DebateHistory | None = None,
    number: int = 1,
    names: Aliases | None = None,
    kind: RoundKind = "ordinary",
) -> DebateHistory:
    """The table after these replies in that round."""
    table = before or open_round(start_debate(inp), number)
    for one in replies:
        table = apply_reply(view_of(inp, table, names), one, RoundContext(number, kind))
    return table


def over(inp: DebateInput, table: DebateHistory, number: int = 1, **changes: Any) -> DebateHistory:
    """The table when that round has ended."""
    whole: dict[str, Any] = {"context": ContextUse(), "safety": SafetyRound(), **changes}
    return close_round(view_of(inp, table), RoundContext(number, whole.pop("kind", "ordinary")), **whole)


class TestBeginning:
    """The state before the first turn."""

    def test_nobody_has_answered_and_everybody_takes_part(self) -> None:
        """Topic, limit and focus questions come from what was asked."""
        inp = debate(max_rounds=7, focus_questions=("Costs?",))
        assert course(state=state(round=0), limit=7, focus=("Costs?",)) == start_debate(inp)

    def test_a_continued_run_begins_where_the_last_one_ended(self) -> None:
        """What it hands on is the table."""
        inp, kept = debate(), course(limit=9)
        carried = Carried(
            course=kept,
            said=0,
            panel=inp.panel,
            spent=Spending(),
            secret="s",
            labels=inp.seats,
            chapter_key="k",
            started_at=NOON,
        )
        assert kept == start_debate(debate(carried=carried))

    def test_a_round_opens_with_nobody_having_answered_in_it(self) -> None:
        """The state has its number, and everything else stays."""
        before = course(open=(turn(1),), rounds=(held(1, turn(1)),))
        after = open_round(before, 2)
        assert (2, (), before.rounds) == (after.state.round, after.open, after.rounds)


class TestATurn:
    """Sections 5.1 and 7.4: what is kept of a turn."""

    def test_it_is_held_with_what_it_means_for_the_debate(self) -> None:
        """Claims touched, new facts and citations used are those of the registries, which have them now."""
        said = reading(claim("Traffic fell", "FACT", citations=[1]), references=[BY_PAGE])
        table = hear(debate(), reply(1, said, sources=[PAGE]))
        expected = turn(
            1,
            said=said,
            sources=[PAGE],
            claims_touched=ClaimsTouched(introduced=("C1",)),
            new_facts=1,
            citations_used=("E1",),
            perspective_anchor=MODES["collaborative"].anchors[0],
        )
        assert (expected,) == table.open
        assert (["C1"], ["E1"]) == ([one.id for one in table.state.claims], [one.id for one in table.state.evidence])

    def test_turns_stand_in_the_order_in_which_they_were_received(self) -> None:
        """The first to answer is first."""
        assert [P2, P1] == [one.agent for one in hear(debate(), reply(2), reply(1)).open]

    def test_a_turn_has_the_note_of_its_reply(self) -> None:
        """A reply that was cut off is marked as such in the turn that it became; a whole one has no mark."""
        table = hear(debate(), reply(1, finish="truncated"), reply(2))
        assert ["cut off by its length", ""] == [one.note for one in table.open]

    def test_in_its_first_turn_nothing_has_changed(self) -> None:
        """Neither confidence nor vote has one before."""
        first = hear(debate(), reply(1)).open[0]
        assert (None, None) == (first.confidence_delta, first.vote_before)

    @pytest.mark.parametrize(
        ("before", "now", "delta"), [(0.7, 0.8, 0.1), (0.8, 0.7, -0.1), (None, 0.8, None), (0.8, None, None)]
    )
    def test_confidence_delta_is_against_its_turn_before(
        self, before: float | None, now: float | None, delta: float | None
    ) -> None:
        """Section 7.2: exactly a tenth is a tenth, and what is missing is not made up."""
        rounds = (held(1, turn(1, said=reading(confidence=before, vote="MINOR"))), held(2, turn(2, 2)))
        later = hear(debate(), reply(1, reading(confidence=now)), before=course(rounds=rounds), number=3).open[0]
        assert (delta, "MINOR") == (later.confidence_delta, later.vote_before)

    @pytest.mark.parametrize(
        ("said", "expected"),
        [(["p2", "p3 (model-3)"], (P2, P3)), (["P2", "p2"], (P2,)), (["p1", "somebody", "everyone"], ())],
    )
    def test_direct_replies_are_to_the_peers_that_it_names(self, said: list[str], expected: tuple[str, ...]) -> None:
        """Section 7.4, ``direct_replies_to``: each once, never itself, and only debaters."""
        assert expected == hear(debate(), reply(1, reading(replies_to=said))).open[0].direct_replies_to

    def test_under_labels_replies_are_to_whoever_bears_them(self) -> None:
        """In delphi ``Expert A`` is who was assigned that label."""
        table = hear(debate("delphi"), reply(1, reading(replies_to=["Expert A"])), names=labels((P3, P2, P1)))
        assert (P3,) == table.open[0].direct_replies_to

    @pytest.mark.parametrize("mode", MODES)
    def test_every_agent_has_its_permanent_anchor(self, mode: str) -> None:
        """Decision 5: by position, round after round, whichever debater is lost."""
        inp = debate(mode, 5)
        table = hear(inp, reply(5), before=hear(inp, lost(1), reply(2)))
        anchors = MODES[inp.mode].anchors
        assert [anchors[1], anchors[0]] == [one.perspective_anchor for one in table.open]

    def test_a_stance_is_kept_in_devils_advocate(self) -> None:
        """There it is assigned, and means something (decision 1)."""
        assert hear(debate("devils-advocate"), reply(1, reading(stance="YES"))).open[0].said.stance == "YES"

    @pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "devils-advocate"])
    def test_elsewhere_a_stance_is_left_out(self, mode: str) -> None:
        """Decision 1: EXCLUSIVE to devil's advocate; ``debate_alignment`` stays."""
        table = hear(debate(mode), reply(1, reading(stance="YES", debate_alignment="for")))
        assert (None, "for") == (table.open[0].said.stance, table.open[0].said.debate_alignment)
        assert table.state.agent_status[0].stance is None

    def test_everything_that_it_breaks_is_recorded_with_it(self) -> None:
        """What the reader found comes first, then what is found here; the turn is as it was written."""
        found = Violation(kind="fact_uncited", detail="C")
        said = reading(violations=[found], concerns=())
        after = hear(debate(), reply(1, said)).open[0]
        assert ["fact_uncited", "agreement_without_concern"] == [one.kind for one in after.violations]
        assert said == after.said

    def test_in_an_objection_round_it_owes_a_counterargument(self) -> None:
        """The kind of the round counts (decision 3)."""
        table = hear(debate(), reply(1, reading(vote="MINOR", concerns=())), kind="objection")
        assert ["no_counterargument"] == [one.kind for one in table.open[0].violations]


class TestAgentStatus:
    """Section 7.2, ``agent_status``."""

    def test_it_is_how_an_agent_stands_after_its_turn(self) -> None:
        """Stance, confidence, change, vote and the first key point; who has not spoken is not in it."""
        inp = debate("devils-advocate")
        rounds = (held(1, turn(2, said=reading(confidence=0.79))),)
        said = reading(stance="NO", confidence=0.85, vote="MINOR", key_points=[" ", "Look at deliveries."])
        table = hear(inp, reply(2, said), before=course(rounds=rounds), number=2)
        expected = AgentStatus(
            agent=P2, stance="NO", confidence=0.85, confidence_delta=0.06, vote="MINOR", key_point="Look at deliveries."
        )
        assert (expected,) == table.state.agent_status

    def test_without_key_points_its_position_stands_for_it(self) -> None:
        """Something has to be in the table."""
        table = hear(debate(), reply(1, reading(key_points=[], position="For it.")))
        assert table.state.agent_status[0].key_point == "For it."

    def test_it_is_in_the_order_of_the_panel(self) -> None:
        """The debater that answered first."""
        assert [P1, P2] == [one.agent for one in hear(debate(), reply(2), reply(1)).state.agent_status]


NO_TURN = [unread(1), reply(1, reading=None), lost(1, "refused"), lost(1, "unparseable"), lost(1, "truncated")]
NO_ANSWER = [lost(1), lost(1, "api_error"), lost(1, "rate_limited"), lost(1, "budget")]


class TestLosses:
    """A turn that was refused or cannot be read is lost for its round, a seat whose model gives no answer for good."""

    @pytest.mark.parametrize("mode", ["strict", "resilient"])
    @pytest.mark.parametrize("one", NO_ANSWER)
    def test_without_an_answer_a_debater_is_lost(self, mode: str, one: Failed) -> None:
        """The seat is left out from now on, its turns stay, and the call is on record."""
        table = hear(debate(failure_mode=mode), one, reply(2))
        assert ((P1,), (P2, P3), [P2]) == (table.lost, table.active, [each.agent for each in table.open])
        assert [(P1, "turns", 1)] == [(each.participant, each.stage, each.round) for each in table.failed]

    @pytest.mark.parametrize("one", NO_TURN)
    def test_point_30_a_refused_or_unreadable_turn_loses_no_debater(self, one: Answered | Failed) -> None:
        """It has no turn in the round, the call is on record, and it is asked again in the next."""
        table = hear(debate(), one, reply(2))
        assert ((), (P1, P2, P3), [P2]) == (table.lost, table.active, [each.agent for each in table.open])
        assert [(P1, "turns", 1)] == [(each.participant, each.stage, each.round) for each in table.failed]

    @pytest.mark.parametrize("one", NO_TURN)
    def test_who_has_no_turn_holds_nothing_from_before(self, one: Answered | Failed) -> None:
        """An earlier vote and confidence do not count for the round, and everyone learns that there is no turn."""
        before = course(state=state(agent_status=[AgentStatus(agent=P1, vote="ACCEPT", confidence=0.9)]))
        table = hear(debate(), one, before=before, number=2)
        assert (AgentStatus(agent=P1, key_point="[no turn in round 2]"),) == table.state.agent_status

    def test_who_has_no_turn_agrees_to_nothing(self) -> None:
        """Two of three that accept are no four fifths, and an unknown confidence is no high one."""
        inp = debate()
        accepted = [reply(number, reading(vote="ACCEPT", confidence=0.9)) for number in (2, 3)]
        told = over(inp, hear(inp, lost(1, "refused"), *accepted), 1).rounds[0].measures
        assert (round(2 / 3, 12), None) == (told.agreement, told.lowest_confidence)

    def test_a_lost_debater_is_not_counted_in_the_figures(self) -> None:
        """Agreement is among those that still take part."""
        inp = debate()
        accepted = [reply(number, reading(vote="ACCEPT", confidence=0.9)) for number in (2, 3)]
        told = over(inp, hear(inp, lost(1), *accepted), 1).rounds[0].measures
        assert (1.0, 0.9) == (told.agreement, told.lowest_confidence)

    def test_who_had_no_turn_is_received_in_the_next_round(self) -> None:
        """Its turn is compared with the one before the gap, and it is unchanged now."""
        inp = debate()
        first = over(inp, hear(inp, reply(1, reading(confidence=0.5))), 1)
        second = over(inp, hear(inp, lost(1, "refused"), reply(2), before=open_round(first, 2), number=2), 2)
        third = hear(inp, reply(1, reading(confidence=0.8)), before=open_round(second, 3), number=3)
        assert (0.3, 0.8) == (third.open[0].confidence_delta, third.state.agent_status[0].confidence)

    @pytest.mark.parametrize("kind", ["timeout", "api_error", "refused", "budget"])
    def test_the_record_states_what_became_of_the_call(self, kind: FailureKind) -> None:
        """As the activity returns it."""
        failed = hear(debate(), lost(1, kind), number=3).failed[0]
        assert (kind, f"provider.{kind}", 3, 3) == (failed.kind, failed.error_type, failed.round, failed.attempts)

    @pytest.mark.parametrize(("why", "message"), [("no position", "no position"), ("", "no position could be read")])
    def test_an_unreadable_reply_states_why(self, why: str, message: str) -> None:
        """Its kind is ``unparseable``, and its attempts are those that were paid."""
        failed = hear(debate(), unread(1, why)).failed[0]
        assert ("unparseable", "reply.unparseable", message, 2) == (
            failed.kind,
            failed.error_type,
            failed.message,
            failed.attempts,
        )

    def test_a_long_reason_is_cut(self) -> None:
        """A record is no place for a whole reply."""
        assert len(hear(debate(), unread(1, "x" * 900)).failed[0].message) == 500

    @pytest.mark.parametrize(("number", "stage"), [(1, "red"), (2, "blue"), (3, "red")])
    def test_in_team_order_the_stage_is_the_teams(self, number: int, stage: str) -> None:
        """Red by position, then blue."""
        assert stage == hear(debate("red-team-blue-team"), lost(number)).failed[0].stage

    def test_its_status_stays_and_states_so(self) -> None:
        """How it was when it last spoke, and that it is lost."""
        before = course(state=state(agent_status=[AgentStatus(agent=P1, vote="MINOR", key_point="Deliveries")]))
        table = hear(debate(), lost(1), before=before, number=2)
        assert (AgentStatus(agent=P1, vote="MINOR", key_point="Deliveries", is_lost=True),) == table.state.agent_status

    def test_prose_is_a_turn_in_resilient(self) -> None:
        """Without numbers, vote and claims it runs all the same."""
        table = hear(debate(), reply(1, PROSE))
        assert ((PROSE,), ()) == (tuple(one.said for one in table.open), table.lost)
        assert (None, None) == (table.open[0].confidence, table.open[0].vote)

    def test_prose_counts_as_unreadable_in_strict(self) -> None:
        """There a debater that keeps to no format has no turn, which ends the debate."""
        table = hear(debate(failure_mode="strict"), reply(1, PROSE))
        assert ((), (), ["unparseable"]) == (table.open, table.lost, [one.kind for one in table.failed])

    def test_who_is_lost_twice_is_lost_once(self) -> None:
        """Both calls are on record, and the seat is left out once."""
        table = hear(debate(), lost(1), lost(1))
        assert ((P1,), 2) == (table.lost, len(table.failed))

    def test_a_replaced_model_is_asked_again(self) -> None:
        """The seat takes part as before, and the lost call stays on record."""
        table = hear(debate(), lost(1), lost(2))
        after = restore_seat(table, P1)
        assert ((P2,), (P1, P3), table.failed) == (after.lost, after.active, after.failed)
        assert [False, True] == [one.is_lost for one in after.state.agent_status]

    def test_who_was_not_lost_need_not_be_revived(self) -> None:
        """A model replaced in good time changes nothing here."""
        table = hear(debate(), reply(1))
        assert table == restore_seat(table, P1)


class TestAlerts:
    """Decision 2, tier 1: words that point to a hazard."""

    SAID = reading(
        claim("A bomb squad clears the site", "FACT", citations=[1]), references=[LUND], alerts=["exploit_steps"]
    )

    def test_they_withhold_nothing(self) -> None:
        """The turn is shown, and what it states enters the registries: only the evaluator withholds."""
        table = hear(debate(), reply(1, self.SAID), reply(2))
        assert ([P1, P2], ["C1"], ["E1"]) == (
            [one.agent for one in table.shown],
            [one.id for one in table.state.claims],
            [one.id for one in table.state.evidence],
        )


class TestReleased:
    """A user has a withheld turn shown."""

    SAID = reading(claim("Traffic fell in cities", "FACT", citations=[1]), references=[BY_PAGE], reinforces=["C1"])

    def withheld(self, inp: DebateInput, *, rounds: int = 0) -> DebateHistory:
        """The table with the first debater's turn of round 1 withheld, and so many rounds over."""
        table = apply_verdict(hear(inp, reply(1, self.SAID, sources=[PAGE]), reply(2)), (P1, P2), NAMES_P1)
        for number in range(1, rounds + 1):
            table = over(inp, table, number)
            table = open_round(table, number + 1)
        return table

    def test_in_its_own_round(self) -> None:
        """Peers see it, and its claims and evidence have ids; the old ids stay blank."""
        inp = debate()
        before = self.withheld(inp)
        after, turn = release_turn(view_of(inp, before), before.open[0], "a quotation")
        assert [("C1", WITHHELD), ("C2", "Traffic fell in cities")] == [
            (one.id, one.text) for one in after.state.claims
        ]
        assert ((), [P1, P2]) == (withheld_turns(after), [one.agent for one in after.shown])
        assert (turn, ("C2",), 1) == (after.open[0], turn.claims_touched.introduced, turn.new_facts)

    def test_it_keeps_the_rule_and_states_that_it_was_released(self) -> None:
        """The record shows that it was withheld, under which rule, and what the person said."""
        inp = debate()
        before = self.withheld(inp)
        for note, said in (("a quotation", "released by a person: a quotation"), (" ", "released by a person")):
            _, turn = release_turn(view_of(inp, before), before.open[0], note)
            assert ("", "exploit_steps", said) == (turn.withheld, turn.withheld_for, turn.released)

    def test_in_a_round_that_is_over(self) -> None:
        """Figures and the short form of its round follow; what the round set off stays, and so do later rounds."""
        inp = debate()
        before = self.withheld(inp, rounds=1)
        after, _ = release_turn(view_of(inp, before), before.rounds[0].turns[0], "")
        (was,), (now,) = before.rounds, after.rounds
        assert ((0, 1), was.fired) == ((was.measures.new_facts, now.measures.new_facts), now.fired)
        moves = [
            [move.ref for move in one.key_moves]
            for one in (was.summary.summary.by_agent[0], now.summary.summary.by_agent[0])
        ]
        assert ([], True) == (moves[0], "C2" in moves[1])
        later = over(inp, hear(inp, reply(2), before=self.withheld(inp, rounds=1), number=2), 2)
        after, _ = release_turn(view_of(inp, later), later.rounds[0].turns[0], "")
        assert (True, False) == (later.rounds[1] == after.rounds[1], later.rounds[0] == after.rounds[0])

    def test_what_it_claims_belongs_to_the_present_round(self) -> None:
        """It enters the registries when it is released, so in a parallel round those asked before cannot mean it."""
        inp = debate()
        before = self.withheld(inp, rounds=2)
        after, _ = release_turn(view_of(inp, before), before.rounds[0].turns[0], "")
        assert [("C1", 1), ("C2", 3)] == [(one.id, one.introduced_round) for one in after.state.claims]

    def test_how_its_agent_stands_is_shown_again(self) -> None:
        """If it is the latest turn of its debater; a later one means the debater otherwise."""
        inp = debate()
        first = self.withheld(inp)
        after, _ = release_turn(view_of(inp, first), first.open[0], "")
        spoken = hear(inp, reply(1, reading(key_points=["Later."])), before=self.withheld(inp, rounds=1), number=2)
        later, _ = release_turn(view_of(inp, spoken), spoken.rounds[0].turns[0], "")
        assert ["Close it in steps.", "Later."] == [one.state.agent_status[0].key_point for one in (after, later)]


def meaning(mode: str, first: int, then: int, number: int = 1) -> Sequence[str]:
    """What ``then`` challenges with C1, after ``first`` introduced it in round 1."""
    inp = debate(mode, 4)
    table = hear(inp, reply(first, reading(claim("Traffic fell in cities"))))
    said = reading(challenges=["C1"], vote="MINOR")
    return (
        hear(inp, reply(then, said), before=open_round(table, number), number=number).open[0].claims_touched.challenged
    )


class TestWhatCanBeMeant:
    """Section 3.6: who sees what in which order, and therefore can name it."""

    @pytest.mark.parametrize("mode", [name for name, mode in MODES.items() if mode.order == "parallel"])
    def test_in_parallel_nobody_has_seen_this_rounds_claims(self, mode: str) -> None:
        """C1 written there is the writer's own numbering; a round later it is the claim."""
        assert ((), ("C1",)) == (meaning(mode, 1, 2), meaning(mode, 1, 2, number=2))

    @pytest.mark.parametrize("mode", [name for name, mode in MODES.items() if mode.order == "sequential"])
    def test_in_sequence_those_before_have_been_received(self, mode: str) -> None:
        """Each sees the turns of this round so far."""
        assert meaning(mode, 1, 2) == ("C1",)

    def test_nobody_has_been_shown_the_ids_of_its_own_turn(self) -> None:
        """The further call names the rules that the turn breaks and not the ids of its claims."""
        inp = debate("adversarial")
        table = hear(inp, reply(1, reading(claim("Traffic fell in cities"))))
        after = hear(inp, reply(1, reading(challenges=["C1"])), before=table)
        assert after.open[0].claims_touched.challenged == ()

    @pytest.mark.parametrize(("first", "then", "expected"), [(1, 2, ("C1",)), (1, 3, ()), (2, 4, ())])
    def test_blue_has_received_red_and_nobody_its_own_team(
        self, first: int, then: int, expected: tuple[str, ...]
    ) -> None:
        """Team by team."""
        assert expected == meaning("red-team-blue-team", first, then)

    @pytest.mark.parametrize("mode", MODES)
    def test_a_persons_evidence_can_always_be_cited(self, mode: str) -> None:
        """It is shown as soon as it is there."""
        before = course(state=state(evidence=[evidence(1, "Register", added_by=PERSON)]))
        said = reading(claim("Traffic fell", "FACT", evidence=["E1"]))
        assert hear(debate(mode), reply(1, said), before=before).open[0].new_facts == 1

    def test_where_no_claim_was_shown_a_blocker_needs_none(self) -> None:
        """In round 1 there is nothing to oppose; in round 2 there is."""
        inp, said = debate(), reading(claim("Shops lose trade"), vote="BLOCKER")
        first = hear(
            inp, reply(1, said), before=course(state=state(evidence=[evidence(1, "Register", added_by=PERSON)]))
        )
        later = hear(inp, reply(1, said), before=open_round(first, 2), number=2)
        assert ((), ["dissent_untethered"]) == (
            first.open[0].violations,
            [one.kind for one in later.open[0].violations],
        )


class TestClosing:
    """A round that has ended."""

    def test_it_is_kept_with_its_turns_its_summary_and_its_figures(self) -> None:
        """Everything of the round is in it, and the table is free for the next."""
        inp = debate()
        table = hear(inp, reply(1), reply(2), reply(3))
        context, safety = ContextUse(total=700), SafetyRound(is_active=True)
        after = over(inp, table, one_liner="They agreed.", context=context, safety=safety, kind="objection")
        expected = held(
            1,
            *table.open,
            kind="objection",
            summary=summaries.summarise_round(table, names_of(inp), "They agreed."),
            measures=measure("collaborative", table.open),
            context=context,
            safety=safety,
            lacking="nothing is agreed after round 1: there was no motion",
        )
        assert ((expected,), ()) == (after.rounds, after.open)

    def test_triggers_that_fire_are_kept_with_the_round(self) -> None:
        """Everyone sure in round 1 with nothing cited is early convergence (decision 3)."""
        inp, sure = debate(), reading(confidence=0.95)
        after = over(inp, hear(inp, reply(1, sure), reply(2, sure), reply(3, sure)))
        assert after.rounds[0].fired == ("early_convergence",)

    def test_it_has_the_number_of_its_round(self) -> None:
        """Whatever round the table was in."""
        inp = debate()
        after = over(inp, hear(inp, reply(1), number=4, before=course()), 4)
        assert (4, 4, 4) == (after.rounds[0].number, after.rounds[0].summary.round, after.state.round)

    def test_the_next_round_is_measured_against_it(self) -> None:
        """Vote and confidence of the turn before are those of the round that has ended."""
        inp = debate()
        first = over(inp, hear(inp, reply(1, reading(confidence=0.5, vote="BLOCKER"))))
        later = hear(inp, reply(1), before=open_round(first, 2), number=2).open[0]
        assert (0.3, "BLOCKER", model(1)) == (later.confidence_delta, later.vote_before, later.model)
