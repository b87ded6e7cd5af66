"""A log of requests, answers and charges on the provider's side, to compare with the ledger.

A *logical call* is what a client means to ask once; an *arrival* is one HTTP request for it. The client may name the
call in ``X-Parley-Call``; otherwise the model and the messages are its name. Arrivals are kept in order with the
monotonic times of their start and end, so a crash test can find the calls in flight at a time.

Of a key only two things are kept: whether one was sent, and eight digits of its digest. The latest requests are kept
as they arrived, without their headers.
"""

import json
from collections import Counter, deque
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from time import monotonic
from typing import Any

from rehearsal.api.recordings import Turn
from rehearsal.models.prompt_recognition import Stage

_MOST_REQUESTS = 2_000
_MOST_BYTES = 32 * 2**20


@dataclass
class LogicalCall:
    """One call as the client means it, however often it arrives."""

    key: str
    model: str
    dialect: str
    stage: Stage
    ordinal: int
    """Which logical call of its model it is, from 1, by first arrival."""
    arrivals: int = 0
    completed: int = 0
    """Times that a whole answer was written to the wire."""
    billed: int = 0
    billed_usd: float = 0.0
    key_sent: bool = False
    key_print: str | None = None


@dataclass
class Arrival:
    """One HTTP request."""

    number: int
    at: float
    """Seconds on the server's monotonic clock."""
    key: str
    model: str
    dialect: str
    stage: Stage
    nth: int
    """Which arrival of its logical call it is, from 1."""
    has_schema: bool = False
    """The request had a JSON schema for the reply."""
    parts: list[dict[str, Any]] = field(default_factory=list)
    """The attached files and images that it had: name or media type, size and SHA-256."""
    searches: bool = False
    """It asked for a search of the web."""
    fault: str = "normal"
    finished: bool = False
    outcome: str = "in flight"
    """``answered``, ``refused`` (an error was sent whole), ``broken`` (by a fault) or ``dropped`` (the client left)."""
    finished_at: float | None = None

    def finish(self, outcome: str) -> None:
        """Mark the response as finished."""
        self.finished, self.outcome, self.finished_at = True, outcome, monotonic()


@dataclass
class BillingLog:
    """All calls and arrivals since the start or the last reset."""

    calls: dict[str, LogicalCall] = field(default_factory=dict)
    arrivals: list[Arrival] = field(default_factory=list)
    redirects_followed: int = 0
    _of_model: Counter[str] = field(default_factory=Counter)

    def arrive(
        self, key: str, model: str, dialect: str, stage: Stage, bearer: str | None
    ) -> tuple[LogicalCall, Arrival]:
        """Record a request; ``bearer`` is its key."""
        if key not in self.calls:
            self._of_model[model] += 1
            self.calls[key] = LogicalCall(key, model, dialect, stage, self._of_model[model])
        call = self.calls[key]
        call.arrivals += 1
        call.key_sent = call.key_sent or bearer is not None
        call.key_print = sha256(bearer.encode("utf-8", "surrogateescape")).hexdigest()[:8] if bearer else call.key_print
        arrival = Arrival(len(self.arrivals) + 1, monotonic(), key, model, dialect, stage, call.arrivals)
        self.arrivals.append(arrival)
        return call, arrival

    def reset(self) -> None:
        """Forget everything; what is in flight now is counted nowhere."""
        self.calls.clear()
        self.arrivals.clear()
        self._of_model.clear()
        self.redirects_followed = 0

    @property
    def usd(self) -> float:
        """Return the total charge."""
        return sum(call.billed_usd for call in self.calls.values())

    def summary(self) -> dict[str, Any]:
        """Return the log as JSON: per logical call, and in total."""
        return {
            "calls": [asdict(call) for call in self.calls.values()],
            "arrivals": len(self.arrivals),
            "completed": sum(call.completed for call in self.calls.values()),
            "billed": sum(call.billed for call in self.calls.values()),
            "billed_usd": round(self.usd, 10),
            "redirects_followed": self.redirects_followed,
            "faults": dict(Counter(a.fault for a in self.arrivals if a.fault != "normal")),
        }

    def log(self, since: int = 0) -> list[dict[str, Any]]:
        """Return the arrivals after number ``since``, in order."""
        return [asdict(arrival) for arrival in self.arrivals[since:]]


def call_key(model: str, messages: list[dict[str, Any]]) -> str:
    """Return the key of a call without a name from the client."""
    text = json.dumps([model, messages], sort_keys=True)
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class KeptRequest:
    """One request. Its headers are not kept, so no key is."""

    arrival: int
    """Its number among the arrivals."""
    dialect: str
    deliberation: str
    participant: str
    stage: str
    round: int
    call_id: str
    body: str
    """What was sent, byte for byte where it is UTF-8."""


class RequestLog:
    """The latest 2,000 requests, or those of the latest 32 MB."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._kept: deque[tuple[KeptRequest, int]] = deque()
        self._most_bytes = most_bytes
        self._bytes = 0
        self._forgotten = 0

    def keep(self, arrival: Arrival, turn: Turn | None, body: bytes) -> None:
        """Keep ``body``, and forget the oldest where there are too many."""
        at = turn or Turn(deliberation="", stage="", round=0, participant="", call="")
        text = body.decode(errors="backslashreplace")
        request = KeptRequest(
            arrival.number, arrival.dialect, at.deliberation, at.participant, at.stage, at.round, at.call, text
        )
        self._kept.append((request, len(body)))
        self._bytes += len(body)
        while len(self._kept) > _MOST_REQUESTS or self._bytes > self._most_bytes:
            _, size = self._kept.popleft()
            self._bytes -= size
            self._forgotten += 1

    def clear(self) -> None:
        """Forget all of them."""
        self._kept.clear()
        self._bytes = self._forgotten = 0

    def found(self, deliberation: str | None, seat: str | None) -> dict[str, Any]:
        """Return those of a deliberation and of a seat, in order, and how many are not kept any more."""
        requests = [
            asdict(one)
            for one, _ in self._kept
            if deliberation in {None, one.deliberation} and seat in {None, one.participant}
        ]
        return {"requests": requests, "forgotten": self._forgotten}
