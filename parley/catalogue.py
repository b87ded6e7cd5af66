"""The catalogue of providers for clients: names, task queues and missing keys.

A key is never shown and never sent. What a worker on another machine has cannot be seen from here.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from activities.providers.agreements import Agreement, with_agreement
from activities.providers.catalogue import Catalogue, Dialect, Provider, fairness_key, load_catalogue, queue_of
from activities.providers.credentials import read_key
from activities.providers.errors import ConfigError
from activities.providers.prices import list_price
from activities.providers.structured_output import Capability, ForAll, Known, StructuredOutput, first_match
from parley.errors import MissingKeyError, RequestError, as_request_error
from parley.model_lists import ModelLists, ModelStatus
from parley.panel_files import load_panels, shipped_panels
from parley.seat_check import refuse_settings
from protocols.model_call import ModelId, ParticipantId, Usage
from protocols.named_panel import DEFAULT, PanelLibrary
from protocols.panel import SCRIPTED, Panel, name_of, provider_of, route
from protocols.update_requests import MILLION, TokenPrice
from runtime.home import write_private
from runtime.rate_limits import QueueLimits
from runtime.settings import Settings

__all__ = ["Agreement", "Known", "ProviderLine", "Providers", "shipped_panels"]

Place = Literal["options", "study", "rewind"]

_TEXT_ONLY = "text-only"
"""In the name of a scripted model that takes no images."""
_SCRIPTED_PRICE = TokenPrice(input=5.0, output=25.0)
_OF_BARE_IDS = "cerebras"
"""The provider whose list says which bare ids are its own; all others are OpenRouter's."""


@dataclass(frozen=True)
class ProviderLine:
    """One provider, as a list shows it."""

    name: str
    base_url: str
    key_variable: str | None
    """``None``: it needs no key."""
    key: str
    """``set``, ``missing``, ``unusable`` or ``not needed``; never the key."""
    keys_go_to: str
    """The variable and the origin to which its key is sent."""
    is_confirmed: bool
    """Whether a user agreed to that origin, or no agreement is needed; otherwise nothing is sent there."""
    queue: str
    requests_per_second: float | None
    max_concurrent: int | None
    json_schema: ForAll
    """Whether its models are sent the JSON schema of a reply."""


class Providers:
    """The catalogue of this installation, its named panels, and the environment in which keys are looked for."""

    def __init__(
        self, catalogue: Catalogue, environ: Mapping[str, str], panels: PanelLibrary, lists: ModelLists
    ) -> None:
        self._catalogue = catalogue
        self._environ = environ
        self.lists = lists
        """Which models the providers have."""
        self._structured_output = StructuredOutput(lists.folder)
        self.panels = panels.model_copy(update={"served_by": dict.fromkeys(lists.served(_OF_BARE_IDS), _OF_BARE_IDS)})
        """The panels that can be named."""

    @classmethod
    def of(cls, settings: Settings, environ: Mapping[str, str] = os.environ) -> "Providers":
        """Read the catalogue and the panels that ``settings`` name."""
        with as_request_error(ConfigError):
            catalogue = load_catalogue(settings.providers_file, settings.rehearsal_url, settings.agreements_file)
            lists = ModelLists(settings.home, catalogue.providers, may_query=settings.check_models)
            return cls(catalogue, environ, load_panels(settings.panels_file), lists)

    @property
    def queues(self) -> dict[str, str]:
        """Provider to task queue, for those that have one of their own."""
        return self._catalogue.queues()

    def limited(self) -> dict[str, QueueLimits]:
        """Return the providers with a rate limit on the server, with the limits of the providers file."""
        found = {name: p for name, p in self._catalogue.providers.items() if p.is_limited}
        return {
            name: QueueLimits(p.requests_per_second, p.requests_per_second_per_model, p.weights)
            for name, p in sorted(found.items())
        }

    def fairness_key(self, provider: str, model: str) -> str:
        """Return the fairness key under which the server limits a provider's model."""
        return fairness_key(provider, model)

    def lines(self) -> tuple[ProviderLine, ...]:
        """Return all providers by name."""
        return tuple(self._line(name) for name in sorted(self._catalogue.providers))

    def without_key(self, panel: Panel) -> tuple[str, ...]:
        """Return the providers of ``panel`` whose key is not here."""
        named = {provider.name: provider for provider in map(self._provider, panel.models)}
        return tuple(name for name, provider in named.items() if self._key_error(provider))

    def check(self, panel: Panel, *, leaving_out: str | None = None, place: Place = "options") -> None:
        """Make sure that every model on ``panel`` can be asked from here.

        Args:
            panel: Who takes part.
            leaving_out: The options that seat the same panel without the models whose key is missing.
            place: Where the panel is named.

        Raises:
            RequestError: a model names a provider that is not in the catalogue, or whose address has no agreement.
            MissingKeyError: a provider's key variable is not set or holds no key.
        """
        for model in panel.models:
            with as_request_error(ConfigError):
                self._provider(model).require_agreement()
        self.check_settings(panel)
        errors = (self._key_error(self._provider(model)) for model in panel.models)
        missing = dict.fromkeys(str(error) for error in errors if error)
        if missing:
            raise MissingKeyError("\n".join([*missing, *self._ways_out(panel, leaving_out, place)]))

    def check_settings(self, panel: Panel, only: ParticipantId | None = None) -> None:
        """Refuse settings of a seat, by default of every one, that cannot be sent to its models."""
        known = self._catalogue.providers
        keys = {one.key_variable: self._environ.get(one.key_variable, "") for one in known.values() if one.key_variable}
        refuse_settings(panel, {name: one.dialect for name, one in known.items()}, keys, only)

    async def check_models(self, models: Iterable[ModelId], *, force: bool = False) -> tuple[ModelStatus, ...]:
        """Return what the providers' own lists say of each of ``models``; takes a few seconds at most."""
        asked = tuple(dict.fromkeys(models))
        reasons = await self.lists.refresh(map(provider_of, asked), force=force)
        return self.lists.statuses(asked, reasons)

    def own_panels(self) -> tuple[str, ...]:
        """Return the name of the default panel, and those of the panels that the user's own file adds."""
        shipped = shipped_panels().panels
        own = (name for name, panel in self.panels.panels.items() if panel != shipped.get(name))
        return tuple(dict.fromkeys((DEFAULT, *own)))

    def missing_keys(self, models: Iterable[str]) -> tuple[str, ...]:
        """Return the key variables of ``models`` without a value here."""
        named = dict.fromkeys(provider_of(route(model)) for model in models)
        found = (self._catalogue.providers[name] for name in named if name in self._catalogue.providers)
        return tuple(dict.fromkeys(one.key_variable or one.name for one in found if self._key_error(one)))

    def structured_output(self, model: ModelId) -> Capability:
        """Return whether ``model`` is sent the JSON schema of a reply, as far as is known before it is asked."""
        return self._structured_output.of(self._provider(model), model)

    def dialect_of(self, model: ModelId) -> Dialect:
        """Return the dialect in which ``model`` is asked; a scripted one is asked in OpenRouter's."""
        return "openrouter" if provider_of(model) in SCRIPTED else self._provider(model).dialect

    def takes_images(self, model: ModelId) -> bool | None:
        """Return whether ``model`` takes images, by the providers file, else by its provider's list, if one says it."""
        if provider_of(model) in SCRIPTED:
            return _TEXT_ONLY not in model
        provider, name = self._provider(model), name_of(model)
        said = first_match(provider.image_input_models, name)
        known = self.lists.cached(provider.name)
        found = known.find(name) if said is None and known else None
        return said if found is None else found.image_input

    def price(self, model: ModelId, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return the dollars for one call of ``model`` by the price list; ``None`` if unlisted, never 0 for that."""
        usage = Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        return list_price(usage, name_of(model), self._provider(model).price_list).usd

    def token_price(self, model: ModelId) -> TokenPrice | None:
        """Return the price of ``model`` per million tokens at its dearest, where it depends on the length of a prompt.

        A scripted model costs nothing; it has the highest price that a rehearsal reports.
        """
        if provider_of(model) in SCRIPTED:
            return _SCRIPTED_PRICE
        read, both = self.price(model, MILLION, 0), self.price(model, MILLION, MILLION)
        return None if read is None or both is None else TokenPrice(input=read, output=both - read)

    def _ways_out(self, panel: Panel, leaving_out: str | None, place: Place) -> Iterator[str]:
        variables = [self._catalogue.providers[name].key_variable for name in self.without_key(panel)]
        yield "Remedies:"
        yield f"  set the key, here or in .env: {' '.join(f'{variable}=…' for variable in variables)}"
        if leaving_out:
            yield f"  leave its models out: {leaving_out}"
        if place == "rewind":
            yield "  put models of other providers there: --set SEAT=MODEL"
        else:
            yield from self._other_panels(place)
            yield "  try it without keys, with scripted models: --rehearse"
        yield "  start all the same, when the workers that hold the keys run elsewhere: --no-key-check"

    def _other_panels(self, place: Place) -> Iterator[str]:
        if place == "study":
            yield "  leave its models out of [panels] in the study file"
        complete = [name for name, one in self.panels.panels.items() if not self.missing_keys(one.unique_models())]
        written = 'panel = "{}"' if place == "study" else "--panel {}"
        if complete:
            named = " or ".join(map(written.format, complete))
            yield f"  take a panel whose keys are here, and name no models: {named}"
        else:
            named = written.format("NAME")
            yield f"  take a panel of other providers: {named}; see parley panels list, or add your own to panels.toml"

    def unconfirmed(self, panels: Iterable[Panel]) -> tuple[Agreement, ...]:
        """Return the missing agreements of ``panels``."""
        found = (self._provider(model) for panel in panels for model in panel.models)
        return tuple(dict.fromkeys(provider.agreement for provider in found if not _is_confirmed(provider)))

    def keys_go_to(self, panels: Iterable[Panel]) -> tuple[str, ...]:
        """Return the variables and origins that ``panels`` need, each once."""
        found = (self._provider(model) for panel in panels for model in panel.models)
        return tuple(dict.fromkeys(provider.agreement.text for provider in found))

    def agreement(self, name: str) -> Agreement:
        """Return what using the provider ``name`` asks a user to agree to."""
        self.refuse_unknown(name)
        return self._catalogue.providers[name].agreement

    def refuse_unknown(self, name: str) -> None:
        """Refuse the name of a provider that is not in the catalogue.

        Raises:
            RequestError: there is no such provider; names those that there are.
        """
        if name not in self._catalogue.providers:
            known = ", ".join(sorted(self._catalogue.providers))
            raise RequestError(f"there is no provider {name!r}; known are {known}; others go into the providers file")

    def remember(self, agreement: Agreement) -> bool:
        """Keep a user's agreement for this user; return whether one was needed.

        Raises:
            RequestError: it cannot be kept.
        """
        path = self._catalogue.providers[agreement.provider].agreements_file
        if path is None:
            return False
        try:
            with as_request_error(ConfigError):
                write_private(path, lambda: with_agreement(path, agreement))
        except OSError as error:
            raise RequestError(f"{str(path)!r} cannot be written: {error.strerror}") from None
        return True

    def _key_error(self, provider: Provider) -> ConfigError | None:
        """Return why the provider's key cannot be sent, or ``None``."""
        try:
            read_key(provider, self._environ)
        except ConfigError as error:
            return error
        return None

    def _provider(self, model: ModelId) -> Provider:
        with as_request_error(ConfigError):
            return self._catalogue.provider(model)

    def _line(self, name: str) -> ProviderLine:
        provider = self._catalogue.providers[name]
        return ProviderLine(
            name=name,
            base_url=provider.base_url,
            key_variable=provider.key_variable,
            key=self._key_state(provider),
            keys_go_to=provider.agreement.text,
            is_confirmed=_is_confirmed(provider),
            queue=queue_of(provider),
            requests_per_second=provider.requests_per_second,
            max_concurrent=provider.max_concurrent,
            json_schema=self._structured_output.of_all(provider),
        )

    def _key_state(self, provider: Provider) -> str:
        if error := self._key_error(provider):
            return "missing" if error.error_type == "config.missing_key" else "unusable"
        return "not needed" if provider.key_variable is None else "set"


def _is_confirmed(provider: Provider) -> bool:
    try:
        provider.require_agreement()
    except ConfigError:
        return False
    return True
