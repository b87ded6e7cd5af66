"""Every fault of the rehearsal server, in every dialect, met by the client: its type, and whether it is tried again."""

import re
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
from pydantic import SecretStr

from activities.providers.catalogue import Dialect, Provider
from activities.providers.errors import EmptyAnswerError, ProviderError
from activities.providers.http_exchange import send_call
from activities.providers.pool import Pool
from activities.providers.progress import CallProgress
from activities.providers.replies import reply_of
from activities.providers.stream_assembly import Chunk
from activities.retry_posture import application_error
from protocols.model_call import Answered, Failed
from protocols.sources import MOST_SOURCES
from rehearsal.api.server import Rehearsal
from rehearsal.faults.script import Match, Rule, Script
from rehearsal.faults.table import FAULTS
from tests.fakes.calls import model_call

PREFIXES: dict[Dialect, str] = {
    "openrouter": "/openrouter/api/v1",
    "cerebras": "/cerebras/v1",
    "generic": "/generic/v1",
}

MAY_ANSWER = {"normal", "leading-whitespace", "byok", "drift", "usage-missing", "nan-json", "huge-number"} | {
    *("comments-first", "slow-drip", "no-done", "split-utf8", "crlf", "line-separators", "usage-separate"),
    *("debug-first-chunk", "slow-headers"),
    *("sources-null", "sources-wrong-types", "sources-no-lists", "sources-unsafe", "sources-many"),
}
"""Faults behind which there is a whole answer: it must be received."""

AGAIN, FINAL = True, False
KEY = SecretStr("rehearsal")
ENDS_IN: dict[str, tuple[str, bool]] = {
    "400-context-length": ("provider.bad_request", FINAL),
    "400-content-policy": ("provider.moderated", FINAL),
    "400-model-not-found": ("provider.not_found", FINAL),
    "401": ("provider.auth", FINAL),
    "402-credits": ("provider.payment_required", FINAL),
    "402-key-limit": ("provider.payment_required", FINAL),
    "402-in-flight": ("provider.rate_limited", AGAIN),
    "402-weight": ("provider.payment_required", FINAL),
    "403-moderation": ("provider.moderated", FINAL),
    "403-guardrail": ("provider.moderated", FINAL),
    "403-budget": ("provider.payment_required", FINAL),
    "403-detail": ("provider.auth", FINAL),
    "403-html": ("provider.gateway", AGAIN),
    "404-html": ("provider.gateway", AGAIN),
    "404-no-endpoints": ("provider.not_found", FINAL),
    "404-model-deprecated": ("provider.not_found", FINAL),
    "404-model-unavailable-upstream": ("provider.unavailable", AGAIN),
    "404-privacy-restricted": ("provider.not_found", FINAL),
    "404-constraint-filtered": ("provider.not_found", FINAL),
    "407": ("provider.gateway", AGAIN),
    "408": ("provider.unavailable", AGAIN),
    "413": ("provider.bad_request", FINAL),
    "422": ("provider.bad_request", FINAL),
    "429": ("provider.rate_limited", AGAIN),
    "429-retry-after": ("provider.rate_limited", AGAIN),
    "429-retry-after-float": ("provider.rate_limited", AGAIN),
    "429-retry-after-ms": ("provider.rate_limited", AGAIN),
    "429-retry-after-date": ("provider.rate_limited", AGAIN),
    "429-retry-after-garbage": ("provider.rate_limited", AGAIN),
    "429-retry-after-huge": ("provider.quota_exhausted", FINAL),
    "429-reset-ms": ("provider.rate_limited", AGAIN),
    "429-reset-seconds": ("provider.rate_limited", AGAIN),
    "429-reset-duration": ("provider.rate_limited", AGAIN),
    "429-token-quota": ("provider.rate_limited", AGAIN),
    "429-availability": ("provider.rate_limited", AGAIN),
    "500-masked": ("provider.unavailable", AGAIN),
    "502-html": ("provider.unavailable", AGAIN),
    "503": ("provider.unavailable", AGAIN),
    "504": ("provider.unavailable", AGAIN),
    "524": ("provider.unavailable", AGAIN),
    "529": ("provider.unavailable", AGAIN),
    "reasoning-cut": ("reply.truncated", FINAL),
    "error-in-200": ("provider.rate_limited", AGAIN),
    "error-in-200-new": ("provider.unavailable", AGAIN),
    "error-in-200-400": ("provider.bad_request", FINAL),
    "error-in-200-word": ("provider.unavailable", AGAIN),
    "choice-error": ("provider.broken_off", AGAIN),
    "empty-choices": ("provider.empty", AGAIN),
    "missing-choices": ("provider.bad_response", AGAIN),
    "warming-up": ("provider.empty", AGAIN),
    "html-200": ("provider.gateway", AGAIN),
    "wrong-content-type": ("provider.gateway", AGAIN),
    "empty-200": ("provider.bad_response", AGAIN),
    "204": ("provider.bad_response", AGAIN),
    "json-array": ("provider.bad_response", AGAIN),
    "json-null": ("provider.bad_response", AGAIN),
    "cut-json": ("provider.bad_response", AGAIN),
    "deep-nesting": ("provider.bad_response", AGAIN),
    "non-utf8": ("provider.bad_response", AGAIN),
    "utf16": ("provider.bad_response", AGAIN),
    "stall": ("provider.stalled", AGAIN),
    "mid-stream-error": ("provider.broken_off", AGAIN),
    "garbage-event": ("provider.bad_response", AGAIN),
    "quiet-end": ("provider.broken_off", AGAIN),
    "disconnect": ("provider.broken_off", AGAIN),
    "empty-stream": ("provider.bad_response", AGAIN),
    "error-event": ("provider.unavailable", AGAIN),
    "endless-body": ("provider.too_large", FINAL),
    "hang": ("provider.stalled", AGAIN),
    "close": ("provider.transport", AGAIN),
    "reset": ("provider.transport", AGAIN),
    "reset-mid-stream": ("provider.broken_off", AGAIN),
    "bill-then-drop": ("provider.transport", AGAIN),
    "garbage-bytes": ("provider.transport", AGAIN),
    "short-content-length": ("provider.broken_off", AGAIN),
    "bad-gzip": ("provider.bad_response", AGAIN),
    "gzip-bomb": ("provider.too_large", FINAL),
    "redirect": ("provider.redirect", AGAIN),
    "portal": ("provider.redirect", AGAIN),
    "oversized-header": ("provider.transport", AGAIN),
}

THOUGHT_ALONE = "null-content"
"""What was paid and says nothing: the model is asked for its answer in the same conversation."""

SAID_BY_OPENROUTER_ALONE: dict[str, tuple[str, bool]] = {
    "400-content-policy": ("provider.bad_request", FINAL),
    "400-model-not-found": ("provider.bad_request", FINAL),
    "403-moderation": ("provider.auth", FINAL),
    "403-guardrail": ("provider.auth", FINAL),
    "403-budget": ("provider.auth", FINAL),
    "404-model-unavailable-upstream": ("provider.not_found", FINAL),
}
"""What the other dialects have no word for: there only the status speaks."""

QUICK: dict[str, dict[str, int | float | str]] = {
    "comments-first": {"seconds": 0.2, "interval": 0.05},
    "slow-drip": {"interval": 0.001},
    "slow-headers": {"seconds": 0.2},
    "endless-body": {"megabytes": 9.0},
    "gzip-bomb": {"megabytes": 70},
}


class Met(NamedTuple):
    """How one exchange ended."""

    error_type: str | None
    is_tried_again: bool
    heard: Chunk | None = None
    reply: Answered | Failed | None = None


@pytest.fixture(scope="module")
async def stage() -> AsyncIterator[Rehearsal]:
    """A running rehearsal server."""
    async with Rehearsal(seed=7) as rehearsal:
        yield rehearsal


async def meet(stage: Rehearsal, fault: str, dialect: Dialect) -> Met:
    """One exchange in which ``fault`` is played."""
    stage.perform(Script(faults=(Rule(match=Match(), fault=fault, args=QUICK.get(fault, {})),)))
    stage.ledger.calls.clear()
    lab = Provider(name="lab", rehearsal=True, dialect=dialect, base_url=stage.url + PREFIXES[dialect])
    call = model_call(patience={"total": 20, "first_token": 1.5, "between_chunks": 1.5}, sampling={"max_tokens": 2000})
    pool, pulse = Pool(), CallProgress()
    try:
        async with pool.lend(lab, pulse) as client:
            heard = await send_call(client, call, lab, KEY, call_key=f"{fault}/{dialect}", pulse=pulse)
        reply = reply_of(heard, call, lab, 1)
    except ProviderError as error:
        told = application_error(error)
        return Met(told.type, not told.non_retryable)
    finally:
        await pool.aclose()
    return Met(reply.error_type if reply.kind != "answered" else None, is_tried_again=False, heard=heard, reply=reply)


def test_every_fault_of_the_rehearsal_has_its_expectation() -> None:
    """Nothing can be rehearsed that the client has no named answer to."""
    assert FAULTS.keys() == MAY_ANSWER | ENDS_IN.keys() | {THOUGHT_ALONE}


@pytest.mark.parametrize("dialect", PREFIXES)
@pytest.mark.parametrize("fault", sorted(ENDS_IN))
async def test_every_fault_ends_in_its_type(stage: Rehearsal, fault: str, dialect: Dialect) -> None:
    """A rehearsed fault ends in the error type of its row, and is tried again or not as the row states."""
    met = await meet(stage, fault, dialect)
    elsewhere = {} if dialect == "openrouter" else SAID_BY_OPENROUTER_ALONE
    assert (met.error_type, met.is_tried_again) == elsewhere.get(fault, ENDS_IN[fault])


@pytest.mark.parametrize("dialect", PREFIXES)
@pytest.mark.parametrize("fault", sorted(MAY_ANSWER))
async def test_an_odd_answer_is_received_whole(stage: Rehearsal, fault: str, dialect: Dialect) -> None:
    """Odd framing, odd accounts and slow beginnings do not cost an answer."""
    met = await meet(stage, fault, dialect)
    assert isinstance(met.reply, Answered)
    assert re.search(r"\w", met.reply.text)


@pytest.mark.parametrize("dialect", PREFIXES)
@pytest.mark.parametrize(("fault", "kept"), [("sources-unsafe", 0), ("sources-many", MOST_SOURCES)])
async def test_an_answer_keeps_the_sources_that_may_be_shown(
    stage: Rehearsal, fault: str, kept: int, dialect: Dialect
) -> None:
    """Unsafe sources are left out, and of ten thousand only the first are kept, however they are written."""
    met = await meet(stage, fault, dialect)
    assert isinstance(met.reply, Answered)
    assert [one.number for one in met.reply.sources] == list(range(1, kept + 1))


@pytest.mark.parametrize("dialect", PREFIXES)
async def test_thinking_without_an_answer_is_a_blank_reply(stage: Rehearsal, dialect: Dialect) -> None:
    """Content that is null behind reasoning is a reply without a text, and is not tried again as it was."""
    met = await meet(stage, THOUGHT_ALONE, dialect)
    assert isinstance(met.reply, Answered)
    assert ("", True) == (met.reply.text, bool(met.reply.reasoning))


async def test_the_rehearsal_server_counts_the_logical_call(stage: Rehearsal) -> None:
    """The identity that the client sends is the one under which the rehearsal server keeps its account."""
    rehearsal = Provider(
        name="rehearsal", rehearsal=True, dialect="openrouter", base_url=stage.url + PREFIXES["openrouter"]
    )
    stage.perform(Script())
    pool = Pool()
    async with pool.lend(rehearsal, CallProgress()) as client:
        await send_call(client, model_call(), rehearsal, KEY, call_key="the-identity", pulse=CallProgress())
    await pool.aclose()
    assert stage.ledger.calls["the-identity"].arrivals == 1


async def test_the_account_is_the_providers_own(stage: Rehearsal) -> None:
    """Tokens and cost of an ordinary OpenRouter answer are those that the provider billed."""
    met = await meet(stage, "normal", "openrouter")
    assert met.reply is not None
    billed = stage.ledger.calls["normal/openrouter"]
    assert met.reply.cost.source == "provider"
    assert met.reply.cost.usd == pytest.approx(billed.billed_usd / billed.billed)


def test_a_loss_without_words_is_an_error() -> None:
    """An empty answer is one of the errors that are tried again."""
    assert EmptyAnswerError.error_type == ENDS_IN["empty-choices"][0]
