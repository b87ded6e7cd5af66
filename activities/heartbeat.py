"""A long answer is alive: while a call is made, its progress is told to Temporal about once a second.

A worker that dies is noticed in seconds though a model may think for an hour, and a person's cancellation reaches the
activity only in answer to a heartbeat.

The last heartbeat of an attempt is given to the next one, so it also carries what that one must know: how often the
call failed so far, by type of error. What an attempt tells before it fails arrives, however soon after another
heartbeat; what a killed worker had not told yet is forgotten, and then a call is tried once more than the table says.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic import Field, PositiveInt, ValidationError
from temporalio import activity

from activities.providers.errors import ProviderError
from activities.providers.pulse import Pulse
from activities.retry_posture import posture_of
from protocols.exchange import Frozen, ModelCall
from protocols.panel import provider_of

HEARTBEAT_SECONDS = 1.0


class _Told(Frozen):
    """What one attempt reads in the last heartbeat of those before it."""

    tries: dict[str, PositiveInt] = Field(default_factory=dict)


def tries_told(details: Sequence[Any]) -> Counter[str]:
    """How often the call failed before, by type of error, as its last heartbeat's ``details`` say.

    Only types of which the table allows a few tries are in it. A heartbeat that does not count says nothing.
    """
    try:
        return Counter(_Told.model_validate(details[0]).tries) if details else Counter()
    except ValidationError:
        return Counter()


@asynccontextmanager
async def beating(
    call: ModelCall, pulse: Pulse, tries: Counter[str], every: float = HEARTBEAT_SECONDS
) -> AsyncIterator[None]:
    """Tell Temporal how far ``call`` has come, ``every`` so many seconds, until the block is left.

    A provider's error that leaves the block is added to ``tries``, and told when the next attempt must know of it. A
    call that is over sooner, in any other way, costs no heartbeat.
    """
    beats = asyncio.create_task(_beat(call, pulse, tries, every), name=f"heartbeat-{call.call_id}")
    try:
        yield
    except ProviderError as error:
        tries[error.error_type] += 1
        if posture_of(error.error_type).is_counted:
            _tell(call, pulse, tries)
        raise
    finally:
        beats.cancel()
        await asyncio.gather(beats, return_exceptions=True)


async def _beat(call: ModelCall, pulse: Pulse, tries: Counter[str], every: float) -> None:
    while True:
        await asyncio.sleep(every)
        _tell(call, pulse, tries)


def _tell(call: ModelCall, pulse: Pulse, tries: Counter[str]) -> None:
    activity.heartbeat(
        {
            "participant": call.participant,
            "model": call.model,
            "provider": provider_of(call.model),
            "tokens": pulse.tokens,
            "tail": pulse.tail,
            "request_id": pulse.request_id,
            "phase": pulse.phase,
            "tries": dict(tries),
        }
    )
