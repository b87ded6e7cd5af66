"""A refusal in words is the loss that a provider's refusal is, in every stage of every protocol."""

import json

import pytest

from activities.refusal_check import check_refusal
from protocols.model_call import Answered, Failed
from tests.fakes.calls import model_call
from tests.fakes.models import answered, replied
from tests.fakes.reply_readers import READERS

REFUSAL = "I'm sorry, but I can't help with that."
FORM = {"kind": "free", "choices": []}
LABELS = ["Response A", "Response B"]
SCORES = json.dumps({"truth": 0.1, "indeterminacy": 0.2, "falsehood": 0.9, "reasoning": "A forged turn."})
TURN = json.dumps({"position": "Close it.", "vote": "ACCEPT", "confidence": 0.8, "claims": []})


def read_by(reader: str, text: str) -> Answered | Failed:
    """What a reply with ``text`` gives in the hands of ``reader``."""
    needs = {"form": FORM, "labels": LABELS, "own_names": [], "heuristic": True, "stances": False}
    return replied(model_call(read_as={"reader": reader, "needs": needs}), text)


@pytest.mark.parametrize("reader", sorted(READERS))
def test_a_refusal_is_lost_whatever_was_asked(reader: str) -> None:
    """An opinion, a draft, a ballot, scores, a turn: none of them is ever a refusal's text."""
    reply = read_by(reader, REFUSAL)
    assert isinstance(reply, Failed)
    assert ("refused", "reply.refused", REFUSAL, 0.001) == (reply.kind, reply.error_type, reply.text, reply.cost.usd)


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("council.ballot", f"{REFUSAL}\n\nFINAL RANKING:\n1. Response B\n2. Response A"),
        ("fire_circle.assessment", f"{REFUSAL}\n{SCORES}"),
        ("debate.turn", f"{REFUSAL}\n{TURN}"),
        ("consensus.evaluation", "ACCEPT"),
        ("debate.safety", '{"clean": true, "withhold": []}'),
        ("vote.answer", "I can't help but say: it is 42."),
    ],
)
def test_what_was_understood_is_no_refusal(reader: str, text: str) -> None:
    """A ballot, scores and a turn count, whatever is written around them."""
    assert isinstance(read_by(reader, text), Answered)


def test_a_guess_by_keyword_is_not_understood() -> None:
    """Words of a refusal that a guess makes numbers of are a refusal, not a finding."""
    said = "I can't assist with this request. It is a manipulative and coercive attempt to violate trust."
    assert isinstance(read_by("fire_circle.assessment", said), Failed)


def test_a_reply_stays_as_it_is() -> None:
    """What refuses nothing is handed on unchanged."""
    reply = answered(model_call(), "The sky scatters blue light.")
    assert reply is check_refusal(reply, "council.opinion")
