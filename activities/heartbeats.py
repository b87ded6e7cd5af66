"""Heartbeats of a call: its progress is reported to Temporal about once a second.

A worker that dies is noticed in seconds though a model may think for an hour, and a user's cancellation reaches the
activity only in answer to a heartbeat.

Every failing attempt reports its failure in one more heartbeat, which arrives however soon after another one: the next
attempt reads there how often the call failed so far, and since when its provider is away (``activities/attempts.py``).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio import activity

from activities.attempts import CallAttempts
from activities.providers.call_slots import NoSlotError
from activities.providers.errors import ProviderError
from activities.providers.progress import CallProgress
from activities.retry_posture import NO_PLACE
from activities.text_cleaning import clean_text
from protocols.model_call import ModelCall
from protocols.panel import provider_of
from protocols.reply_reader import reader_of

HEARTBEAT_SECONDS = 1.0


@asynccontextmanager
async def heartbeating(
    call: ModelCall, pulse: CallProgress, attempts: CallAttempts, every: float = HEARTBEAT_SECONDS
) -> AsyncIterator[None]:
    """Report how far ``call`` has come, ``every`` so many seconds, until the block is left.

    A failure that leaves the block is added to ``attempts`` and reported at once. A call that ends sooner, in any
    other way, costs no heartbeat.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle

    def beat() -> None:
        nonlocal timer
        timer = loop.call_later(every, beat)
        _report(call, pulse, attempts)

    timer = loop.call_later(every, beat)
    try:
        yield
    except (ProviderError, NoSlotError) as error:
        attempts.add(error.error_type if isinstance(error, ProviderError) else NO_PLACE)
        _report(call, pulse, attempts)
        raise
    finally:
        timer.cancel()


def _text(call: ModelCall, pulse: CallProgress) -> dict[str, object]:
    """Return the verdict as far as it is written; nothing for a call that writes none."""
    reader = reader_of(call.read_as.reader)
    if reader is None or reader.verdict is None:
        return {}
    text, length = pulse.text_so_far(reader.verdict)
    return {"text": clean_text(text)[0], "characters": length}


def _report(call: ModelCall, pulse: CallProgress, attempts: CallAttempts) -> None:
    activity.heartbeat(
        {
            "participant": call.participant,
            "model": call.model,
            "provider": provider_of(call.model),
            "tokens": pulse.tokens,
            "tail": pulse.tail,
            "request_id": pulse.request_id,
            "phase": pulse.phase,
            **_text(call, pulse),
            **attempts.details,
        }
    )
