"""Assembly of one answer from chunks: content, reasoning, finish reason, usage and upstream.

A stream's chunks and a whole JSON body have the same shape but for ``delta`` and ``message``; both are taken here. An
error inside either is raised at once: it has status 200 because the provider had started to answer.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from activities.providers.bytestream import LARGEST_ANSWER
from activities.providers.chunk_pattern import ChunkPattern, Words
from activities.providers.error_responses import ErrorContext, error_of, read_error_body
from activities.providers.errors import BadResponseError, BrokenOffError, ProviderError, TooLargeError
from activities.providers.progress import CallProgress
from activities.providers.source_lists import SourceLists
from activities.providers.usage import reported_cost, usage_of
from activities.providers.wire_json import (
    MOST_PARTS,
    TooManyPartsError,
    UnreadableJsonError,
    as_object,
    as_text,
    read_json,
)
from activities.text_cleaning import clean_line
from protocols.model_call import Cost, Usage
from protocols.secret_text import SecretScrubber
from protocols.sources import SourceLink

_LONGEST_NAME = 200
_MOST_OF_A_NAME = 10_000
"""Characters that are looked at; more is no name."""
_MOST_CHOICES = 16
"""One is asked for."""
_MOST_DETAILS = 10_000
_UNCOUNTED, _UNKNOWN = Usage(), Cost()
_NO_REASON = "no finish reason"
"""The note on an answer that a provider ended with ``[DONE]`` alone: whether it was cut is not known."""
_GAVE_UP = {"error", "abort", "insufficient_system_resource"}
"""Finish reasons that are failures: the upstream broke, was stopped, or (DeepSeek) ran out of something."""


class Chunk(NamedTuple):
    """The raw result of one exchange."""

    text: str
    reasoning: str
    refusal: str
    finish: str | None
    """The reason it ended, in the dialect's common words: ``stop``, ``length``, ``content_filter``."""
    native_finish: str | None
    """The same in the upstream's own words."""
    usage: Usage
    cost: Cost
    """The provider's own figure; unknown when it gives none."""
    served_model: str | None
    upstream: str | None
    request_id: str | None
    repairs: tuple[str, ...]
    first_token_seconds: float | None
    seconds: float = 0.0
    sources: tuple[SourceLink, ...] = ()
    asked_with_schema: bool = False
    rehearsal: bool = False
    """The endpoint reports that its models are scripted, under any name."""


class ReplyBuilder:
    """A builder that takes an answer's parts in order and detects its end."""

    def __init__(self, at: ErrorContext, pulse: CallProgress, elapsed: Callable[[], float]) -> None:
        self.is_done = False
        """The provider said that nothing more comes."""
        self.pattern = ChunkPattern()
        """The form of this stream's chunks, as far as it is known."""
        self._at = at
        self._pulse = pulse
        pulse.begin_text()
        self._elapsed = elapsed
        self._content: list[str] = []
        self._thought: list[str] = []
        self._refused: list[str] = []
        self._sizes = {"thinking": 0, "writing": 0}
        self._repairs: list[str] = []
        self._ending: dict[str, str] = {}
        self._served: dict[str, str] = {}
        self._reported: dict[str, Any] = {}
        self._usage, self._cost = _UNCOUNTED, _UNKNOWN
        self._sources = SourceLists()
        self._first: float | None = None
        self._has_choices = False

    @property
    def is_finished(self) -> bool:
        """The answer itself is complete; only the accounts may be missing."""
        return self.is_done or "finish_reason" in self._ending

    def take(self, text: str) -> None:
        """Take one chunk of a stream, or a whole body.

        Raises:
            ProviderError: it is an error, or nothing that can be read.
        """
        if (said := self.pattern.match(text)) is not None:
            self.write(said)
            return
        try:
            value, notes = read_json(text)
        except TooManyPartsError:
            raise self._too_large(f"sent JSON of more than {MOST_PARTS} parts") from None
        except UnreadableJsonError:
            raise self._bad("sent something that is not JSON") from None
        self._note(notes)
        if not isinstance(value, dict):
            raise self._bad("sent JSON that is no object")
        if value.get("error") or ("choices" not in value and value.keys() & {"message", "detail"}):
            raise error_of(read_error_body(value), self._at)
        self._names(value)
        self._sources.take(value)
        self._choices(value.get("choices"))
        if value.get("usage"):
            self._accounts(as_object(value["usage"]))
        self.pattern.learn(text, value)

    def write(self, said: Words) -> None:
        """Take the words of chunks that have nothing else."""
        self._write("writing" if said.field == "content" else "thinking", "".join(said.words), len(said.words))

    def result(self, *repairs: str) -> Chunk:
        """Return the raw result, with ``repairs`` added.

        Raises:
            BadResponseError: the response does not have the form of an answer.
            BrokenOffError: it broke off.
        """
        if not self._has_choices:
            raise self._bad("sent no answer")
        if not self.is_finished:
            raise self._at.error(BrokenOffError, "broke off in the middle")
        sources, left_out = self._sources.links(self._at.scrub)
        self._note((*repairs, *left_out, *(() if "finish_reason" in self._ending else (_NO_REASON,))))
        return Chunk(
            text=self._at.scrub.exactly("".join(self._content)),
            reasoning=self._at.scrub.exactly("".join(self._thought)),
            refusal=self._at.scrub.exactly("".join(self._refused)),
            finish=self._ending.get("finish_reason"),
            native_finish=self._ending.get("native_finish_reason"),
            usage=self._usage,
            cost=self._cost,
            served_model=self._served.get("model"),
            upstream=self._served.get("provider"),
            request_id=self._at.request_id,
            repairs=tuple(self._repairs),
            first_token_seconds=self._first,
            seconds=self._elapsed(),
            sources=sources,
            rehearsal="x-parley-rehearsal" in self._at.headers,
        )

    def _names(self, chunk: dict[str, Any]) -> None:
        for name in ("model", "provider"):
            if name in chunk and (said := self._name(chunk[name])):
                self._served[name] = said
        if self._at.request_id is None and (said := self._name(chunk.get("id"))):
            self._at = self._at._replace(request_id=said)
            self._pulse.request_id = said

    def _choices(self, choices: Any) -> None:
        if choices is None:
            return
        if not isinstance(choices, list) or not all(isinstance(c, dict) for c in choices):
            raise self._bad("sent choices that are no list of objects")
        self._has_choices = True
        for choice in choices[:_MOST_CHOICES]:
            if choice.get("index") in (None, 0):
                self._choice(choice)

    def _choice(self, choice: dict[str, Any]) -> None:
        said = choice.get("message") if choice.get("delta") is None else choice["delta"]
        if isinstance(said, dict):  # before an error beside it: the written text may have been billed
            self._message(said)
        if choice.get("error"):
            raise error_of(read_error_body(choice), self._at)
        if as_text(choice.get("finish_reason")).lower() in _GAVE_UP:
            raise self._at.error(BrokenOffError, "gave up in the middle")
        if said is not None and not isinstance(said, dict):
            raise self._bad("sent a message that is no object")
        for name in ("finish_reason", "native_finish_reason"):
            if choice.get(name) and (reason := self._name(choice[name])):
                self._ending[name] = reason

    def _message(self, said: dict[str, Any]) -> None:
        self._sources.take(said)
        content, thought = said.get("content"), _texts(said.get("reasoning_details"))
        if isinstance(content, list):  # of Mistral's and Databricks's models that reason
            thought = "".join(_texts(part.get("thinking") or part.get("summary")) for part in map(as_object, content))
            content = _texts(content)
        if content is not None and not isinstance(content, str):
            raise self._bad("sent content that is no text")
        reasoning = as_text(said.get("reasoning")) or as_text(said.get("reasoning_content")) or thought
        if reasoning:
            self._write("thinking", reasoning)
        if content:
            self._write("writing", content)
        if refusal := as_text(said.get("refusal")):
            self._grow("writing", len(refusal.encode("utf-8", "replace")))
            self._refused.append(refusal)

    def _write(self, phase: Literal["thinking", "writing"], text: str, pieces: int = 1) -> None:
        self._grow(phase, len(text) if text.isascii() else len(text.encode("utf-8", "replace")))
        (self._content if phase == "writing" else self._thought).append(text)
        self._pulse.wrote(text, phase, pieces)

    def _grow(self, what: str, size: int) -> None:
        if self._first is None:
            self._first = self._elapsed()
        self._sizes[what] += size
        if self._sizes[what] > LARGEST_ANSWER:
            raise self._too_large(f"wrote more than {LARGEST_ANSWER} bytes and was cut off")

    def _accounts(self, reported: dict[str, Any]) -> None:
        self._reported |= {name: value for name, value in reported.items() if value is not None}
        self._usage, unclear = usage_of(self._reported)
        self._cost, unpriced = reported_cost(self._reported)
        self._note((*unclear, *unpriced))
        self._pulse.counted_tokens = self._usage.completion_tokens

    def _name(self, value: Any) -> str:
        text = as_text(value)[:_MOST_OF_A_NAME]
        clean = _cleaned if len(text) <= _LONGEST_NAME else _cleaned.__wrapped__
        return clean(self._at.scrub, text)

    def _note(self, repairs: tuple[str, ...]) -> None:
        self._repairs.extend(r for r in repairs if r not in self._repairs)

    def _too_large(self, said: str) -> ProviderError:
        return self._at.error(TooLargeError, said)

    def _bad(self, said: str) -> ProviderError:
        return self._at.error(BadResponseError, said)


@lru_cache(maxsize=2048)  # every chunk repeats id and model, and cleaning them is the dearest part
def _cleaned(scrub: SecretScrubber, name: str) -> str:
    return clean_line(scrub.head(name, _LONGEST_NAME + 1), _LONGEST_NAME)


def _texts(parts: Any) -> str:
    """Return the texts of a list of parts."""
    known = map(as_object, parts[:_MOST_DETAILS]) if isinstance(parts, list) else ()
    return "".join(as_text(p.get("text")) or as_text(p.get("summary")) for p in known)
