"""Fields of a chat request in each dialect, and the error of one that the dialect does not take.

OpenRouter drops an unknown field and refuses one in ``provider``; Cerebras refuses any; the others ignore it. A field
with a value of the wrong kind is refused by all of them.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

_MOST_STOPS = 4
_EFFORTS = Literal["max", "xhigh", "high", "medium", "low", "minimal", "none"]

Stop = str | Annotated[list[str], Field(max_length=_MOST_STOPS)]
Share = Annotated[float, Field(ge=0, le=1)]
Penalty = Annotated[float, Field(ge=-2, le=2)]
Whole = Annotated[int, Field(ge=1)]


class BadFieldError(ValueError):
    """A field of a request is refused; the message is the provider's."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class _Fields(BaseModel):
    """The fields that all dialects have, unknown ones ignored."""

    model_config = ConfigDict(strict=True, extra="ignore")

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Share | None = None
    max_tokens: Whole | None = None
    seed: int | None = None
    stop: Stop | None = None
    stream: bool | None = None
    stream_options: dict[str, bool] | None = None
    response_format: dict[str, Any] | None = None
    frequency_penalty: Penalty | None = None
    presence_penalty: Penalty | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    logit_bias: dict[str, float] | None = None
    tools: list[dict[str, Any]] | None = None
    parallel_tool_calls: bool | None = None
    user: str | None = None
    reasoning_effort: str | None = None


class _Preferences(BaseModel):
    """OpenRouter's ``provider``: the endpoints among which it chooses."""

    model_config = ConfigDict(strict=True, extra="forbid")

    order: list[str] | None = None
    only: list[str] | None = None
    ignore: list[str] | None = None
    allow_fallbacks: bool | None = None
    require_parameters: bool | None = None
    data_collection: Literal["allow", "deny"] | None = None
    zdr: bool | None = None
    enforce_distillable_text: bool | None = None
    quantizations: list[Literal["int4", "int8", "fp4", "fp6", "fp8", "fp16", "bf16", "fp32", "unknown"]] | None = None
    sort: str | dict[str, Any] | None = None
    preferred_min_throughput: float | dict[str, float] | None = None
    preferred_max_latency: float | dict[str, float] | None = None
    max_price: dict[str, float | str] | None = None


class _Reasoning(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    effort: _EFFORTS | None = None
    max_tokens: Whole | None = None
    exclude: bool | None = None
    enabled: bool | None = None


class _Plugin(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    id: str


class _OpenRouterFields(_Fields):
    max_completion_tokens: Whole | None = None
    models: list[str] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None
    min_p: Share | None = None
    top_a: Share | None = None
    repetition_penalty: Annotated[float, Field(ge=0, le=2)] | None = None
    reasoning: _Reasoning | None = None
    reasoning_effort: _EFFORTS | None = None
    provider: _Preferences | None = None
    plugins: list[_Plugin] | None = None
    session_id: Annotated[str, Field(max_length=256)] | None = None
    metadata: Annotated[dict[str, str], Field(max_length=16)] | None = None
    service_tier: str | None = None


class _CerebrasFields(_Fields):
    model_config = ConfigDict(extra="forbid")

    model: str
    messages: list[dict[str, Any]]
    max_completion_tokens: Annotated[int, Field(ge=-1)] | None = None
    min_completion_tokens: Annotated[int, Field(ge=0)] | None = None
    n: Whole | None = None
    tool_choice: str | dict[str, Any] | None = None
    reasoning_effort: Literal["none", "low", "medium", "high"] | None = None
    reasoning_format: Literal["none", "parsed", "text_parsed", "raw", "hidden"] | None = None
    clear_thinking: bool | None = None
    disable_reasoning: bool | None = None
    prediction: dict[str, Any] | None = None
    service_tier: Literal["auto", "default", "flex", "priority"] | None = None
    prompt_cache_key: str | None = None


_OF_DIALECT: dict[str, TypeAdapter[Any]] = {
    "openrouter": TypeAdapter(_OpenRouterFields),
    "cerebras": TypeAdapter(_CerebrasFields),
    "generic": TypeAdapter(_Fields),
}


def refuse_bad_fields(body: dict[str, Any], dialect: str) -> None:
    """Refuse a request with a field that the provider of ``dialect`` does not take.

    Raises:
        BadFieldError: there is one; the first is named.
    """
    try:
        _OF_DIALECT[dialect].validate_python(body)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        raise _refused(dialect, path, first["type"], first["msg"]) from None


def _refused(dialect: str, path: str, kind: str, message: str) -> BadFieldError:
    if dialect == "cerebras":
        said = f"property 'body.{path}' is unsupported" if kind == "extra_forbidden" else message
        return BadFieldError(f"body.{path}: {said}", "validation_error")
    if kind == "extra_forbidden":
        parent, _, key = path.rpartition(".")
        return BadFieldError(f'{parent}: Unrecognized key: "{key}"', path)
    return BadFieldError(f"{path}: {message}", path)
