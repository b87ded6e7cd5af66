"""Structured output: models that take a JSON schema, and the handling of an endpoint's refusal.

Sources, the first that knows decides::

    1  a refusal in this process         the endpoint answered that it does not take the parameter
    2  the providers file, per model     structured_output_models = {"small-*" = false}
    3  the providers file, per provider  structured_output = true
    4  the provider's list of models     kept in the home; "structured_outputs" among the parameters of a model
    5  the kind of provider              Cerebras and Ollama take a schema
    6  nothing                           no schema is sent: an endpoint that ignores it costs nothing, but one that
                                         breaks on it costs a request

A refusal counts for as long as the process runs. The endpoint may take the schema again tomorrow, and asking costs one
refused request, which no provider bills.
"""

import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, NamedTuple, Self

import structlog

from activities.providers.catalogue import Provider
from activities.providers.errors import BadRequestError, NotFoundError, ProviderError, UnavailableError
from activities.providers.listed_models import ModelList, kept_list, lists_folder
from protocols.model_call import ModelId
from protocols.panel import name_of

Known = Literal["refused", "providers file", "model list", "kind of provider", "nothing"]
"""What decided whether a model takes a schema."""

ForAll = Literal["yes", "no", "by model"]

_OLLAMA = "ollama"
"""It uses the generic dialect, so it is recognised by its name alone."""

_MAY_MEAN_IT = (BadRequestError, NotFoundError, UnavailableError)
"""OpenRouter answers 404 when none of a model's endpoints takes all parameters; some servers fail with 500."""

_log = structlog.get_logger(__name__)


class Capability(NamedTuple):
    """A model's support for schemas, and its source."""

    has_schema: bool
    known_from: Known


class StructuredOutput:
    """The known capabilities of the models in one process."""

    def __init__(self, lists: Path | None = None) -> None:
        """Load the catalogue's capabilities, and the saved model lists in the folder ``lists``."""
        self._lists = lists
        self._read: dict[str, tuple[float, ModelList]] = {}
        self._refused: set[tuple[str, str]] = set()

    @classmethod
    def kept_in(cls, home: Path) -> Self:
        """Return an instance that also uses the model lists saved in an installation's home."""
        return cls(lists_folder(home))

    def of(self, provider: Provider, model: ModelId) -> Capability:
        """Return whether ``model`` of ``provider`` takes a schema."""
        name = name_of(model)
        if (provider.name, name) in self._refused:
            return Capability(has_schema=False, known_from="refused")
        for has_schema, source in self._said(provider, name):
            if has_schema is not None:
                return Capability(has_schema, source)
        return Capability(has_schema=False, known_from="nothing")

    def of_all(self, provider: Provider) -> ForAll:
        """Return whether all models of ``provider`` take a schema, as far as that depends on no single model."""
        said = provider.structured_output
        has_list = provider.dialect == "openrouter" or self._kept(provider) is not None
        if provider.structured_output_models or (said is None and has_list):
            return "by model"
        return "yes" if said or (said is None and _by_kind(provider)) else "no"

    def learn(self, provider: Provider, model: ModelId, error: ProviderError) -> bool:
        """Return whether ``error`` refuses the schema; if it does, none is sent to ``model`` any more."""
        if not (error.is_about_schema and isinstance(error, _MAY_MEAN_IT)):
            return False
        if (provider.name, name_of(model)) not in self._refused:
            self._refused.add((provider.name, name_of(model)))
            _log.warning("schema_refused", model=model, reason=str(error), status=error.status)
        return True

    def _said(self, provider: Provider, name: str) -> Iterator[tuple[bool | None, Known]]:
        """Yield what each source says, the first to be believed first."""
        yield first_match(provider.structured_output_models, name), "providers file"
        yield provider.structured_output, "providers file"
        yield self._listed(provider, name), "model list"
        yield _by_kind(provider), "kind of provider"

    def _listed(self, provider: Provider, name: str) -> bool | None:
        kept = self._kept(provider)
        found = None if kept is None else kept.find(name)
        return None if found is None else found.json_schema

    def _kept(self, provider: Provider) -> ModelList | None:
        """Return the kept list, read again when its file has changed."""
        if self._lists is None:
            return None
        file = f"{self._lists}/{provider.name}.json"
        try:
            changed = os.stat(file).st_mtime  # noqa: PTH116 - every call looks, and a path takes longer to make
        except OSError:
            return None
        known = self._read.get(provider.name)
        if known is None or known[0] != changed:
            found = kept_list(Path(file))
            if found is None:
                return None
            known = self._read[provider.name] = (changed, found)
        return known[1] if known[1].base_url == provider.base_url else None


def first_match(models: Mapping[str, bool], name: str) -> bool | None:
    """Return the value of the first pattern that matches ``name``."""
    return next((is_so for pattern, is_so in models.items() if fnmatchcase(name, pattern)), None)


def _by_kind(provider: Provider) -> bool | None:
    return True if provider.dialect == "cerebras" or provider.name == _OLLAMA else None
