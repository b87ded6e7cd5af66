"""The one further call of a turn: when it is made, what it asks, and which reply counts."""

import pytest

from protocols.further_calls import NO_ANSWER, further, is_cut, settled, whole_turn, without_blanks
from protocols.model_call import Answered, Failed, Message, ModelCall, Sampling, Usage
from tests.fakes.calls import model_call
from tests.fakes.models import CUT, answered

SENTENCE = "Reply with ONE, or with TWO, and nothing else."
CALL = model_call(messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which?"}])


def unclear(reply: Answered) -> str | None:
    """Only ONE and TWO can be read."""
    return None if reply.text in {"ONE", "TWO"} else SENTENCE


def said(text: str, call: ModelCall = CALL) -> Answered:
    """What the model wrote; ``CUT`` at the end says that it was stopped there."""
    return answered(call, text)


def lost(kind: str = "timeout", text: str = "") -> Failed:
    """A call that was lost in that way."""
    return Failed.model_validate(
        {
            "kind": kind,
            "call_id": "x",
            "participant": "p1",
            "model": "lab:small",
            "error_type": "x",
            "message": "",
            "text": text,
        }
    )


def asked(text: str) -> ModelCall:
    """The further call after that reply."""
    made = further(CALL, said(text), unclear)
    assert made is not None
    return made.call


class TestWhen:
    """A turn has a further call when its reply cannot be read or was cut off."""

    @pytest.mark.parametrize("reply", [said("ONE"), lost(), lost("refused", "I cannot help with that.")])
    def test_a_reply_that_can_be_read_and_a_loss_have_none(self, reply: Answered | Failed) -> None:
        """A refusal is never asked again, and a call that was tried is not tried anew."""
        assert further(CALL, reply, unclear) is None

    def test_without_a_rule_every_text_is_clear(self) -> None:
        """A stage whose replies are texts asks once more only for what is blank or cut."""
        assert further(CALL, said("whatever it is")) is None
        assert further(CALL, said("")) is not None

    @pytest.mark.parametrize(
        ("reply", "expected"),
        [(said("ONE"), False), (said(f"ON{CUT}"), True), (lost(), False), (lost("truncated"), True)],
    )
    def test_a_reply_is_cut_before_or_after_its_first_word(self, reply: Answered | Failed, expected: bool) -> None:
        """All of an answer may have gone into thinking: that is lost, and cut off all the same."""
        assert expected == is_cut(reply)
        assert expected == (further(CALL, reply) is not None)

    def test_what_is_cut_is_asked_for_at_length_even_where_it_cannot_be_read(self) -> None:
        """Half a reply is no reason to say that it was wrong: a turn has one further call at most."""
        assert "opinion-p1-longer" == asked(f"perhaps{CUT}").call_id


class TestWhat:
    """The same conversation continues, or the same is asked with more room."""

    def test_the_same_conversation_goes_on(self) -> None:
        """What the model wrote is in the conversation, and one sentence behind it."""
        call = asked("Well, both.")
        assert (
            *CALL.messages,
            Message(role="assistant", content="Well, both."),
            Message(role="user", content=SENTENCE),
        ) == (call.messages)
        assert CALL == call.model_copy(update={"call_id": CALL.call_id, "messages": CALL.messages})
        assert "opinion-p1-again" == call.call_id

    def test_without_an_answer_the_question_is_asked_with_the_sentence_behind_it(self) -> None:
        """No message of the assistant is empty, and the user does not speak twice in a row."""
        assert (CALL.messages[0], Message(role="user", content=f"Which?\n\n{NO_ANSWER}")) == asked("").messages

    @pytest.mark.parametrize(
        ("limit", "counted", "more"),
        [(8_192, 10, 16_384), (600_000, None, 1_000_000), (None, 700, 1_400), (None, None, 8_192)],
    )
    def test_twice_the_length_is_allowed(self, limit: int | None, counted: int | None, more: int) -> None:
        """Twice what was allowed, else twice what was written; there is a most that may be sent."""
        call = CALL.model_copy(update={"sampling": Sampling(max_tokens=limit, temperature=0.3)})
        reply = said(f"half a{CUT}", call).model_copy(update={"usage": Usage(completion_tokens=counted)})
        made = further(call, reply)
        assert made is not None
        assert Sampling(max_tokens=more, temperature=0.3) == made.call.sampling
        assert call == made.call.model_copy(update={"call_id": call.call_id, "sampling": call.sampling})

    def test_at_the_most_that_may_be_sent_it_is_not_asked_again(self) -> None:
        """The same limit would cut it again."""
        call = CALL.model_copy(update={"sampling": Sampling(max_tokens=1_000_000)})
        assert further(call, said(f"half a{CUT}", call)) is None


class TestWhich:
    """The further reply counts when it can be read; otherwise the first one is."""

    def counted(self, first: Answered | Failed, second: Answered | Failed) -> Answered | Failed:
        """Which of the two counts."""
        made = further(CALL, first, unclear)
        assert made is not None
        return settled(first, made, second, unclear)

    @pytest.mark.parametrize(
        ("first", "second", "counts", "outcome", "other"),
        [
            (said("Both."), said("ONE"), "ONE", "replaced", "Both."),
            (said("Both."), said("Both!"), "Both.", "unclear", "Both!"),
            (said("Both."), lost(), "Both.", "timeout", ""),
            (said("Both."), lost("refused", "I can't."), "Both.", "refused", "I can't."),
            (said("Both."), said(""), "Both.", "unclear", ""),
            (said(""), said("Both!"), "Both!", "replaced", ""),
            (said(f"ha{CUT}"), said("half a text"), "half a text", "replaced", "ha"),
            (said(f"ha{CUT}"), said(f"half a{CUT}"), "half a", "replaced", "ha"),
            (said(f"ha{CUT}"), lost(), "ha", "timeout", ""),
            (said(f"ONE{CUT}"), said("perhaps"), "ONE", "unclear", "perhaps"),
            (lost("truncated", "<think>"), said("ONE"), "ONE", "replaced", "<think>"),
        ],
    )
    def test_the_further_reply_counts_when_it_can_be_read(
        self, first: Answered | Failed, second: Answered | Failed, counts: str, outcome: str, other: str
    ) -> None:
        """What counts carries the text of the other and what happened to the further call."""
        reply = self.counted(first, second)
        assert isinstance(reply, Answered)
        assert reply.further is not None
        assert (counts, outcome, other) == (reply.text, reply.further.outcome, reply.further.other)

    @pytest.mark.parametrize(
        ("first", "second", "kind"),
        [
            (lost("truncated"), lost(), "truncated"),
            (said(""), lost("refused"), "refused"),
            (said(""), said(""), "unparseable"),
        ],
    )
    def test_where_neither_is_an_answer_the_turn_is_lost(
        self, first: Answered | Failed, second: Answered | Failed, kind: str
    ) -> None:
        """A text that is blank is never an answer."""
        reply = without_blanks(self.counted(first, second))
        assert isinstance(reply, Failed)
        assert kind == reply.kind

    def test_what_a_schema_may_have_spoilt_is_asked_again_without_one(self) -> None:
        """Some endpoints file what a schema binds as thinking, or end in its middle; others may have one again."""
        bound = further(CALL, said("Hm.").model_copy(update={"asked_with_schema": True}), unclear)
        assert [False, True] == [asked(text).sampling.structured_output for text in ("", "Hm.")]
        assert bound is not None
        assert not bound.call.sampling.structured_output

    def test_thinking_alone_is_lost_and_was_paid(self) -> None:
        """Where no further call is allowed, a reply without an answer is a loss that states so."""
        reply = without_blanks(said(" \n"))
        assert isinstance(reply, Failed)
        assert ("unparseable", "reply.blank", 0.001) == (reply.kind, reply.error_type, reply.cost.usd)
        assert said("ONE") == without_blanks(said("ONE"))


class TestWholeTurn:
    """A line that was asked for once more ends the reply that lacked it."""

    @pytest.mark.parametrize(
        ("first", "second", "whole"),
        [
            (said("Both."), said("ONE"), "Both.\n\nONE"),
            (said("Both."), said("Both!"), "Both."),
            (said(""), said("ONE"), "ONE"),
            (said(f"ha{CUT}"), said("half"), "half"),
        ],
    )
    def test_both_replies_make_the_turn(self, first: Answered, second: Answered, whole: str) -> None:
        """What was argued before the line is not lost with it; a longer reply takes the place of the cut one."""
        made = further(CALL, first, unclear)
        assert made is not None
        reply = settled(first, made, second, unclear)
        assert isinstance(reply, Answered)
        assert whole == whole_turn(reply)

    def test_a_turn_of_one_reply_is_that_reply(self) -> None:
        """Nothing is added."""
        assert "ONE" == whole_turn(said("ONE"))
