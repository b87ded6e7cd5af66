"""Recorded deliberations: every answer of one, replayed when the deliberation runs again.

A recording belongs to the id of the deliberation that plays it. Each call says, in a header, to which deliberation and
to which turn of it it belongs. Its answer is the recorded one of the same call id; where a recording names no call ids,
the answers of a turn are given in their order, one to each call of that turn.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from rehearsal.models.replies import Finish, Page, Reply

TURN_HEADER = "X-Parley-Turn"


class Turn(BaseModel):
    """The turn and deliberation of a call."""

    model_config = ConfigDict(frozen=True)

    deliberation: str
    stage: str
    round: int
    participant: str
    call: str


class Source(BaseModel):
    """One page that the provider of a recorded answer named."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1, le=1000)
    url: str
    title: str = ""
    excerpt: str = ""
    start: int | None = None
    end: int | None = None

    def page(self) -> Page:
        """Return it as a provider sends it."""
        place = () if self.start is None or self.end is None else (self.start, self.end)
        return Page(self.url, self.title, self.excerpt, place)


class Answer(BaseModel):
    """One recorded answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    stage: str
    round: int = 1
    participant: str
    call: str | None = None
    """The id of the call, if the recording has it."""
    text: str
    reasoning: str | None = None
    finish: Literal["complete", "truncated", "refused"] = "complete"
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    sources: tuple[Source, ...] = Field(default=(), max_length=50)

    def utterance(self) -> Reply:
        """Return it in the words of a model."""
        ends: dict[str, Finish] = {"complete": "stop", "truncated": "length", "refused": "content_filter"}
        return Reply(
            self.text,
            reasoning=self.reasoning,
            finish=ends[self.finish],
            tokens=(self.prompt_tokens, self.completion_tokens),
            pages=self._pages(),
        )

    def _pages(self) -> tuple[Page, ...]:
        """Return the sources at their numbers, with a page without an address for each that was left out."""
        pages = {one.number: one.page() for one in self.sources}
        missing = {number: Page(f"left-out:{number}", "", "", ()) for number in range(1, max(pages, default=0) + 1)}
        return tuple((missing | pages).values())


ANSWERS: TypeAdapter[tuple[Answer, ...]] = TypeAdapter(tuple[Answer, ...])


class NoRecordingError(LookupError):
    """A missing recording; it may arrive later, so the call is retried."""


class NotRecordedError(LookupError):
    """The recording has no answer for the call."""


class Recordings:
    """The recordings of one server, kept in ``folder`` over its restarts where one is given."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, _Recording] = {}

    def add(self, deliberation: str, answers: Sequence[Answer]) -> None:
        """Store the answers for the deliberation of that id."""
        self._known[deliberation] = _Recording(answers)
        if self._folder is not None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = self._path(deliberation).with_suffix(".part")
            draft.write_bytes(ANSWERS.dump_json(tuple(answers)))
            draft.replace(self._path(deliberation))

    def answer(self, turn: Turn | None) -> Answer:
        """Return the recorded answer to a call.

        Raises:
            NoRecordingError: there is no recording for its deliberation.
            NotRecordedError: the recording has no answer for it.
        """
        if turn is None:
            raise NotRecordedError(f"a recorded model answers calls with the header {TURN_HEADER} only")
        recording = self._known.get(turn.deliberation) or self._load(turn.deliberation)
        return recording.answer(turn)

    def _load(self, deliberation: str) -> "_Recording":
        path = self._folder and self._path(deliberation)
        if path is None or not path.is_file():
            raise NoRecordingError(f"no recording was given for the deliberation {deliberation!r}")
        recording = self._known[deliberation] = _Recording(ANSWERS.validate_json(path.read_bytes()))
        return recording

    def _path(self, deliberation: str) -> Path:
        assert self._folder is not None  # noqa: S101 - both callers have looked
        return self._folder / f"{quote(deliberation, safe='')}.json"


class _Recording:
    """The answers of one deliberation, and the calls to which they were given."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._by_call = {one.call: one for one in answers if one.call is not None}
        self._unnamed = [one for one in answers if one.call is None]

    def answer(self, turn: Turn) -> Answer:
        found = self._by_call.get(turn.call)
        if found is not None:
            return found
        asked = (turn.stage, turn.round, turn.participant)
        for number, one in enumerate(self._unnamed):
            if (one.stage, one.round, one.participant) == asked:
                # A later attempt at the same call must be given the same answer.
                self._by_call[turn.call] = self._unnamed.pop(number)
                return one
        raise NotRecordedError(
            f"the recording has no answer of {turn.participant} at the stage {turn.stage!r} in round {turn.round} "
            f"(call {turn.call!r}); hold it with the options it was recorded with"
        )


def read_turn(header: str | None) -> Turn | None:
    """Return the turn in a request's header, or ``None`` without a readable one."""
    try:
        return None if header is None else Turn.model_validate(json.loads(header))
    except (ValueError, ValidationError, RecursionError):
        return None
