"""The latest requests as they arrived, with the seat of a deliberation that each belongs to."""

from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

from rehearsal.api.billing import Arrival
from rehearsal.api.recordings import Turn

_MOST_REQUESTS = 2_000
_MOST_BYTES = 32 * 2**20

_NO_TURN = Turn(deliberation="", stage="", round=0, participant="", call="")


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
        at = turn or _NO_TURN
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
