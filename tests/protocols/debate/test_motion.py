"""The motion, on what it is carried, and that opposite positions never are (points 25 and 26)."""

from typing import Any

import pytest

from protocols.answers import AnswerForm
from protocols.debate import results
from protocols.debate.model.closing import JudgeDecision, Synthesis
from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import CompletedRound, DebateHistory, Measures, Motion, SafetyRound
from protocols.debate.model.io import DebateInput
from protocols.debate.modes import MODES
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.replies.turn import read_turn
from protocols.debate.results import DebateRecord
from protocols.debate.rules import motion, round_steps
from protocols.debate.rules.stop_rules import decide_next
from protocols.deliberation import Ending
from protocols.panel import Participant
from tests.fakes.debates import debate_of, said
from tests.protocols.debate.parts import course, debate, held, model, names_of, reading, reply, seat, turn

YES_NO = AnswerForm(kind="yes_no")
CHOICE = AnswerForm(kind="choice", choices=("A", "B", "C"))
CLOSE = "Close the centre to cars in steps."
OPPOSITE = ("Yes, close the centre to cars.", "No, keep the centre open to cars.", "Neither: ask another question.")
MOTIONS = tuple(name for name, mode in MODES.items() if mode.has_motion)
SURE = Measures(agreement=1.0, blockers=0, lowest_confidence=0.9, mean_confidence=0.9)


def spoken(number: int, *positions: str, moved: str | None = CLOSE, **said_too: Any) -> CompletedRound:
    """A round with these positions and every vote ACCEPT on that motion."""
    turns = [turn(n, number, reading(position=text, **said_too)) for n, text in enumerate(positions, 1)]
    on = Motion(round=1, text=moved, by=seat(1)) if moved else None
    return held(number, *turns, motion=on, measures=SURE)


def moved_by(*positions: str, confidences: tuple[float, ...] = (), **changes: Any) -> str:
    """The motion that a round of these positions leaves."""
    sure = confidences or (0.8,) * len(positions)
    turns = [turn(n, 1, reading(position=text, confidence=sure[n - 1])) for n, text in enumerate(positions, 1)]
    found = motion.move(debate(debaters=max(2, len(positions))), course(), held(1, *turns, **changes))
    assert found is not None
    return found.text


class TestMotion:
    """What a round leaves to the next."""

    def test_it_is_the_position_in_the_middle_of_the_largest_cluster(self) -> None:
        """Two equal positions outweigh one, and of equal ones the most similar to the others is taken."""
        alike = ("Close the centre to cars.", "Close the centre to cars in steps.", "Close the centre in steps now.")
        assert "Close the centre to cars in steps." == moved_by(*alike, "Build a bridge over the river.")

    def test_of_clusters_of_one_size_the_surest_is_taken(self) -> None:
        """Where none agree, the position with the highest confidence is the motion."""
        assert OPPOSITE[1] == moved_by(*OPPOSITE, confidences=(0.7, 0.9, 0.8))

    def test_it_is_one_line_and_bounded(self) -> None:
        """Line breaks go, and a position of any length is cut."""
        assert "Close it. In steps." == moved_by("Close it.\nIn steps.", "Close it.\nIn steps.")
        assert len(moved_by("word " * 5000, "word " * 5000)) < 1500

    def test_what_may_not_be_shown_is_no_motion(self) -> None:
        """A withheld turn gives no motion."""
        turns = [turn(1, 1, reading(position="Secret."), withheld="hazard"), turn(2, 1, reading(position=CLOSE))]
        found = motion.move(debate(debaters=2), course(2), held(1, *turns))
        assert found is not None
        assert (CLOSE, "p2") == (found.text, found.by)

    def test_what_is_repeated_keeps_its_round(self) -> None:
        """A motion that the next round leaves in the same words is the one of before."""
        before = Motion(round=1, text=CLOSE, by=seat(3))
        table = course(rounds=(), motion=before)
        assert before == motion.move(debate(), table, spoken(2, CLOSE, CLOSE, OPPOSITE[1]))

    def test_with_final_answers_it_is_a_position_of_the_majority(self) -> None:
        """Where the topic has a form of answer, who gave the answer of most is asked, however the others agree."""
        turns = [
            turn(1, 1, reading(position=OPPOSITE[1], answer="no", confidence=0.99)),
            turn(2, 1, reading(position="Close it for good.", answer="yes")),
            turn(3, 1, reading(position="Better air decides.", answer="yes")),
        ]
        inp = debate(answer=YES_NO)
        found = motion.move(inp, course(), held(1, *turns, majority=motion.majority_of(turns)))
        assert found is not None
        assert found.by in {"p2", "p3"}

    @pytest.mark.parametrize("mode", MODES)
    def test_where_parts_are_dealt_there_is_none(self, mode: str) -> None:
        """In devil's advocate and red team / blue team no debater may move to another side, so nothing is moved."""
        found = motion.move(debate(mode), course(), spoken(1, CLOSE, CLOSE, CLOSE))
        assert (found is not None) == (mode not in {"devils-advocate", "red-team-blue-team"})


class TestCarried:
    """Consensus needs the votes and the positions."""

    @pytest.mark.parametrize("number", [1, 2, 5])
    @pytest.mark.parametrize("mode", MODES)
    def test_opposite_positions_are_no_consensus_in_any_mode_and_round(self, mode: str, number: int) -> None:
        """YES, NO and NEUTRAL with three ACCEPTs and full confidence agree on nothing."""
        last = spoken(number, *OPPOSITE, moved=OPPOSITE[0] if number > 1 else None)
        assert "round" == decide_next(course(rounds=(last,)), debate(mode))

    @pytest.mark.parametrize("mode", MODES)
    def test_positions_that_meet_are_one_after_round_1(self, mode: str) -> None:
        """All who accept repeat the motion: that is consensus in every mode that has one, but not in round 1."""
        end = "consensus" if mode in MOTIONS else "round"
        assert end == decide_next(
            course(rounds=(spoken(2, CLOSE, f"{CLOSE} I would add: by 2030.", CLOSE),)), debate(mode)
        )
        assert "round" == decide_next(course(rounds=(spoken(1, CLOSE, CLOSE, CLOSE, moved=None),)), debate(mode))

    def test_who_votes_against_need_not_hold_it(self) -> None:
        """Only positions of those that accept are compared; a fifth that gives no vote stops nothing."""
        turns = [turn(n, 2, reading(position=CLOSE)) for n in (1, 2, 3, 4)]
        turns.append(turn(5, 2, reading(position=OPPOSITE[1], vote=None)))
        on = Motion(round=1, text=CLOSE, by=seat(1))
        last = held(2, *turns, motion=on, measures=SURE.model_copy(update={"agreement": 0.8}))
        assert "consensus" == decide_next(course(5, rounds=(last,)), debate(debaters=5))

    @pytest.mark.parametrize(
        ("answers", "end"),
        [(("yes", "yes", "yes"), "consensus"), (("yes", "no", "yes"), "round"), (("yes", None, "yes"), "round")],
    )
    def test_final_answers_decide_where_there_are_any(self, answers: tuple[str | None, ...], end: str) -> None:
        """Equal answers of all who accept are agreement whatever their words; one that was not read is unknown."""
        turns = [turn(n, 2, reading(position=OPPOSITE[n - 1], answer=one)) for n, one in enumerate(answers, 1)]
        last = held(2, *turns, motion=Motion(round=1, text=CLOSE, by=seat(1)), measures=SURE)
        assert end == decide_next(course(rounds=(last,)), debate(answer=YES_NO))


class TestAssent:
    """A position that merely agrees is the motion's."""

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "I agree with the motion.",
                "I accept the group's answer as it stands.",
                "Agreed.",
                "The motion.",
                "I agree",
            ),
            *("We fully support the group's present answer", "Same as the motion.", "I concur with the group."),
            *("Ich stimme dem Antrag zu.", "Einverstanden.", "Ich nehme den Antrag an.", "Je suis d'accord."),
            *(
                "J’accepte la motion.",
                "Estoy de acuerdo con la moción.",
                "Acepto la propuesta.",
                "我同意这个动议。",
                "賛成です",
            ),
        ],
    )
    def test_it_becomes_the_motions_wording(self, text: str) -> None:
        """A debater that accepts and adds only that it agrees has the motion's position."""
        moved = Motion(round=1, text=CLOSE, by=seat(1))
        assert motion.is_assent(text)
        assert CLOSE == motion.adopt(reading(position=text), moved).position
        assert text == motion.adopt(reading(position=text, vote="BLOCKER"), moved).position
        assert text == motion.adopt(reading(position=text), None).position

    @pytest.mark.parametrize(
        "text",
        [
            *("I agree with the motion but only for lorries.", "I accept that shops lose trade.", "Close it.", ""),
            *(
                "I do not agree with the motion.",
                "I agree with p2 that a toll is better.",
                "Ich stimme p2 zu, aber nein.",
            ),
        ],
    )
    def test_what_states_more_is_its_own(self, text: str) -> None:
        """A condition, a peer, a denial: the position stays as it was written."""
        assert not motion.is_assent(text)


class TestRounds:
    """What a round records."""

    def test_a_round_has_its_motion_and_leaves_the_next(self) -> None:
        """Round 1 votes on none and leaves one; round 2 votes on that."""
        inp = debate_of()
        first = after(inp, round_steps.start_debate(inp), 1)
        second = after(inp, first, 2)
        assert (None, CLOSE) == (first.rounds[0].motion, first.motion and first.motion.text)
        assert first.motion == second.rounds[1].motion

    def test_answers_and_majority_are_recorded_by_round(self) -> None:
        """Every debater's final answer, and that of most; a tie has no majority."""
        inp = debate_of(answer=CHOICE)
        answers = {1: ("A", "A", None), 2: ("A", "B", "B"), 3: ("A", "B", None)}
        table = round_steps.start_debate(inp)
        for number, given in answers.items():
            table = after(inp, table, number, given)
        assert ["A", "B", None] == [one.majority for one in table.rounds]
        assert {"p1": "A", "p2": "A", "p3": None} == table.rounds[0].answers

    def test_nothing_is_recorded_without_a_form(self) -> None:
        """A topic without a form of answer has neither answers nor a majority."""
        inp = debate_of()
        first = after(inp, round_steps.start_debate(inp), 1, ("A", "A", "A")).rounds[0]
        assert ({}, None) == (first.answers, first.majority)


def after(
    inp: DebateInput, table: DebateHistory, number: int, answers: tuple[str | None, ...] = (None,) * 3
) -> DebateHistory:
    """The table after a round in which everyone said the same, with these answers."""
    on, names = RoundContext(number), names_of(inp)
    table = round_steps.open_round(table, number)
    for place, answer in enumerate(answers, 1):
        table = round_steps.apply_reply(
            DebateView(inp, table, names, "secret"), reply(place, reading(position=CLOSE, answer=answer)), on
        )
    return round_steps.close_round(
        DebateView(inp, table, names, "secret"), on, context=ContextUse(), safety=SafetyRound()
    )


class TestPrompt:
    """The report of the vote."""

    @pytest.mark.parametrize("mode", MODES)
    def test_round_1_has_no_motion_and_later_rounds_name_it(self, mode: str) -> None:
        """The motion is between marks before the instructions; where parts are assigned the vote is on the topic."""
        inp = debate_of(mode)
        first, later = round_steps.start_debate(inp), after(inp, round_steps.start_debate(inp), 1)
        told = [asked(inp, table, number) for number, table in ((1, first), (2, later))]
        if mode in MOTIONS:
            assert "There is no motion yet: your vote is on your own position" in told[0]
            assert (
                '=== THE MOTION, the group\'s present answer as round 1 left it ===\n<answer name="motion"' in told[1]
            )
            assert f"\n{CLOSE}\n</answer" in told[1]
            assert "\nYour vote is on this motion. If you vote ACCEPT or MINOR, repeat its wording" in told[1]
        else:
            assert all("a judge decides." in one and "THE MOTION" not in one for one in told)

    def test_the_final_answer_is_asked_for_where_the_topic_has_a_form(self) -> None:
        """Turn, synthesis and decision ask for the answer, and their readers know the form."""
        for form in (None, CHOICE):
            inp = debate_of("adversarial", answer=form)
            table = DebateView(inp, after(inp, round_steps.start_debate(inp), 1), names_of(inp), "secret")
            sitting = Participant(id=seat(1), model=model(1))
            made = [
                calls.turn(table, sitting, RoundContext(2))[0],
                calls.synthesis(table, sitting, RoundContext(1)),
                calls.decision(table, sitting, RoundContext(1)),
            ]
            texts = ["\n".join(message.content for message in call.messages) for call in made]
            assert [form is not None] * 3 == ['"answer": "the final answer alone' in text for text in texts]
            assert [form is not None] * 3 == ["answer" in call.read_as.needs for call in made]


def asked(inp: DebateInput, table: DebateHistory, number: int) -> str:
    """The user message of p1."""
    whole = DebateView(inp, round_steps.open_round(table, number), names_of(inp), "secret")
    return calls.turn(whole, Participant(id=seat(1), model=model(1)), RoundContext(number))[0].messages[1].content


class TestAnswer:
    """The answer of a debate, and whose it is."""

    @pytest.mark.parametrize(
        ("decided", "reported", "expected"),
        [("A", "B", ("A", "judge")), (None, "B", ("B", "synthesiser")), (None, None, ("C", "majority"))],
    )
    def test_the_judges_then_the_synthesisers_then_the_majoritys(
        self, decided: str | None, reported: str | None, expected: tuple[str, str]
    ) -> None:
        """The first of them that was read is the answer, and the result says which."""
        record = DebateRecord(
            course=course(rounds=(held(1, turn(1), majority="C"),)),
            names=names_of(debate()),
            synthesis=Synthesis(executive_summary="Well.", answer=reported, written_by="synthesiser"),
            decision=JudgeDecision(decision="Well.", answer=decided, written_by="judge", model="lab/judge"),
        )
        result = results.build_result(debate(answer=CHOICE), record, Ending("x", "round_cap"))
        assert expected == (result.answer, result.answered_by)

    @pytest.mark.parametrize(
        ("fields", "answer"),
        [
            ({"answer": "B"}, "B"),
            ({"answer": "(b)"}, "B"),
            ({"final_answer": "Option C"}, "C"),
            ({"position": "B"}, "B"),
            ({"reasoning": "Because.\n\nFINAL ANSWER: A"}, "A"),
            ({"answer": "none of them"}, None),
            ({}, None),
        ],
    )
    def test_a_turns_answer_is_read(self, fields: dict[str, str], answer: str | None) -> None:
        """From its field, or under the header in its prose; a choice may be the whole position."""
        read = read_turn(said(**fields), {"answer": CHOICE.model_dump(mode="json")})
        assert answer == read.answer
        assert read_turn(said(**fields), {}).answer is None
