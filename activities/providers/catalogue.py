"""The catalogue of providers: address, dialect and limits.

Three are built in and need no file. A providers file adds others, or replaces a built-in one of the same name::

    [providers.lab]
    base_url = "https://llm.lab.example/v1"
    key_variable = "LAB_API_KEY"      # the environment variable that holds the key; leave out when none is needed
    dialect = "generic"               # or "openrouter", "cerebras"
    max_tokens_field = "max_tokens"   # or "max_completion_tokens"
    requests_per_second = 2           # kept by the Temporal server, for all workers together
    requests_per_second_per_model = 1 # the same for each model by itself
    max_concurrent = 8                # kept by each worker
    structured_output = true          # its models take a JSON schema for their reply
    structured_output_models = { "small-*" = false }  # single models, in place of the line before
    image_input_models = { "llava*" = true }  # models that take images, where the provider's list does not say it
    [providers.lab.models]
    "large-model" = 0.2               # requests a second of one model, in place of those for each

The file holds no keys; to which of its addresses one may be sent is in ``agreements``. Providers named ``rehearsal``
and ``recorded`` are there only when a rehearsal server was started, and no file can make one.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from activities.providers.addresses import checked_base_url
from activities.providers.agreements import Agreement, refuse_foreign, require_agreement
from activities.providers.errors import ConfigError
from activities.providers.toml_file import read_toml
from protocols.constraints import sentence_of
from protocols.model_call import FrozenModel, ModelId
from protocols.panel import SCRIPTED, provider_of
from protocols.task_queues import TASK_QUEUE

Dialect = Literal["openrouter", "cerebras", "generic"]
MaxTokensField = Literal["max_tokens", "max_completion_tokens"]

REHEARSAL = "rehearsal"

_NAME = r"^[a-z0-9][a-z0-9_-]{0,31}$"
_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]{0,63}$"
_LONGEST_KEY = 64
"""Bytes. The server refuses the whole step of a workflow that gives a longer one, again and again."""

Rate = Annotated[float, Field(gt=0, le=10_000)]


def fairness_key(provider: str, model: str) -> str:
    """Return the fairness key that separates the rates and queues of different models."""
    return f"{provider}/{model}".encode()[:_LONGEST_KEY].decode(errors="ignore")


class Provider(FrozenModel):
    """One endpoint that answers chat completions. It holds no key."""

    name: str = Field(pattern=_NAME)
    dialect: Dialect = "generic"
    base_url: str
    key_variable: str | None = Field(default=None, pattern=_VARIABLE)
    """The environment variable that holds the key; ``None`` when the endpoint wants none."""
    max_tokens_field: MaxTokensField = "max_tokens"
    """The limit's name at the endpoint. Ollama reads only ``max_tokens`` and ignores the other silently."""
    default_max_tokens: int | None = Field(default=None, ge=1)
    """Sent when the call sets no limit: Cerebras admits a request by its estimate, else the model's maximum."""
    requests_per_second: float | None = Field(default=None, gt=0)
    """Of all its models together."""
    requests_per_second_per_model: float | None = Field(default=None, gt=0)
    """Of each model by itself."""
    models: dict[str, float] = Field(default_factory=dict)
    """Requests a second of single models, in place of those for each."""
    max_concurrent: int | None = Field(default=None, ge=1)
    connect_seconds: float = Field(default=10.0, gt=0, le=300)
    structured_output: bool | None = None
    """Whether its models take a JSON schema for their reply, as configured; ``None``: not configured."""
    structured_output_models: dict[str, bool] = Field(default_factory=dict)
    """The same for single models; a name may hold ``*``, and the first that fits counts."""
    image_input_models: dict[str, bool] = Field(default_factory=dict)
    """Whether single models take images, in place of what the provider's list says; a name may hold ``*``."""
    price_list: str | None = None
    """The provider's name in the price library; ``None`` when its prices are not in it."""
    rehearsal: bool = False
    """Scripted models answer here."""
    agreements_file: Path | None = None
    """Where the user's agreement to this address must be recorded; ``None``: no agreement is needed."""

    _checked = field_validator("base_url")(checked_base_url)

    @property
    def agreement(self) -> Agreement:
        """Return the agreement that the provider needs."""
        return Agreement.to(self.name, self.base_url, self.key_variable)

    def require_agreement(self) -> None:
        """Refuse the provider if its address needs an agreement and has none."""
        if self.agreements_file is not None:
            require_agreement(self.agreement, self.agreements_file)

    @property
    def is_limited(self) -> bool:
        """Return whether the server limits its rate, and so it has its own queue."""
        return self.requests_per_second is not None or self.requests_per_second_per_model is not None

    @property
    def weights(self) -> dict[str, float]:
        """Return each model's share of the rate, by fairness key."""
        each, models = self.requests_per_second_per_model, self.models
        return {} if each is None else {fairness_key(self.name, name): rate / each for name, rate in models.items()}


BUILT_IN = (
    Provider(
        name="openrouter",
        dialect="openrouter",
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
        max_tokens_field="max_completion_tokens",
        price_list="openrouter",
    ),
    Provider(
        name="cerebras",
        dialect="cerebras",
        base_url="https://api.cerebras.ai/v1",
        key_variable="CEREBRAS_API_KEY",
        max_tokens_field="max_completion_tokens",
        default_max_tokens=8192,
        price_list="cerebras",
    ),
    Provider(name="ollama", base_url="http://127.0.0.1:11434/v1"),
)


class Catalogue(FrozenModel):
    """The providers by name."""

    providers: dict[str, Provider]

    def provider(self, model: ModelId) -> Provider:
        """Return the provider of ``model``.

        Raises:
            ConfigError: the catalogue has no provider of that name.
        """
        name = provider_of(model)
        if name in self.providers:
            return self.providers[name]
        known = ", ".join(sorted(self.providers))
        said = f"names an unknown provider; known are {known}; others go into the providers file"
        said = "needs a rehearsal server; start with --rehearse" if name in SCRIPTED else said
        raise ConfigError(f"model {str(model)!r} {said}", error_type="config.unknown_provider")

    def queues(self) -> dict[str, str]:
        """Return the providers' own task queues, by provider."""
        own = {name: queue_of(provider) for name, provider in self.providers.items()}
        return {name: queue for name, queue in own.items() if queue != TASK_QUEUE}


def queue_of(provider: Provider) -> str:
    """Return the task queue of a provider: its own if the server limits its rate, otherwise that of the workflows."""
    return f"models.{provider.name}" if provider.is_limited else TASK_QUEUE


def load_catalogue(path: Path | None, rehearsal_url: str | None, agreements_file: Path | None = None) -> Catalogue:
    """Return the built-in providers, those of the file, and the rehearsal server's when there is one.

    ``agreements_file`` must have the agreement to the addresses of the file, unless the operator wrote it (``None``).
    """
    found = {provider.name: provider for provider in BUILT_IN}
    if path is not None:
        found.update(_read_file(path, agreements_file))
    if rehearsal_url is not None:
        found |= {REHEARSAL: _rehearsal(rehearsal_url, ""), "recorded": _rehearsal(rehearsal_url, "/recorded")}
    return Catalogue(providers=found)


class _Entry(BaseModel):
    """One table of the providers file, as a user writes it. Fields left out take the dialect's default."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)

    base_url: str
    dialect: Dialect = "generic"
    key_variable: str | None = Field(default=None, pattern=_VARIABLE)
    max_tokens_field: MaxTokensField | None = None
    default_max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    requests_per_second: float | None = Field(default=None, gt=0, le=10_000)
    requests_per_second_per_model: float | None = Field(default=None, gt=0, le=10_000)
    models: dict[str, Rate] | None = Field(default=None, max_length=200)
    max_concurrent: int | None = Field(default=None, ge=1, le=10_000)
    connect_seconds: float | None = Field(default=None, gt=0, le=300)
    structured_output: bool | None = None
    structured_output_models: dict[str, bool] | None = Field(default=None, max_length=200)
    image_input_models: dict[str, bool] | None = Field(default=None, max_length=200)

    _checked = field_validator("base_url")(checked_base_url)

    @model_validator(mode="after")
    def _limits_of_single_models_stand_beside_one_for_each(self) -> Self:
        if self.models and self.requests_per_second_per_model is None:
            raise ValueError(
                "models: limits of single models replace the one for each; set requests_per_second_per_model too"
            )
        return self


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    providers: dict[str, _Entry] = Field(default_factory=dict)


_DIALECT_DEFAULTS: dict[Dialect, Mapping[str, Any]] = {
    "openrouter": {"max_tokens_field": "max_completion_tokens", "price_list": "openrouter"},
    "cerebras": {"max_tokens_field": "max_completion_tokens", "default_max_tokens": 8192, "price_list": "cerebras"},
    "generic": {"max_tokens_field": "max_tokens"},
}


def _read_file(path: Path, agreements_file: Path | None) -> dict[str, Provider]:
    content = read_toml(path, "provider", partial(_refused, path))
    try:
        written = _File.model_validate(content)
        found = {name: _provider(name, entry) for name, entry in written.providers.items()}
    except ValidationError as error:
        raise _refused(path, "; ".join(_field_error(e) for e in error.errors(include_input=False))) from None
    return found if agreements_file is None else {n: _bound(p, agreements_file) for n, p in found.items()}


def _provider(name: str, entry: _Entry) -> Provider:
    if name in SCRIPTED:
        said = f"providers.{name}: the name is kept for rehearsals; start with --rehearse or choose another name"
        raise ConfigError(said, error_type="config.providers_file")
    given = entry.model_dump(exclude_none=True)
    return Provider.model_validate({"name": name, **_DIALECT_DEFAULTS[entry.dialect], **given})


def _bound(provider: Provider, agreements_file: Path) -> Provider:
    """Return ``provider`` with its address checked, because the file may be from elsewhere."""
    own = {known.name: (known.agreement, known.dialect) for known in BUILT_IN}
    refuse_foreign(provider.agreement, provider.dialect, own)
    return provider if provider.name in own else provider.model_copy(update={"agreements_file": agreements_file})


def _field_error(error: Any) -> str:
    field = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
        return f"{field}: a providers file has only tables [providers.NAME]"
    if error["type"] == "extra_forbidden":
        return f"{field}: no such field; known are {', '.join(_Entry.model_fields)}; keys stay in the environment"
    return f"{field}: {sentence_of(error)}"


def _refused(path: Path, said: str) -> ConfigError:
    return ConfigError(f"providers file {str(path)!r}: {said}", error_type="config.providers_file")


def _rehearsal(url: str, part: str) -> Provider:
    try:
        base = checked_base_url(f"{url.rstrip('/')}{part}/openrouter/api/v1")
    except ValueError as error:
        raise ConfigError(f"rehearsal address {error}", error_type="config.rehearsal") from None
    return Provider(
        name=part.removeprefix("/") or REHEARSAL,
        dialect="openrouter",
        base_url=base,
        max_tokens_field="max_completion_tokens",
        structured_output_models={"*schema-*": True},
        rehearsal=True,
    )
