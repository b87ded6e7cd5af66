"""What follows a round (seed 003: section 2, P1; section 9.2, decision 3), in the order of the design's section 4.4."""

from typing import Any

import pytest

from protocols.answers import AnswerForm
from protocols.debate.model.history import CompletedRound, DebateHistory, Escalation, Measures, Motion
from protocols.debate.model.io import ModeName
from protocols.debate.modes import MODES
from protocols.debate.rules.stop_rules import decide_next, why_no_consensus
from protocols.model_call import lost_call
from tests.protocols.debate.parts import course, debate, held, lost, reading, seat, turn

AGREED = {"agreement": 0.9, "blockers": 0, "lowest_confidence": 0.75}
RESTLESS = {"agreement": 0.5, "blockers": 1, "mean_confidence_change": 0.3, "votes_changed": 0.5, "new_facts": 2}
STILL = {"agreement": 0.5, "blockers": 1, "mean_confidence_change": 0.05, "votes_changed": 0.05, "new_facts": 0}
UNMOVED = {"new_facts": 0, "mean_confidence": 0.9, "mean_confidence_change": 0.01}


MOTION = Motion(round=1, text=reading().position, by=seat(1))


def told(number: int, figures: dict[str, Any], **changes: Any) -> CompletedRound:
    """A round with these figures, in which everyone spoke and held the motion, from the second on."""
    whole = {"measures": Measures.model_validate(figures), "motion": MOTION if number > 1 else None, **changes}
    return held(number, turn(1, number), turn(2, number), turn(3, number), **whole)


def following(*rounds: CompletedRound, mode: str = "resilient", **changes: Any) -> str:
    """What follows the last of ``rounds``."""
    return decide_next(course(rounds=rounds, **changes), debate(failure_mode=mode))


LOSS = lost_call(lost(3), "turns")


class TestConsensus:
    """P1.1: consensus threshold."""

    @pytest.mark.parametrize(("agreement", "end"), [(0.81, "consensus"), (0.8, "consensus"), (0.799, "round")])
    def test_four_in_five_accept(self, agreement: float, end: str) -> None:
        """>= 80 % agents vote ACCEPT or MINOR: exactly 80 % are enough."""
        assert end == following(told(2, AGREED | {"agreement": agreement}))

    @pytest.mark.parametrize(("blockers", "end"), [(0, "consensus"), (1, "round")])
    def test_no_blocker(self, blockers: int, end: str) -> None:
        """Zero BLOCKER objections unresolved: with one there is no consensus, however many accept."""
        assert end == following(told(2, AGREED | {"blockers": blockers}))

    @pytest.mark.parametrize(
        ("lowest", "end"), [(0.71, "consensus"), (0.7, "consensus"), (0.699, "round"), (None, "round")]
    )
    def test_everybody_is_sure_enough(self, lowest: float | None, end: str) -> None:
        """All agents' confidence >= 0.70: exactly 0.70 is enough, and a debater without one is not sure."""
        assert end == following(told(2, AGREED | {"lowest_confidence": lowest}))


class TestPlateau:
    """P1.2: convergence plateau, two rounds in a row."""

    def test_two_rounds_in_a_row(self) -> None:
        """Two still rounds end it, one does not, and two with a lively one between them do not."""
        assert "plateau" == following(told(2, STILL), told(3, STILL))
        assert "round" == following(told(3, STILL))
        assert "round" == following(told(1, STILL), told(2, RESTLESS), told(3, STILL))

    def test_the_first_round_is_not_still(self) -> None:
        """Without an earlier turn nothing is known to be unchanged."""
        first = STILL | {"mean_confidence_change": None, "votes_changed": None}
        assert "round" == following(told(1, first), told(2, STILL))

    @pytest.mark.parametrize(("change", "end"), [(0.099, "plateau"), (0.1, "round"), (0.101, "round"), (None, "round")])
    def test_change_of_confidence_below_a_tenth(self, change: float | None, end: str) -> None:
        """< 10 % change: exactly a tenth is a change."""
        assert end == following(told(2, STILL), told(3, STILL | {"mean_confidence_change": change}))

    @pytest.mark.parametrize(
        ("changed", "end"), [(0.099, "plateau"), (0.1, "round"), (0.101, "round"), (None, "round")]
    )
    def test_votes_changed_below_a_tenth(self, changed: float | None, end: str) -> None:
        """< 10 % of the votes: one of ten that votes otherwise is a change."""
        assert end == following(told(2, STILL), told(3, STILL | {"votes_changed": changed}))

    @pytest.mark.parametrize(("facts", "end"), [(0, "plateau"), (1, "round")])
    def test_no_new_fact(self, facts: int, end: str) -> None:
        """No new [FACT] claims introduced: one is enough to continue."""
        assert end == following(told(2, STILL), told(3, STILL | {"new_facts": facts}))

    @pytest.mark.parametrize("lively", [{"mean_confidence_change": 0.2}, {"votes_changed": 0.2}, {"new_facts": 1}])
    def test_each_condition_is_needed_in_the_first_of_the_two_as_well(self, lively: dict[str, float]) -> None:
        """One condition that fails in one of the two rounds is enough to continue."""
        assert "round" == following(told(2, STILL | lively), told(3, STILL))


class TestRoundCap:
    """P1.3: maximum rounds reached."""

    @pytest.mark.parametrize(("limit", "end"), [(1, "round_cap"), (2, "round_cap"), (3, "round")])
    def test_the_cap(self, limit: int, end: str) -> None:
        """As many ordinary rounds run as are allowed."""
        assert end == following(told(1, RESTLESS), told(2, RESTLESS), limit=limit)

    def test_five_rounds_unless_it_is_said(self) -> None:
        """The default is five."""
        rounds = [told(n, RESTLESS) for n in range(1, 6)]
        limit = debate().max_rounds
        assert ["round", "round_cap"] == [following(*rounds[:count], limit=limit) for count in (4, 5)]

    def test_objection_rounds_do_not_count(self) -> None:
        """They come on top."""
        objection = told(2, RESTLESS, kind="objection")
        assert "round" == following(told(1, RESTLESS), objection, limit=2)
        assert "round_cap" == following(told(1, RESTLESS), objection, told(3, RESTLESS), limit=2)


FIRED = told(2, AGREED, fired=("stagnation",))
FAILED = told(3, AGREED | UNMOVED, kind="objection")


def escalated(decision: str | None, number: int = 3) -> tuple[Escalation, ...]:
    """A wait for a user after that round, and what followed."""
    return (Escalation.model_validate({"round": number, "why": "it failed", "decision": decision}),)


class TestGroupthink:
    """Decision 3: the intervention and the escalation."""

    def test_an_objection_round_is_mandatory(self) -> None:
        """It follows when either trigger fires, even past the cap."""
        early = told(2, RESTLESS, fired=("early_convergence",))
        assert ["objection"] * 3 == [following(FIRED), following(early), following(FIRED, limit=1)]

    def test_a_failed_objection_round_waits_for_a_person(self) -> None:
        """Human escalation only if it fails."""
        assert "escalate" == following(FIRED, FAILED)

    @pytest.mark.parametrize("moved", [{"new_facts": 1}, {"mean_confidence": 0.7}, {"mean_confidence_change": 0.05}])
    def test_one_that_helped_does_not(self, moved: dict[str, float]) -> None:
        """With a new fact, less confidence or moved belief the exits of P1 decide."""
        assert "consensus" == following(FIRED, told(3, AGREED | UNMOVED | moved, kind="objection"))

    def test_an_ordinary_round_never_escalates(self) -> None:
        """The same figures in an ordinary round are no failure."""
        assert "consensus" == following(told(3, AGREED | UNMOVED))

    @pytest.mark.parametrize(
        ("decision", "end"),
        [
            ("accept", "accepted"),
            ("reject", "rejected"),
            ("timed_out", "escalation_timed_out"),
            ("continue", "round"),
            (None, "escalate"),
        ],
    )
    def test_what_a_person_decides(self, decision: str | None, end: str) -> None:
        """Accept, reject or continue; without a user in time it ends so."""
        assert end == following(FIRED, FAILED, escalations=escalated(decision))

    def test_a_decision_holds_for_its_round_only(self) -> None:
        """What was decided of an earlier objection round answers no later one."""
        assert "escalate" == following(FIRED, FAILED, escalations=escalated("accept", 1))

    def test_going_on_gives_another_round(self) -> None:
        """Neither agreement nor plateau nor cap keeps a user's debate from its next round (point 31)."""
        still = told(2, AGREED | STILL), told(3, AGREED | STILL | UNMOVED, kind="objection")
        ends = [following(*still, escalations=escalated("continue"), limit=limit) for limit in (1, 2)]
        assert ["round", "round"] == ends


def blocked(*withheld: int) -> CompletedRound:
    """A round of agreement in which these turns may not be shown."""
    turns = [turn(n, 2, withheld="exploit_steps" if n in withheld else "") for n in (1, 2, 3)]
    return held(2, *turns, measures=Measures.model_validate(AGREED), motion=MOTION)


class TestBroken:
    """What ends a debate whatever was agreed on."""

    def test_strict_ends_with_any_loss(self) -> None:
        """A lost call of any seat, debater or not, ends a STRICT debate and no RESILIENT one."""
        ends = [following(told(2, AGREED), mode=mode, failed=(LOSS,)) for mode in ("strict", "resilient")]
        assert ["participant_lost", "consensus"] == ends
        assert "consensus" == following(told(2, AGREED), mode="strict")

    @pytest.mark.parametrize(("gone", "end"), [((), "consensus"), ((3,), "consensus"), ((2, 3), "debate_too_small")])
    def test_two_debaters_are_needed(self, gone: tuple[int, ...], end: str) -> None:
        """Two are a debate, one is none."""
        assert end == following(told(2, AGREED), lost=tuple(map(seat, gone)))

    @pytest.mark.parametrize(("withheld", "end"), [((), "consensus"), ((1, 2), "consensus"), ((1, 2, 3), "release")])
    def test_something_may_be_shown(self, withheld: tuple[int, ...], end: str) -> None:
        """A round of which no turn may be shown ends the debate, one of which a single turn may does not."""
        assert end == following(blocked(*withheld))

    def test_a_round_without_turns_ends_it(self) -> None:
        """Without a turn nothing was withheld, and there is no debate."""
        assert "debate_too_small" == following(held(2))


class TestOrder:
    """DESIGN 4.4: what comes first when several ends are reached at once."""

    def test_each_before_the_next(self) -> None:
        """Loss, size, safety, groupthink, consensus, plateau, cap, and else another round."""
        everything: dict[str, Any] = {"failed": (LOSS,), "lost": (seat(2), seat(3)), "limit": 1}
        both = AGREED | STILL | {"agreement": 0.9, "blockers": 0}
        doubted = blocked(1, 2, 3).model_copy(update={"fired": ("stagnation",)})
        assert ["participant_lost", "debate_too_small", "release", "objection"] == [
            following(doubted, mode="strict", **everything),
            following(doubted, **everything),
            following(doubted, limit=1),
            following(FIRED, limit=1),
        ]
        assert ["consensus", "plateau", "round_cap", "round"] == [
            following(told(1, both), told(2, both), limit=1),
            following(told(1, STILL), told(2, STILL), limit=1),
            following(told(1, RESTLESS), limit=1),
            following(told(1, RESTLESS), limit=2),
        ]


def test_prose_is_no_consensus() -> None:
    """Debaters that give no vote and no confidence neither accept nor are they sure."""
    said = [turn(n, said=reading(vote=None, confidence=None, source="prose")) for n in (1, 2, 3)]
    table: DebateHistory = course(rounds=(held(1, *said, measures=Measures()),))
    assert "round" == decide_next(table, debate())


class TestWhyNoConsensus:
    """The function that decides on a consensus names what a round lacks."""

    @pytest.mark.parametrize(
        ("figures", "lacking"),
        [
            ({}, ""),
            ({"agreement": 0.5}, "agreement is below 80%"),
            ({"blockers": 2}, "2 BLOCKER"),
            ({"lowest_confidence": 0.69}, "a confidence is below 70%"),
            ({"lowest_confidence": None}, "a confidence is missing"),
            ({"agreement": 0.7, "blockers": 1}, "agreement is below 80%; 1 BLOCKER"),
        ],
    )
    def test_of_its_figures(self, figures: dict[str, Any], lacking: str) -> None:
        """Every figure on the wrong side of its bound is named, and nothing is where it is a consensus."""
        assert why_no_consensus(debate(), told(2, AGREED | figures)) == lacking

    def test_of_the_first_round(self) -> None:
        """However much is accepted, there was nothing yet to accept."""
        lacking = "nothing is agreed after round 1: there was no motion"
        assert why_no_consensus(debate(), told(1, AGREED | {"agreement": 1.0})) == lacking

    @pytest.mark.parametrize("mode", [name for name, mode in MODES.items() if not mode.has_motion])
    def test_of_parts_that_are_dealt(self, mode: ModeName) -> None:
        """A debater with an assigned part does not agree by accepting."""
        lacking = why_no_consensus(debate(mode=mode), told(2, AGREED))
        assert lacking == "parts are assigned, so that no agreement ends it"

    def test_of_other_positions(self) -> None:
        """Those that accept and hold something else than the motion are counted."""
        other = Motion(round=1, text="Build a bridge over the river instead.", by=seat(1))
        lacking = why_no_consensus(debate(), told(2, AGREED, motion=other))
        assert lacking == "3 of 3 who accept hold another position than the motion"

    @pytest.mark.parametrize(
        ("answers", "lacking"),
        [
            (("yes", "yes", "yes"), ""),
            (("yes", "no", "yes"), "the accepting debaters gave 2 different answers"),
            (("yes", None, "no"), "1 of 3 who accept gave no answer"),
        ],
    )
    def test_of_answers(self, answers: tuple[str | None, ...], lacking: str) -> None:
        """Where the topic has a form for its answer, answers are compared and a missing one is reported."""
        turns = [turn(n, 2, reading(answer=given)) for n, given in enumerate(answers, 1)]
        spoken = held(2, *turns, measures=Measures.model_validate(AGREED), motion=MOTION)
        assert why_no_consensus(debate(answer=AnswerForm(kind="yes_no")), spoken) == lacking
