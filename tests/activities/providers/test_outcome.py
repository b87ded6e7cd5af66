"""What an exchange means for the call."""

import asyncio
from typing import Any

import pytest
from genai_prices import data_snapshot

from activities.providers.errors import EmptyAnswerError
from activities.providers.prices import list_price
from activities.providers.replies import make_reply, reply_of, unreadable
from activities.providers.stream_assembly import Chunk
from protocols.model_call import Answered, Cost, Failed, Usage
from tests.fakes.calls import model_call, provider


def outcome(**said: Any) -> Answered | Failed:
    """The reply to an exchange that brought this."""
    return reply_of(heard(**said), model_call(), provider(), 2)


def heard(**said: Any) -> Chunk:
    """An exchange that brought nothing, with ``said``."""
    nothing: dict[str, Any] = {
        "text": "",
        "reasoning": "",
        "refusal": "",
        "finish": "stop",
        "native_finish": None,
        "usage": Usage(),
        "cost": Cost(usd=0.5, source="provider"),
        "served_model": None,
        "upstream": None,
        "request_id": None,
        "repairs": (),
        "first_token_seconds": None,
    }
    return Chunk(**{**nothing, **said})


def test_text_is_an_answer() -> None:
    """Text with an ending is an answer of the attempt that brought it."""
    reply = outcome(text="yes")
    assert isinstance(reply, Answered)
    assert (reply.text, reply.finish, reply.attempts, reply.cost.usd) == ("yes", "complete", 2, 0.5)


@pytest.mark.parametrize("said", [{"text": "yes"}, {"refusal": "no"}])
def test_an_endpoint_that_rehearses_is_labelled_under_any_name(said: dict[str, str]) -> None:
    """A reply is a rehearsal's when the endpoint says so, even as an ordinary provider of the providers file."""
    assert outcome(**said, rehearsal=True).rehearsal
    assert not outcome(**said).rehearsal


def test_cut_text_is_an_answer_that_states_so() -> None:
    """Text cut off by its length is kept and marked."""
    reply = outcome(text="half a", finish="length")
    assert isinstance(reply, Answered)
    assert reply.finish == "truncated"


@pytest.mark.parametrize(
    ("said", "kind", "kept"),
    [
        ({"finish": "length"}, "truncated", ""),
        ({"finish": "length", "reasoning": "hmm"}, "truncated", "hmm"),
        ({"finish": "MAX_TOKENS"}, "truncated", ""),
        ({"finish": "model_length"}, "truncated", ""),
        ({"finish": "refusal", "text": "no"}, "refused", "no"),
        ({"native_finish": "PROHIBITED_CONTENT", "text": "no"}, "refused", "no"),
        ({"native_finish": "blocklist"}, "refused", ""),
        ({"finish": "length", "text": "<think>hmm"}, "truncated", "<think>hmm"),
        ({"finish": "content_filter"}, "refused", ""),
        ({"finish": "content_filter", "text": "I was"}, "refused", "I was"),
        ({"refusal": "I cannot."}, "refused", "I cannot."),
        ({"native_finish": "SAFETY", "text": "no"}, "refused", "no"),
    ],
)
def test_a_paid_loss_keeps_what_was_written(said: dict[str, Any], kind: str, kept: str) -> None:
    """A refusal and an answer cut off before its first word are final, and their text and cost are kept."""
    reply = outcome(**said)
    assert isinstance(reply, Failed)
    assert (reply.kind, reply.text, reply.cost.usd) == (kind, kept, 0.5)


@pytest.mark.parametrize("said", [{}, {"text": " \n\t"}, {"text": "\u200b\ufeff"}])
def test_not_a_word_is_tried_again(said: dict[str, Any]) -> None:
    """Nothing, blanks and invisible characters are no answer."""
    with pytest.raises(EmptyAnswerError):
        outcome(**said)


def test_what_cannot_be_stored_is_replaced_and_recorded() -> None:
    """Lone surrogates and NULs are replaced in the answer, and the repairs say so."""
    reply = outcome(text="a\ud800b\x00c", repairs=("earlier",))
    assert isinstance(reply, Answered)
    assert reply.text == "a\ufffdbc"
    assert len(reply.repairs) == 3


@pytest.mark.parametrize("said", [{"reasoning": "hmm"}, {"text": "<think>hmm"}, {"text": "<think>hmm</think>\u200b"}])
def test_thinking_alone_is_a_reply_without_an_answer(said: dict[str, Any]) -> None:
    """A model that thought and said nothing was paid; its text is blank, its thinking is kept, nothing is retried."""
    reply = outcome(**said)
    assert isinstance(reply, Answered)
    assert ("", "hmm", "complete") == (reply.text, reply.reasoning, reply.finish)


def test_reasoning_never_stands_in_the_text() -> None:
    """What was thought in the reply and what arrived apart from it are kept together, outside the text."""
    reply = outcome(text="<think>first</think>\n\nyes", reasoning="apart")
    assert isinstance(reply, Answered)
    assert ("yes", "apart\n\nfirst") == (reply.text, reply.reasoning)


def test_an_unreadable_answer_keeps_its_text() -> None:
    """A text that broke its reader is a loss that was paid for."""
    answer = outcome(text="yes")
    assert isinstance(answer, Answered)
    lost = unreadable(answer, "broke")
    assert (lost.kind, lost.text, lost.cost) == ("unparseable", "yes", answer.cost)


@pytest.mark.parametrize(
    ("usage", "model", "price_list"),
    [
        (Usage(prompt_tokens=10, completion_tokens=10), "no/such-model", "openrouter"),
        (Usage(prompt_tokens=10, completion_tokens=10), "gpt-oss-120b", None),
        (Usage(prompt_tokens=10), "gpt-oss-120b", "cerebras"),
        (Usage(prompt_tokens=0, completion_tokens=0), "gpt-oss-120b", "cerebras"),
    ],
)
def test_an_unknown_price_is_no_zero(usage: Usage, model: str, price_list: str | None) -> None:
    """Without a listed model or counted tokens the cost is unknown."""
    assert list_price(usage, model, price_list) == Cost(usd=None, source="unknown")


def test_the_list_prices_what_the_provider_does_not() -> None:
    """A listed model's tokens are priced by the list, and the cost says where it comes from."""
    cost = list_price(Usage(prompt_tokens=1_000_000, completion_tokens=1_000_000), "gpt-oss-120b", "cerebras")
    assert cost.source == "price_list"
    assert cost.usd == pytest.approx(1.1, rel=0.5)


def test_tokens_of_the_cache_have_a_price_of_their_own() -> None:
    """The part of a prompt that the provider had in its cache is priced as such, never more of it than was sent."""
    counts = (
        Usage(prompt_tokens=1_000_000, completion_tokens=0, cached_tokens=n) for n in (None, 1_000_000, 9_000_000)
    )
    whole, cached, beyond = (list_price(usage, "aion-labs/aion-3.0", "openrouter").usd or 0 for usage in counts)
    assert 0 < cached < whole
    assert cached == beyond


def test_a_free_variant_costs_nothing() -> None:
    """OpenRouter's free variants are no unknown price."""
    free = list_price(Usage(prompt_tokens=10, completion_tokens=10), "no/such-model:free", "openrouter")
    assert Cost(usd=0.0, source="price_list") == free


def test_a_model_that_is_not_listed_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is long, and an unlisted model of a study is priced at each of its calls."""
    counted = Usage(prompt_tokens=1, completion_tokens=1)
    first = list_price(counted, "an-unlisted-model", "cerebras")
    monkeypatch.setattr(data_snapshot, "get_snapshot", pytest.fail)
    assert first == list_price(counted, "an-unlisted-model", "cerebras") == Cost()


def test_a_provider_without_a_figure_is_priced_by_the_list() -> None:
    """The reply's cost falls back to the list of the provider that served it."""
    said = heard(text="yes", cost=Cost(), usage=Usage(prompt_tokens=10, completion_tokens=10))
    reply = reply_of(said, model_call(model="lab:gpt-oss-120b"), provider(price_list="cerebras"), 1)
    assert reply.cost.source == "price_list"


@pytest.mark.parametrize(("text", "in_threads"), [("because", 0), ("because " * 2000, 1)])
async def test_only_a_long_reply_is_made_in_a_thread(
    text: str, in_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short reply costs no thread; a long one, which takes a while to clean, delays no other call's heartbeat."""
    threads: list[object] = []
    begin = asyncio.to_thread

    async def counted(work: Any, *arguments: Any) -> Any:
        threads.append(work)
        return await begin(work, *arguments)

    monkeypatch.setattr(asyncio, "to_thread", counted)
    reply = await make_reply(heard(text=text), model_call(), provider(), 1)

    assert (in_threads, reply_of(heard(text=text), model_call(), provider(), 1)) == (len(threads), reply)
