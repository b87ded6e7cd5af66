"""Heartbeats of a call: its progress is reported to Temporal about once a second, first after a second and a half.

A worker that dies is noticed in seconds though a model may think for an hour, and a user's cancellation reaches the
activity only in answer to a heartbeat. Each heartbeat is a write of the server: a worker with hundreds of calls reports
each of them less often, because a server that falls behind takes their worker for dead.

Every failing attempt reports its failure in one more heartbeat, which arrives however soon after another one: the next
attempt reads there how often the call failed so far, and since when its provider is away (``activities/attempts.py``).
"""

import asyncio

from temporalio import activity

from activities.attempts import FAULT, CallAttempts
from activities.providers.call_slots import NoSlotError
from activities.providers.errors import ProviderError
from activities.providers.progress import ANSWERING, CallProgress
from activities.retry_posture import NO_PLACE, posture_of
from activities.text_cleaning import clean_text
from ledger.journal import UnwritableReplyError
from protocols.model_call import Heartbeat, ModelCall
from protocols.panel import provider_of
from protocols.reply_reader import reader_of
from protocols.spending import Reported

HEARTBEAT_SECONDS = 1.0
"""Between two heartbeats of a call, while a worker has few."""
_FIRST_PAUSE = 1.5
"""Pauses until the first heartbeat, in place of one: a call that is answered within about a second costs none."""
HEARTBEATS_A_SECOND = 100
"""Of all calls of a worker together."""
UNANSWERED = Reported(unanswered_requests=1)
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


class heartbeating:  # noqa: N801 - a context manager is named as a function
    """The reports of how far ``call`` has come, at the ``pace`` of its worker, until the block is left.

    A failure that leaves the block is added to ``attempts`` and reported at once. A call that ends sooner, in any
    other way, costs no heartbeat.
    """

    def __init__(self, call: ModelCall, pulse: CallProgress, attempts: CallAttempts, pace: HeartbeatPace) -> None:
        self._call, self._pulse, self._attempts, self._pace = call, pulse, attempts, pace

    async def __aenter__(self) -> None:
        self._pace.calls += 1
        self._set_timer(_FIRST_PAUSE)

    async def __aexit__(self, _: object, error: BaseException | None, _trace: object) -> None:
        self._pace.calls -= 1
        self._timer.cancel()
        del self._timer  # it keeps the whole call, which would wait for the next garbage collection
        if (failure := failure_of(error, self._pulse)) is not None:
            self._attempts.add(*failure)
            report(self._call, self._pulse, self._attempts)

    def _set_timer(self, pauses: float = 1) -> None:
        pause = pauses * self._pace.pause(self._call.patience.heartbeat)
        self._timer = asyncio.get_running_loop().call_later(pause, self._beat)

    def _beat(self) -> None:
        self._set_timer()
        report(self._call, self._pulse, self._attempts)


def failure_of(error: BaseException | None, pulse: CallProgress) -> tuple[str, Reported] | None:
    """Return the type of an attempt's failure and what it took; ``None`` for an end in any other way."""
    match error:
        case NoSlotError():
            return NO_PLACE, Reported()
        case ProviderError():
            is_billed = posture_of(error.error_type).may_cost and not error.reported.is_known
            return error.error_type, UNANSWERED if is_billed else error.reported
        case UnwritableReplyError():
            return "reply.not_encodable", Reported.of(error.reply)
        case Exception() if pulse.phase in ANSWERING:
            return FAULT, UNANSWERED
        case _:
            return None


def report(call: ModelCall, pulse: CallProgress, attempts: CallAttempts) -> None:
    """Send a heartbeat: how far ``call`` has come, and the record of its attempts."""
    asked = {"participant": call.participant, "model": call.model, "provider": provider_of(call.model)}
    come = {"tokens": pulse.tokens, "tail": pulse.tail, "request_id": pulse.request_id, "phase": pulse.phase}
    activity.heartbeat(Heartbeat({**asked, **come, **_text(call, pulse), **attempts.details}))


def _text(call: ModelCall, pulse: CallProgress) -> dict[str, object]:
    """Return the verdict as far as it is written; nothing for a call that writes none."""
    reader = reader_of(call.read_as.reader)
    if reader is None or reader.verdict is None:
        return {}
    text, length = pulse.text_so_far(reader.verdict)
    return {"text": clean_text(text)[0], "characters": length}
