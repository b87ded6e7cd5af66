"""Settings of one seat: the instructions and the parameters of its requests.

A field that is not set leaves the choice to the deliberation, and then to the provider. The name and the instructions
stay with the seat: no peer is shown them.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from protocols.constraints import quoted
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import Effort, FrozenModel, Sampling
from protocols.seeds import MOST_SEED
from protocols.text_files import compile_patterns

MOST_STOPS = 4
"""Texts that end an answer; no provider takes more."""
LONGEST_SYSTEM = 100_000
"""Characters of a seat's instructions."""
LARGEST_BODY = 16_384
"""Bytes of additional fields of a request, as JSON."""

_LONGEST_NAME = 40
_LONGEST_STOP = 200
_MOST_ENDPOINTS = 20
_DEEPEST = 8

_ENDPOINT = lazy_pattern(r"[A-Za-z0-9][\w./-]*")


def _is_endpoint(name: str) -> str:
    if not _ENDPOINT.fullmatch(name):
        raise ValueError("write an endpoint as OpenRouter does, such as 'deepinfra' or 'deepinfra/fp4'")
    return name


Endpoint = Annotated[str, Field(max_length=100), AfterValidator(_is_endpoint)]
Quantization = Literal["int4", "int8", "fp4", "fp6", "fp8", "fp16", "bf16", "fp32", "unknown"]

_SAME_NAMES = ("system", "temperature", "top_p", "max_tokens", "seed", "stop", "reasoning_effort", "provider")
_SAID_ELSEWHERE: Mapping[str, str] = {
    "model": "name it in the seat's model",
    "models": "name them in the seat's models",
    "messages": "Parley writes them; instructions go into system",
    "prompt": "Parley writes it; instructions go into system",
    **{name: f"give it as the seat's {name}" for name in _SAME_NAMES},
    "max_completion_tokens": "give it as the seat's max_tokens",
    "reasoning": "give it as the seat's reasoning_effort",
    "plugins": "web search is the seat's web",
    "response_format": "Parley sets it; the seat's schema = false switches it off",
    "stream": "Parley reads every answer as a stream",
    "stream_options": "Parley reads every answer as a stream",
    "n": "an answer is one text; ask for more answers with more seats, or samples of a vote",
    **dict.fromkeys(
        ("tools", "tool_choice", "functions", "function_call"), "an answer is a text, and Parley calls no tools"
    ),
}
"""Fields of a request that a seat has under another name, or that Parley needs for itself."""


_SECRET_NAMES, _SECRET_VALUES = compile_patterns(__package__, "seat_settings").values()


class _Sparse(FrozenModel):
    """A value that is serialised without the fields at their default: few seats have settings, and few settings."""

    @model_serializer(mode="wrap")
    def _set_fields(self, serialise: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = serialise(self)
        for name, field in type(self).model_fields.items():
            if getattr(self, name) == field.get_default(call_default_factory=True):
                written.pop(name, None)
                written.pop(field.alias or name, None)
        return written


class ProviderRouting(_Sparse):
    """The endpoints among which OpenRouter chooses; no other provider has such a choice."""

    order: tuple[Endpoint, ...] = Field(default=(), max_length=_MOST_ENDPOINTS)
    """Endpoints to try first, in order."""
    only: tuple[Endpoint, ...] = Field(default=(), max_length=_MOST_ENDPOINTS)
    """Endpoints that may be used at all."""
    allow_fallbacks: bool | None = None
    """Whether another endpoint may answer when those in ``order`` cannot."""
    quantizations: tuple[Quantization, ...] = ()
    data_collection: Literal["allow", "deny"] | None = None
    """Whether endpoints that store prompts may be used."""
    zdr: bool | None = None
    """Use only endpoints that keep no data."""

    @model_validator(mode="after")
    def _can_be_followed(self) -> Self:
        left_out = [name for name in self.order if self.only and name not in self.only]
        if left_out:
            raise ValueError(f"order names {left_out[0]!r} and only leaves it out; name it in both, or in neither")
        return self


class SeatSettings(_Sparse):
    """The settings of one seat."""

    name: str = Field(default="", max_length=_LONGEST_NAME)
    """Shown on screens and in reports in place of the seat's id; no model is shown it."""
    system: str = Field(default="", max_length=LONGEST_SYSTEM)
    """Instructions, sent as a message of the system in every call of the seat."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    """Longest answer in tokens, reasoning included."""
    reasoning_effort: Effort | None = None
    seed: int | None = Field(default=None, ge=0, le=MOST_SEED)
    """Each call of the seat is sent a seed derived from this one."""
    stop: tuple[Annotated[str, Field(min_length=1, max_length=_LONGEST_STOP)], ...] = Field(
        default=(), max_length=MOST_STOPS
    )
    """Texts at which an answer ends."""
    routing: ProviderRouting | None = None
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    """Additional fields of the request, for parameters that have no option here."""
    structured_output: bool = True
    """Send the JSON schema of a reply, where the model takes one."""
    web: bool = False
    """Let the provider search the web for the answer."""

    @field_validator("name")
    @classmethod
    def _is_one_line(cls, name: str) -> str:
        if name and not (name.isprintable() and name.strip() == name):
            raise ValueError(f"{name!r} cannot be shown in a line; write a name without line breaks and outer spaces")
        return name

    @field_validator("system")
    @classmethod
    def _is_text(cls, text: str) -> str:
        if text and not text.strip():
            raise ValueError("it is blank; write instructions, or leave it out")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("it holds bytes that are no text; write it in UTF-8") from None
        return text

    @field_validator("extra_body")
    @classmethod
    def _is_harmless(cls, body: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for field in body:
            if said := _SAID_ELSEWHERE.get(field):
                raise ValueError(f"it may not set {field!r}: {said}")
        for depth, name, value in _walk(body):
            if depth > _DEEPEST:
                raise ValueError(f"it is nested deeper than {_DEEPEST} levels; give fewer")
            if _SECRET_NAMES.search(name) or (isinstance(value, str) and _SECRET_VALUES.search(value)):
                raise ValueError(
                    f"it may carry no key, and {quoted(name)} looks like one; "
                    "set the key's environment variable, which the providers file names"
                )
        if len(json.dumps(body)) > LARGEST_BODY:
            raise ValueError(f"it is larger than {LARGEST_BODY:,} bytes as JSON; give fewer fields")
        return body

    def over(self, sampling: Sampling) -> Sampling:
        """Return ``sampling`` with the parameters that this seat sets in place of the deliberation's."""
        own = {name: getattr(self, name) for name in Sampling.model_fields if name != "structured_output"}
        changes = {name: value for name, value in own.items() if value is not None}
        both = self.structured_output and sampling.structured_output
        return sampling.model_copy(update={**changes, "structured_output": both})

    def of_the_request(self) -> dict[str, Any]:
        """Return the fields of a ``ModelCall`` that only a seat sets; those at their default are left out."""
        routing = self.routing.model_dump(mode="json") if self.routing else {}
        own = {"stop": self.stop, "routing": routing, "extra_body": self.extra_body}
        return {name: value for name, value in own.items() if value}

    def as_reached(self) -> "SeatSettings | None":
        """Return the settings for another seat with the same model: how it is reached, and not how it behaves."""
        own = SeatSettings(routing=self.routing, extra_body=self.extra_body)
        return None if own == SeatSettings() else own


def _walk(value: JsonValue, name: str = "", depth: int = 0) -> Iterator[tuple[int, str, JsonValue]]:
    yield depth, name, value
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(inner, key, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, name, depth + 1)
