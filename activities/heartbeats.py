"""Heartbeats of a call: its progress is reported to Temporal about once a second.

A worker that dies is noticed in seconds though a model may think for an hour, and a user's cancellation reaches the
activity only in answer to a heartbeat. Each heartbeat is a write of the server: a worker with hundreds of calls reports
each of them less often, because a server that falls behind takes their worker for dead.

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
"""Between two heartbeats of a call, while a worker has few."""
HEARTBEATS_A_SECOND = 100
"""Of all calls of a worker together."""
_LATEST = 0.3
"""The share of the time without a heartbeat after which the worker is taken for dead."""


class HeartbeatPace:
    """The number of a worker's calls, and the time between two heartbeats of each."""

    def __init__(self) -> None:
        self.calls = 0
        """Calls that report now."""

    def pause(self, timeout: float) -> float:
        """Return the seconds between two heartbeats of a call that may be silent for ``timeout`` seconds."""
        return min(max(HEARTBEAT_SECONDS, self.calls / HEARTBEATS_A_SECOND), _LATEST * timeout)


@asynccontextmanager
async def heartbeating(
    call: ModelCall, pulse: CallProgress, attempts: CallAttempts, pace: HeartbeatPace
) -> AsyncIterator[None]:
    """Report how far ``call`` has come, at the ``pace`` of its worker, until the block is left.

    A failure that leaves the block is added to ``attempts`` and reported at once. A call that ends sooner, in any
    other way, costs no heartbeat.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle

    def beat() -> None:
        nonlocal timer
        timer = loop.call_later(pace.pause(call.patience.heartbeat), beat)
        report(call, pulse, attempts)

    pace.calls += 1
    timer = loop.call_later(pace.pause(call.patience.heartbeat), beat)
    try:
        yield
    except NoSlotError:
        attempts.add(NO_PLACE)
        report(call, pulse, attempts)
        raise
    except ProviderError as error:
        attempts.add(error.error_type, error.reported)
        report(call, pulse, attempts)
        raise
    finally:
        pace.calls -= 1
        timer.cancel()


def report(call: ModelCall, pulse: CallProgress, attempts: CallAttempts) -> None:
    """Send a heartbeat: how far ``call`` has come, and the record of its attempts."""
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


def _text(call: ModelCall, pulse: CallProgress) -> dict[str, object]:
    """Return the verdict as far as it is written; nothing for a call that writes none."""
    reader = reader_of(call.read_as.reader)
    if reader is None or reader.verdict is None:
        return {}
    text, length = pulse.text_so_far(reader.verdict)
    return {"text": clean_text(text)[0], "characters": length}
