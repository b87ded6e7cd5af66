"""The calls of a debate: who is asked what, under which id, and how the answer is read."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from protocols.answers import AnswerForm
from protocols.debate.model.context import ContextBudget
from protocols.debate.model.io import EVALUATOR, SUMMARISER, SYNTHESISER, panel_of
from protocols.debate.model.turn import Risk, TurnReading, Violation
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import RoundContext
from protocols.debate.prompts.clarifications import BESIDE, citation_request, unclear_beside, unclear_turn, unread_flaw
from protocols.model_call import CallTimeouts, ModelCall, ParticipantId, Sampling
from protocols.panel import Participant
from protocols.sources import SourceLink
from protocols.tokens import count
from tests.fakes.calls import model_call
from tests.fakes.debates import TOPIC, asked_again, debate_of
from tests.fakes.models import answered
from tests.protocols.debate.held import SENTENCE, Held, held, spoken, turn_of
from tests.protocols.debate.test_budgets import endless, hostile_debate
from tests.protocols.debate.test_context_window import with_turns

P1 = ParticipantId("p1")
WRONG = (Violation(kind="fact_uncited", detail="C1"), Violation(kind="unknown_reference", detail="[7]"))

CLOSED: tuple[tuple[str, dict[str, str]], ...] = (
    ("synthesis", {"executive_summary": "Close it."}),
    ("decision", {"decision": "Close it."}),
)
"""The stages that close a debate, and what each states without a final answer."""


def sitting(done: Held, seat: str) -> Participant:
    """The participant of the seat."""
    return done.inp.panel.at(ParticipantId(seat))


def again(done: Held, on: RoundContext) -> ModelCall:
    """The call that follows on a turn with broken citations."""
    return asked_again(calls.turn(done.table, sitting(done, "p1"), on)[0], done.inp, "I said so.", WRONG)


def every(done: Held, on: RoundContext) -> tuple[ModelCall, ...]:
    """One call of each kind."""
    return (
        calls.turn(done.table, sitting(done, "p1"), on)[0],
        again(done, on),
        evaluation(done, on),
        calls.summary(done.table, sitting(done, SUMMARISER), on),
        calls.synthesis(done.table, sitting(done, SYNTHESISER), on),
    )


def evaluation(done: Held, on: RoundContext, *agents: ParticipantId) -> ModelCall:
    """The call to the evaluator about the turns of ``agents``, by default all of the round that runs."""
    judged = agents or tuple(turn.agent for turn in done.course.open)
    return calls.evaluation(done.table, sitting(done, EVALUATOR), on, judged)


def text(call: ModelCall) -> str:
    """Everything that is sent."""
    return "\n".join(message.content for message in call.messages)


class TestIdentity:
    """Ids, stages and readers."""

    def test_ids_state_round_and_seat(self) -> None:
        """Every call has an id of its own that states when and to whom."""
        ids = [call.call_id for call in every(spoken(held(debate_of(), 1)), RoundContext(2))]
        assert ["r02-p1", "r02-p1-again", "r02-evaluator", "r02-summariser", "synthesis-synthesiser"] == ids

    def test_a_further_call_of_the_same_has_its_number_behind(self) -> None:
        """When another model is asked instead, the id is another."""
        ids = [call.call_id for call in every(spoken(held(debate_of(), 1)), RoundContext(2, attempt=1))]
        assert ["r02-p1-2", "r02-p1-2-again", "r02-evaluator-2", "r02-summariser-2", "synthesis-synthesiser-2"] == ids

    def test_stages_and_readers(self) -> None:
        """Each kind of call has its stage and its reader."""
        told = [(call.stage, call.read_as.reader) for call in every(spoken(held(debate_of(), 1)), RoundContext(2))]
        turn = ("turns", "debate.turn")
        beside = [("safety", "debate.safety"), ("summary", "debate.summary"), ("synthesis", "debate.synthesis")]
        assert [turn, turn, *beside] == told

    def test_in_team_order_the_stage_is_the_team(self) -> None:
        """Red and blue speak one after the other."""
        asked = held(debate_of("red-team-blue-team", 4), 1).asked
        assert ["red", "red", "blue", "blue"] == [one.call.stage for one in asked]

    @pytest.mark.parametrize(("mode", "stances"), [("devils-advocate", True), ("collaborative", False)])
    def test_a_turn_is_read_for_a_stance_only_where_one_was_dealt(self, mode: str, stances: bool) -> None:
        """The reader learns whether stances mean anything (decision 1)."""
        assert {"stances": stances, "full": True} == held(debate_of(mode), 1).asked[0].call.read_as.needs

    def test_seat_model_and_round_are_those_asked(self) -> None:
        """The call goes to the model behind the seat, in the round that runs."""
        told = [
            (call.participant, call.model, call.round) for call in every(spoken(held(debate_of(), 1)), RoundContext(2))
        ]
        assert ("p1", "openrouter:lab/model-1", 2) == told[0]
        assert ("synthesiser", "openrouter:lab/writer", 1) == told[-1]

    def test_what_the_person_chose_goes_with_every_call(self) -> None:
        """Sampling, patience and salt are the input's."""
        inp = debate_of(sampling=Sampling(temperature=0.3), patience=CallTimeouts(total=7.0), salt="again")
        made = every(spoken(held(inp, 1)), RoundContext(2))
        assert {(0.3, 7.0, "again")} == {(one.sampling.temperature, one.patience.total, one.salt) for one in made}


class TestTurn:
    """What a debater is asked."""

    def test_it_has_a_system_message_and_a_user_message(self) -> None:
        """The four layers, and what is shown of the debate."""
        call = held(debate_of(), 1).asked[0].call
        assert ["system", "user"] == [message.role for message in call.messages]
        assert "LAYER 1: ROLE ANCHOR" in call.messages[0].content


def unclear(
    call_id: str = "r02-p1", *, reask: bool = False, form: AnswerForm | None = None, **fields: Any
) -> str | None:
    """The note to a debater whose turn is read so."""
    done = held(debate_of(reask=reask, answer=form), 1)
    reply = answered(calls.turn(done.table, sitting(done, "p1"), RoundContext(2))[0], "Well.")
    read = TurnReading(**{"position": "Close it.", "confidence": 0.7, "vote": "MINOR", **fields})
    said = reply.model_copy(update={"call_id": call_id, "reading": read.model_dump(mode="json")})
    return unclear_turn(done.inp)(said)


class TestAgain:
    """The same turn once more."""

    def test_a_final_answer_that_was_asked_for_and_not_given_is_asked_for_once(self) -> None:
        """A study that compares answers asks a debater as it asks the others, and after that counts none."""
        form = AnswerForm(kind="choice", choices=("A", "B"))
        said = unclear(form=form)
        assert said is not None
        assert said.startswith("No final answer can be read in your turn.")
        assert '"answer" (the final answer alone)' in said
        assert [None] * 3 == [unclear(form=form, answer="A"), unclear("r02-p1-again", form=form), unclear()]
        assert '"answer"' not in str(unclear(vote=None))

    def test_it_goes_on_from_what_was_said(self) -> None:
        """The turn is there as the debater's own, and after it what is wrong with it."""
        done = held(debate_of(), 1)
        call = again(done, RoundContext(2))
        assert ["system", "user", "assistant", "user"] == [message.role for message in call.messages]
        assert "I said so." == call.messages[2].content
        assert "- fact uncited: C1\n- unknown reference: [7]\n" in call.messages[3].content

    def test_only_so_many_violations_are_named(self) -> None:
        """However many there are and however long, the list has ten of them in few words."""
        much = (Violation(kind="fact_uncited", detail="and so on " * 100),) * 200
        assert count(citation_request(debate_of(), much)) <= 600

    @pytest.mark.parametrize(
        ("lacking", "reask", "named"),
        [
            ({"position": ""}, False, "No position can be read in your turn."),
            ({"position": "", "vote": None}, True, "No position and no vote can be read in your turn."),
            ({"confidence": None}, False, "No confidence can be read in your turn."),
            ({"confidence": None, "vote": None}, False, "No confidence and no vote can be read in your turn."),
            ({}, True, ""),
            ({"confidence": 0.0}, False, ""),
            ({"violations": WRONG}, False, ""),
            ({"violations": WRONG}, True, "Your turn breaks the citation rules:"),
        ],
    )
    def test_what_cannot_be_read_is_asked_for_once_more(
        self, lacking: Mapping[str, Any], reask: bool, named: str
    ) -> None:
        """Position, confidence and vote whatever the cause; broken citations are asked about where that is wanted."""
        assert (unclear(reask=reask, **lacking) or "").startswith(named)
        assert bool(named) == bool(unclear(reask=reask, **lacking))

    @pytest.mark.parametrize(
        ("lacking", "is_clear"),
        [({"vote": None, "confidence": None}, True), ({"violations": WRONG}, True), ({"position": ""}, False)],
    )
    def test_a_second_turn_counts_with_its_position_alone(self, lacking: Mapping[str, Any], is_clear: bool) -> None:
        """It was asked for because the first could not be used, and is never worse than that."""
        assert is_clear == (unclear("r02-p1-again", reask=True, **lacking) is None)

    @pytest.mark.parametrize(
        ("stage", "text", "clear"),
        [
            ("safety", "Well, it depends.", '{"clean": true, "withhold": []}'),
            ("summary", "---", "p2 moved to MINOR."),
            ("synthesis", "Well.", '{"executive_summary": "Close the centre in steps."}'),
        ],
    )
    def test_those_beside_the_debaters_are_asked_once_more(self, stage: str, text: str, clear: str) -> None:
        """A judgement, a line and a synthesis that cannot be read are asked for in one sentence."""
        call = model_call(read_as={"reader": f"debate.{stage}"})
        assert BESIDE[stage](answered(call, text))
        assert BESIDE[stage](answered(call, clear)) is None

    @pytest.mark.parametrize(("stage", "words"), CLOSED)
    @pytest.mark.parametrize("choices", [(), ("A", "B")])
    def test_whoever_closes_is_asked_once_for_the_final_answer(
        self, stage: str, words: Mapping[str, str], choices: tuple[str, ...]
    ) -> None:
        """A report or a decision in words without the answer is asked for once more, and after that it counts."""
        inp = debate_of(answer=AnswerForm(kind="choice", choices=choices) if choices else None)
        reply = answered(model_call(call_id=f"{stage}-x"), "Well.").model_copy(update={"reading": dict(words)})
        second = reply.model_copy(update={"call_id": f"{stage}-x-again"})
        given = reply.model_copy(update={"reading": {**words, "answer": "A"}})
        said, flaws = unclear_beside(inp, stage)(reply), [unread_flaw(inp, one, stage, 3) for one in (reply, second)]

        assert bool(choices) == (said or "").startswith('No final answer (the field "answer") can be read.')
        assert [bool(choices)] * 2 == [flaw is not None for flaw in flaws]
        assert {"no final answer could be read"} >= {flaw.note for flaw in flaws if flaw}
        assert [None] * 3 == [
            unclear_beside(inp, stage)(second), unclear_beside(inp, stage)(given), unread_flaw(inp, given, stage, 3)
        ]  # fmt: skip

    @pytest.mark.parametrize("stage", BESIDE)
    def test_a_second_reply_without_its_words_is_not_read(self, stage: str) -> None:
        """An answer alone is neither a report nor a decision, and the flaw says what is missing."""
        inp = debate_of(answer=AnswerForm(kind="yes_no"))
        reading: dict[str, JsonValue] | None = None if stage == "safety" else {"answer": "yes"}
        bare = answered(model_call(call_id=f"{stage}-x-again"), "Yes.").model_copy(update={"reading": reading})
        flaw = unread_flaw(inp, bare, stage, 3)

        assert BESIDE[stage](bare) == unclear_beside(inp, stage)(bare)
        assert flaw is not None
        assert "final answer" not in flaw.note


class TestEvaluation:
    """The safety evaluator (decision 2, tier 3)."""

    def test_it_judges_the_turns_that_are_due(self) -> None:
        """All of the round that runs, or some of them; of other rounds it is shown nothing."""
        now = spoken(held(debate_of(), 1))
        every, one = text(evaluation(now, RoundContext(2))), text(evaluation(now, RoundContext(2), P1))
        assert all(f"p{number} would close the centre in step 2." in every for number in (1, 2, 3))
        assert "in step 1." not in every
        assert [True, False, False] == [f"p{number} would" in one for number in (1, 2, 3)]

    def test_it_sees_a_turn_as_a_whole(self) -> None:
        """The end of a long turn, and a claim, a risk or a reference alone, are judged, too."""

        def speak(seat: ParticipantId, number: int) -> TurnReading:
            plain = turn_of(seat, number)
            texts = {"reasoning": f"{SENTENCE * 220}The end of {seat}.", "key_points": (f"A point of {seat}.",)}
            return plain.model_copy(update=texts | {"risks": (Risk(text=f"A risk of {seat}"),)})

        now = spoken(held(debate_of(debaters=5), 0), speak)
        prompt = text(evaluation(now, RoundContext(1)))
        assert 5 * 220 == prompt.count(SENTENCE.strip())
        assert all(text in prompt for n in range(1, 6) for text in now.course.open[n - 1].said.texts)

    def test_it_sees_what_a_provider_names_as_sources(self) -> None:
        """Titles and excerpts may reach peers as evidence, so they are judged with the turn."""
        link = SourceLink(number=1, url="https://example.org/a", title="A title", excerpt="An excerpt")
        now = with_turns(spoken(held(debate_of(), 0)), "p2", sources=(link,))
        prompt = text(evaluation(now, RoundContext(1)))
        assert (1, 1) == (prompt.count("A title"), prompt.count("An excerpt"))

    def test_it_is_reported_topic_and_names(self) -> None:
        """It answers with names under which debaters are shown, and its reader knows whose they are."""
        call = evaluation(spoken(held(debate_of("delphi"), 0)), RoundContext(1))
        assert f"Topic: {TOPIC}\nDebaters: Expert A, Expert B, Expert C\n" in text(call)
        assert {"names": ["Expert A", "Expert B", "Expert C"], "seats": ["p3", "p2", "p1"]} == call.read_as.needs

    @pytest.mark.parametrize(
        ("model", "said"),
        [("lab/guard", "You took no part in it."), ("lab/model-1", "One of the debaters uses the same model as you")],
    )
    def test_what_it_is_reported_of_itself_is_true(self, model: str, said: str) -> None:
        """A model that debates as well is not called one that takes no part; its prompt omits its debater's name."""
        panel = panel_of(("lab/model-1", "lab/model-2"), "lab/writer", evaluator=model, summariser="lab/clerk")
        prompt = text(evaluation(spoken(held(debate_of("delphi", panel=panel), 0)), RoundContext(1)))
        assert (True, True) == (said in prompt, "lab/model" not in prompt)


class TestSummary:
    """The summariser."""

    def test_it_sees_no_more_than_peers_do(self) -> None:
        """A withheld turn stays withheld: the report of the round goes to peers."""
        now = with_turns(spoken(held(debate_of(), 1)), "p2", withheld="harassment")
        prompt = text(calls.summary(now.table, sitting(now, SUMMARISER), RoundContext(2)))
        assert "--- p2 (model-2) ---\n[withheld]" in prompt
        assert "p2 would close" not in prompt


class TestSynthesis:
    """The close (section 5.3, "Final")."""

    def test_it_is_reported_the_state_and_every_round_in_full_while_there_is_space(self) -> None:
        """What the executive summary, the key evidence and the final positions are drawn from (point 28)."""
        done = held(debate_of(), 4)
        prompt = text(calls.synthesis(done.table, sitting(done, SYNTHESISER), RoundContext(1)))
        assert "THE REGISTRIES (positions, decisions, claims, evidence):\n=== DEBATE STATE" in prompt
        assert all(f"=== ROUND {number}: EVERY TURN ===" in prompt for number in (1, 2, 3, 4))

    @pytest.mark.parametrize(("number", "said"), [(1, "1 round"), (2, "2 rounds")])
    def test_it_is_reported_how_it_ended(self, number: int, said: str) -> None:
        """How many rounds, and how the votes was in the last."""
        done = held(debate_of(), number)
        prompt = text(calls.synthesis(done.table, sitting(done, SYNTHESISER), RoundContext(1)))
        assert f"it ended so: after {said}, with 100% ACCEPT or MINOR and 0 BLOCKER." in prompt

    def test_a_debate_without_a_round_can_be_closed(self) -> None:
        """A synthesiser that is asked too early is shown that there is nothing."""
        done = held(debate_of(), 0)
        prompt = text(calls.synthesis(done.table, sitting(done, SYNTHESISER), RoundContext(1)))
        assert "None was held." in prompt

    def test_of_many_rounds_the_latest_are_reported(self) -> None:
        """Where not all rounds fit whole, the oldest are shortened, and then left out."""
        few = ContextBudget(state=600, previous=1000, target=2000, total=4000, closing=4000)
        done = held(
            debate_of(max_rounds=14, context_budget=few), 14, lambda seat, n: turn_of(seat, n, sentences=1, claims=1)
        )
        prompt = text(calls.synthesis(done.table, sitting(done, SYNTHESISER), RoundContext(1)))
        full = [n for n in range(1, 15) if f"=== ROUND {n}: EVERY TURN ===" in prompt]
        short = [n for n in range(1, 15) if f"\nROUND {n}: " in prompt]
        assert list(range(short[0], 15)) == [*short, *full]
        assert (True, True, True) == (short[0] > 1, len(short) > 1, len(full) > 1)

    def test_material_is_whole_and_beside_the_budget(self) -> None:
        """Point 27: the closing seat reads every word of the given material."""
        given = "word " * 1500
        done = held(debate_of(material=({"name": "report", "text": given},)), 1)
        prompt = text(calls.synthesis(done.table, sitting(done, SYNTHESISER), RoundContext(1)))
        assert 1500 == prompt.count("word")
        assert "[E1] report, passage 1 of 8:\nword" in prompt


class TestEveryCall:
    """What holds for all of them."""

    def test_no_slot_is_left_open(self) -> None:
        """Whatever a template asks for is filled in."""
        made = every(spoken(held(debate_of(), 1)), RoundContext(2))
        assert [] == [slot for call in made for slot in re.findall(r"\{\{[a-z0-9_]+\}\}", text(call))]

    def test_hostile_turns_leave_none_beyond_its_budget(self) -> None:
        """Judges and writers have a limit as well; the evaluator, which sees turns as a whole, has the largest."""
        done = with_turns(spoken(hostile_debate("adversarial", 10), endless), "p2", withheld="x")
        sizes = {call.call_id: count(call.messages[-1].content) for call in every(done, RoundContext(3))}
        assert 62_000 > sizes.pop("r03-evaluator")
        limits = {name: 10_000 if name.startswith("r03-p1") else 24_000 + 400 for name in sizes}
        assert {} == {name: size for name, size in sizes.items() if size > limits[name]}

    def test_what_models_wrote_stands_between_marks(self) -> None:
        """In the calls beside the table too."""

        def speak(seat: ParticipantId, number: int) -> TurnReading:
            return turn_of(seat, number).model_copy(update={"position": "Sesame."})

        made = every(spoken(held(debate_of(), 1, speak), speak), RoundContext(2))
        outside = [re.sub(r"<answer name=.*?</answer nonce", "", text(call), flags=re.DOTALL) for call in made]
        assert (True, False) == (all("Sesame" in text(call) for call in made), any("Sesame" in one for one in outside))
