"""Conversion of an exchange to a reply: an answer, or a lost model with a final, paid reason.

Reasoning is removed here, once, before any reader: no protocol, peer or user sees it in a text. An answer cut off with
text is an answer marked as cut; cut off without a word of the answer, and refused, are losses that keep the
written text. A model that thought and then finished without an answer has a blank text, and is asked for it in the
same conversation. A model that finished without a word may do better next time: that is an error, and the call is tried
again.
"""

import asyncio
from collections.abc import Sequence

from activities.providers.catalogue import Provider
from activities.providers.errors import EmptyAnswerError
from activities.providers.prices import list_price
from activities.providers.stream_assembly import Chunk
from activities.text_cleaning import clean_text
from protocols.further_calls import loss_of
from protocols.model_call import Answered, Cost, Failed, ModelCall
from protocols.panel import name_of
from protocols.sources import SourceLink
from protocols.spending import Reported
from protocols.thinking import split_thinking

_DIGITS = 3
"""Of seconds: every reply is in a history, where the digits of chance do not become shorter."""
_CUT = {"length", "max_tokens", "model_length"}
_REFUSED = {"content_filter", "refusal"}
_REFUSED_NATIVELY = {"refusal", "safety", "prohibited_content", "blocklist", "content_filter"}
_CLEANED_AT_ONCE = 8_000
"""Characters of a reply that are cleaned in less than two milliseconds: a thread costs a lone call as much."""
_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"


async def make_reply(chunk: Chunk, call: ModelCall, provider: Provider, attempt: int) -> Answered | Failed:
    """Return the reply in ``chunk``; a long one is cleaned in a thread, because other calls' heartbeats cannot wait."""
    if len(chunk.text) + len(chunk.reasoning) <= _CLEANED_AT_ONCE:
        return reply_of(chunk, call, provider, attempt)
    return await asyncio.to_thread(reply_of, chunk, call, provider, attempt)


def reply_of(chunk: Chunk, call: ModelCall, provider: Provider, attempt: int) -> Answered | Failed:
    """Return the reply in ``chunk``, not yet read.

    Raises:
        EmptyAnswerError: the model finished without a word.
    """
    is_cut = (chunk.finish or "").lower() in _CUT
    whole, repairs = clean_text(chunk.text)
    thinking, answer = split_thinking(whole.strip(_INVISIBLE))
    text = answer.strip(_INVISIBLE) if answer.translate(dict.fromkeys(map(ord, _INVISIBLE))).strip() else ""
    reasoning, mended = clean_text("\n\n".join(part for part in (chunk.reasoning, thinking) if part.strip()))
    paid = Answered(
        call_id=call.call_id,
        participant=call.participant,
        model=call.model,
        text=text,
        reasoning=reasoning or None,
        usage=chunk.usage,
        cost=_cost(chunk, call, provider),
        provider=provider.name,
        served_model=chunk.served_model,
        upstream=chunk.upstream,
        request_id=chunk.request_id,
        finish="truncated" if is_cut else "complete",
        repairs=tuple(dict.fromkeys((*chunk.repairs, *repairs, *mended))),
        sources=_placed(chunk.sources, chunk.text, text),
        asked_with_schema=chunk.asked_with_schema,
        attempts=attempt,
        seconds=round(chunk.seconds, _DIGITS),
        first_token_seconds=chunk.first_token_seconds and round(chunk.first_token_seconds, _DIGITS),
        rehearsal=provider.rehearsal or chunk.rehearsal,
    )
    if _is_refused(chunk, is_cut=is_cut):
        refusal, _ = clean_text(chunk.refusal)
        said = "\n\n".join(part for part in (whole, refusal) if part)
        return loss_of("refused", "the model refused to answer", said, paid)
    if not text and is_cut:
        said = "the answer was cut off by its length before a word of it was written"
        return loss_of("truncated", said, whole or reasoning, paid)
    if not text and not reasoning:
        raise EmptyAnswerError(
            "finished without a word",
            provider=provider.name,
            request_id=chunk.request_id,
            reported=Reported(usage=paid.usage, cost=paid.cost),
        )
    return paid


def unreadable(answer: Answered, why: str) -> Failed:
    """Return the loss of an answer that broke its reader; the text is kept."""
    return loss_of("unparseable", why, answer.text, answer)


def refused_in_words(answer: Answered) -> Failed:
    """Return the loss for a refusal in prose, the same as for one that the provider reports."""
    return loss_of("refused", "the model refused to answer", answer.text, answer)


def _is_refused(chunk: Chunk, *, is_cut: bool) -> bool:
    if chunk.refusal.strip() or (chunk.finish or "").lower() in _REFUSED:
        return True
    return not is_cut and (chunk.native_finish or "").lower() in _REFUSED_NATIVELY


def _placed(sources: Sequence[SourceLink], whole: str, text: str) -> tuple[SourceLink, ...]:
    """Return ``sources`` with their places in ``text``, which is a part of ``whole``; without those outside it."""
    before = whole.find(text)

    def placed(link: SourceLink) -> SourceLink:
        start, end = link.start, link.end
        if start is None or end is None:
            return link
        is_inside = before >= 0 and before <= start and end - before <= len(text)
        changed = {"start": start - before, "end": end - before} if is_inside else {"start": None, "end": None}
        return link.model_copy(update=changed)

    return tuple(map(placed, sources))


def _cost(chunk: Chunk, call: ModelCall, provider: Provider) -> Cost:
    if chunk.cost.source == "provider":
        return chunk.cost
    return list_price(chunk.usage, name_of(call.model), provider.price_list)
