"""Recordings: the answers of every model in one deliberation, as a file to run it again from.

A recording is JSON lines. The first line may describe the deliberation; every other line is one answer::

    {"recording": 1, "protocol": "council", "question": "…", "models": {"p1": "maker/model", …}, "draws": {…}}
    {"stage": "opinion", "round": 1, "participant": "p1", "text": "…", "finish": "complete", "usage": {…}}

A line needs ``stage``, ``participant`` and ``text``. ``call`` is the id of the call; without it the answers of one
stage, round and participant are given in the order in which they are in the file. ``finish`` is ``complete``,
``truncated`` or ``refused``. ``draws`` is what was random: without it labels and orders are those of the panel, so that
"Response A" is the answer of ``p1``.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self
from urllib.parse import quote

from pydantic import ConfigDict, Field, ValidationError

from parley.errors import RequestError
from parley.questions import read_text
from protocols.branch import RandomDraws
from protocols.model_call import FrozenModel, ParticipantId, Usage
from protocols.panel import Panel
from protocols.sources import SourceLink

LARGEST = 200_000_000
"""Bytes of a recording."""

_SECONDS = 60.0


class RecordedAnswer(FrozenModel):
    """One answer as it was given."""

    model_config = ConfigDict(extra="ignore")

    stage: str = Field(min_length=1)
    round: int = Field(default=1, ge=1)
    participant: str = Field(min_length=1)
    call: str | None = None
    """Id of the call; ``None`` where it is not known."""
    model: str | None = None
    text: str
    reasoning: str | None = None
    finish: Literal["complete", "truncated", "refused"] = "complete"
    usage: Usage = Usage()
    sources: tuple[SourceLink, ...] = ()
    """What the model's provider named."""


class RecordingHead(FrozenModel):
    """The recorded deliberation."""

    model_config = ConfigDict(extra="ignore")

    recording: Literal[1] = 1
    """Version of the form of the file."""
    deliberation: str | None = None
    protocol: str | None = None
    question: str | None = None
    models: dict[str, str] = Field(default_factory=dict)
    """Seat to model, ``p1`` … and the other seats."""
    draws: RandomDraws | None = None


class Recording(FrozenModel):
    """One deliberation as it was recorded."""

    head: RecordingHead = RecordingHead()
    answers: tuple[RecordedAnswer, ...]

    @classmethod
    def read(cls, path: str) -> Self:
        """Return the recording in the file at ``path``.

        Raises:
            RequestError: there is no such file, or a line of it is no answer; the message names the line.
        """
        head: RecordingHead | None = None
        answers: list[RecordedAnswer] = []
        for number, line in _lines(read_text(path, largest=LARGEST)):
            if "recording" in line and not answers and head is None:
                head = _line(RecordingHead, line, path, number)
            else:
                answers.append(_line(RecordedAnswer, line, path, number))
        if not answers:
            raise RequestError(f"{path!r} has no answer; a recording is written by: parley export ID --what recording")
        return cls(head=head or RecordingHead(), answers=tuple(answers))

    def refuse_another_protocol(self, protocol: str) -> None:
        """Refuse to play it in another protocol.

        Raises:
            RequestError: it was recorded in another one.
        """
        recorded = self.head.protocol or protocol
        if recorded != protocol:
            raise RequestError(f"the recording is of the protocol {recorded}; play it with: parley {recorded}")

    def roles(self, roles: Iterable[str]) -> dict[str, str | tuple[str, ...]]:
        """Return the options ``roles``, which name models, from the recording's panel."""
        models = self.head.models or {one.participant: one.model for one in self.answers if one.model}
        numbered = (seat for seat in models if seat[:1] == "p" and seat[1:].isdecimal())
        panel = tuple(models[seat] for seat in sorted(numbered, key=lambda seat: int(seat[1:])))
        found: dict[str, str | tuple[str, ...]] = {}
        for role in roles:
            if role in {"models", "agents"} and panel:
                found[role] = panel
            elif role.endswith("_fallbacks") and models:
                found[role] = ()
            elif role in models:
                found[role] = models[role]
        return found

    def draws_for(self, panel: Panel) -> RandomDraws:
        """Return the random draws of a deliberation of ``panel`` that replays it."""
        return self.head.draws or _in_panel_order([seat.id for seat in panel.participants], panel.chair_seat)


async def load_recording(url: str, deliberation_id: str, recording: Recording) -> None:
    """Load ``recording`` into the rehearsal server at ``url`` for the deliberation of that id.

    Raises:
        RequestError: no rehearsal server answers there, or it does not take the recording.
    """
    body = [_on_the_wire(one) for one in recording.answers]
    import httpx  # noqa: PLC0415 - every command that asks imports this module, and few have a recording

    try:
        async with httpx.AsyncClient(trust_env=False, timeout=_SECONDS) as http:
            reply = await http.post(f"{url}/rehearsal/recordings/{quote(deliberation_id, safe='')}", json=body)
    except httpx.HTTPError:
        said = "no rehearsal server answers, so nothing can be played. Start one with: parley up --rehearse"
        raise RequestError(said) from None
    if not reply.is_success:
        raise RequestError(f"the rehearsal server did not take the recording: {reply.text[:200]}")


def write_lines(head: RecordingHead, answers: Sequence[RecordedAnswer]) -> Iterator[bytes]:
    """Yield the lines of a recording."""
    for one in (head, *answers):
        yield one.model_dump_json(exclude_defaults=not isinstance(one, RecordingHead)).encode() + b"\n"


def _lines(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise RequestError(f"line {number} of the recording is no JSON object; every answer is one, on one line")
        yield number, value


def _line(kind: Any, line: Mapping[str, Any], path: str, number: int) -> Any:
    try:
        return kind.model_validate(line)
    except ValidationError as error:
        where = ".".join(map(str, error.errors(include_url=False)[0]["loc"]))
        said = f"line {number} of {path!r}: {where!r} is missing or is of another kind than a recording has"
        raise RequestError(f"{said}; a recording is written by: parley export ID --what recording") from None


def _in_panel_order(seats: Sequence[ParticipantId], chair: ParticipantId) -> RandomDraws:
    places = tuple(float(place) for place in range(len(seats)))
    return RandomDraws(
        secret=secrets.token_hex(8),
        order=tuple(seats),
        labels=dict(zip(seats, places, strict=True)),
        shown=dict.fromkeys(seats, places),
        nonces={seat: secrets.token_hex(5) for seat in (*seats, chair)},
    )


def _on_the_wire(answer: RecordedAnswer) -> dict[str, Any]:
    values = answer.model_dump(mode="json", exclude={"usage", "model"})
    return values | {"prompt_tokens": answer.usage.prompt_tokens, "completion_tokens": answer.usage.completion_tokens}
