"""A budget that is too small for the first calls is refused before anything starts."""

from typing import Any

import pytest

from parley.errors import RequestError
from parley.specs import PROTOCOLS
from protocols import tokens
from protocols.deliberation import DeliberationInput
from protocols.model_call import Message
from tests.fakes.specified import PRICE, QUESTION, specified

SHORT = {"max_tokens": 100}


def needed(name: str) -> float:
    """Return the most dollars of the first calls: each prompt as it is counted, and the longest reply."""
    spec, inp = PROTOCOLS[name], specified(name, **SHORT)
    assert spec.first_calls is not None
    calls = spec.first_calls(inp)
    texts = [[*(message.content for message in call.messages), call.schema_instruction] for call in calls]
    prompts = [sum(tokens.count(text) + 8 for text in one if text) for one in texts]
    each = [(size * PRICE.input + 100 * PRICE.output) / 1e6 for size in prompts]
    return min(each) if spec.is_divisible else sum(each)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_first_calls_are_enough_to_begin(name: str) -> None:
    """A budget of exactly their highest cost is accepted, and one that is a hundredth lower is not."""
    exact = needed(name)
    assert specified(name, budget_usd=exact, **SHORT).cap is not None
    with pytest.raises(RequestError, match="is too small to begin: the first stage"):
        specified(name, budget_usd=exact * 0.99, **SHORT)


def test_the_sentence_names_the_budget_the_cost_and_the_remedy() -> None:
    """In dollars and in tokens, with a budget that would be enough."""
    asked: dict[str, Any] = {"asked": QUESTION, **SHORT}
    with pytest.raises(RequestError) as dollars:
        specified("council", budget_usd=0.001, **asked)
    with pytest.raises(RequestError) as count:
        specified("council", budget_tokens=12, on_budget="wait", **asked)

    most = f"{needed('council'):.4f}"
    assert (
        f"the budget of $0.001 is too small to begin: the first stage (3 calls) may cost up to ${most}; "
        "raise it (--budget-usd 0.01 at the least; what all of it may take: parley estimate), or shorten the replies "
        "(--max-tokens)"
    ) == str(dollars.value)
    said = str(count.value)
    assert said.startswith("the budget of 12 tokens is too small to begin: the first stage (3 calls) may take up to ")
    option = said.partition("--budget-tokens ")[2].partition(" ")[0]
    assert specified("council", budget_tokens=int(option), **asked).cap is not None


def test_of_several_turns_the_first_one_counts() -> None:
    """A long last question is paid when it is asked, from a budget of its own."""
    asked = ["Why?", "Why, after all that was said? " * 200]
    assert specified("vote", asked=asked, budget_tokens=900, **SHORT).earlier[0].startswith("Why?")
    with pytest.raises(RequestError, match="too small to begin"):
        specified("vote", asked=asked[::-1], budget_tokens=900, **SHORT)


def test_an_earlier_conversation_counts() -> None:
    """A follow-up is checked with the question and the answer before it."""
    spec, inp = PROTOCOLS["vote"], specified("vote", budget_tokens=900, **SHORT)
    said = Message(role="user", content="Why, after all that was said? " * 200)
    longer: DeliberationInput = inp.model_copy(update={"context_messages": (said,)})

    spec.refuse_small_budget(inp)
    with pytest.raises(RequestError, match="too small to begin"):
        spec.refuse_small_budget(longer)
