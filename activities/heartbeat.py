"""A long answer is alive: while a call is made, its progress is told to Temporal about once a second.

A worker that dies is noticed in seconds though a model may think for an hour, and a person's cancellation reaches the
activity only in answer to a heartbeat.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio import activity

from activities.providers.pulse import Pulse
from protocols.exchange import ModelCall
from protocols.panel import provider_of

HEARTBEAT_SECONDS = 1.0


@asynccontextmanager
async def beating(call: ModelCall, pulse: Pulse, every: float = HEARTBEAT_SECONDS) -> AsyncIterator[None]:
    """Tell Temporal how far ``call`` has come, ``every`` so many seconds, until the block is left.

    A call that is over sooner costs no heartbeat.
    """
    beats = asyncio.create_task(_beat(call, pulse, every), name=f"heartbeat-{call.call_id}")
    try:
        yield
    finally:
        beats.cancel()
        await asyncio.gather(beats, return_exceptions=True)


async def _beat(call: ModelCall, pulse: Pulse, every: float) -> None:
    while True:
        await asyncio.sleep(every)
        activity.heartbeat(
            {
                "participant": call.participant,
                "model": call.model,
                "provider": provider_of(call.model),
                "tokens": pulse.tokens,
                "tail": pulse.tail,
                "request_id": pulse.request_id,
                "phase": pulse.phase,
            }
        )
