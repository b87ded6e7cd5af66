"""The providers' model lists, cached for a day, and their statements on the models of a panel.

A list that cannot be had keeps nothing from being started: an older one serves, or none, and the next ten minutes no
other attempt is made. Nothing is asked where ``PARLEY_CHECK_MODELS`` is false.
"""

import asyncio
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal

from activities.providers.catalogue import Provider
from activities.providers.errors import ConfigError
from activities.providers.listed_models import ListedModel, ModelList, kept_list, lists_folder
from protocols.constraints import did_you_mean
from protocols.model_call import FrozenModel, ModelId
from protocols.panel import name_of, provider_of
from runtime.home import write_private

FRESH = timedelta(days=1)
AWAY = timedelta(minutes=10)
SOON = timedelta(days=30)

State = Literal["listed", "expiring", "retired", "unlisted", "unchecked"]

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class ModelStatus(FrozenModel):
    """The known status of one model before its first call."""

    model: ModelId
    state: State
    note: str = ""
    """What a user should know beside the state: a day, a near name, or why nothing is known."""
    context_tokens: int | None = None
    input_usd: float | None = None
    """Dollars for a million tokens, by the provider's own list."""
    output_usd: float | None = None
    structured_output: bool | None = None

    @property
    def is_lost(self) -> bool:
        """Return whether a call to it will fail, by the list."""
        return self.state in {"retired", "unlisted"}


class ModelLists:
    """The lists in one home; ``may_query`` allows requests to the providers."""

    def __init__(self, home: Path, providers: Mapping[str, Provider], *, may_query: bool = True) -> None:
        self.folder = lists_folder(home)
        """Where they are kept."""
        self._providers = providers
        self.may_query = may_query
        self._known: dict[str, ModelList] = {}
        self._away: dict[str, datetime] = {}
        self._turn = asyncio.Lock()

    def cached(self, provider: str) -> ModelList | None:
        """Return the cached list of ``provider``, of any age; ``None`` without one for its address."""
        found, known = self._known.get(provider) or kept_list(self._file(provider)), self._providers.get(provider)
        if found is None or known is None or known.base_url != found.base_url:
            return None
        self._known[provider] = found
        return found

    async def refresh(self, providers: Iterable[str], *, force: bool = False) -> dict[str, str]:
        """Ask those of ``providers`` whose list is older than a day, all at once; return why others have none now."""
        named = [self._providers[name] for name in dict.fromkeys(providers) if name in self._providers]
        asked = [one for one in named if not one.rehearsal]
        if not self.may_query:
            return {one.name: "PARLEY_CHECK_MODELS is false" for one in asked}
        async with self._turn:
            reasons = await asyncio.gather(*(self._refreshed(one, force=force) for one in asked))
        return {one.name: reason for one, reason in zip(asked, reasons, strict=True) if reason is not None}

    def status(self, model: ModelId, reasons: Mapping[str, str]) -> ModelStatus:
        """Return the entry of ``model`` in the kept list of its provider; ``reasons`` explain absent lists."""
        provider, name = provider_of(model), name_of(model)
        known = self.cached(provider)
        if known is None:
            why = "scripted" if provider == "rehearsal" else reasons.get(provider, "its list was not read yet")
            return ModelStatus(model=model, state="unchecked", note=why)
        found = known.find(name)
        if found is None:
            return _absent(model, known)
        today = _now().date()
        return ModelStatus(
            model=model,
            state=_state(found, today),
            note=_when(found, today),
            **found.model_dump(include={"context_tokens", "input_usd", "output_usd", "structured_output"}),
        )

    def statuses(self, models: Iterable[ModelId], reasons: Mapping[str, str]) -> tuple[ModelStatus, ...]:
        """Return the status of each of ``models`` once, in their order."""
        return tuple(self.status(model, reasons) for model in dict.fromkeys(models))

    def served(self, provider: str) -> tuple[str, ...]:
        """Return the models that ``provider`` lists or once listed."""
        known = self.cached(provider)
        return () if known is None else (*known.models, *known.gone)

    async def _refreshed(self, provider: Provider, *, force: bool) -> str | None:
        known, away = self.cached(provider.name), self._file(provider.name).with_suffix(".away")
        if not force and known is not None and abs(_now() - known.read_at) < FRESH:
            return None
        if not force and min(_age(away), _now() - self._away.get(provider.name, _LONG_AGO)) < AWAY:
            return "its list could not be read a few minutes ago"
        from activities.providers.model_lists import (  # noqa: PLC0415 - imports the HTTP client, for one request a day
            ModelListError,
            fetch_model_list,
        )

        try:
            provider.require_agreement()
            found = await fetch_model_list(provider, certificates=os.environ.get("SSL_CERT_FILE"))
        except ConfigError:
            return f"its address needs an agreement: parley allow {provider.name}"
        except ModelListError as error:
            self._away[provider.name] = _now()
            self._keep(away, "")
            return str(error)
        self._known[provider.name] = found.succeeding(known)
        self._keep(self._file(provider.name), self._known[provider.name].model_dump_json())
        away.unlink(missing_ok=True)
        return None

    def _keep(self, file: Path, text: str) -> None:
        """Write ``text``, unless the disk refuses or there is no home yet: then the list is asked for again."""
        if not self.folder.parent.is_dir():
            return
        try:
            write_private(file, lambda: text)
        except OSError:
            return

    def _file(self, provider: str) -> Path:
        return self.folder / f"{provider}.json"


def sentence(status: ModelStatus) -> str | None:
    """Return what a user should be warned of before ``status.model`` is asked; ``None`` when there is nothing."""
    name = f"{provider_of(status.model)} {{}} {name_of(status.model)!r}"
    match status.state:
        case "unlisted":
            return f"{name.format('does not list')}: calls to it will probably fail. {status.note}".rstrip()
        case "retired":
            return f"{name.format('has retired')} {status.note}: calls to it will probably fail"
        case "expiring":
            return f"{name.format('retires')} {status.note}"
        case "listed" | "unchecked":
            return None


def _absent(model: ModelId, known: ModelList) -> ModelStatus:
    name = name_of(model)
    if name in known.gone:
        return ModelStatus(model=model, state="retired", note=f"since {known.gone[name]}")
    return ModelStatus(model=model, state="unlisted", note=did_you_mean(name, known.models))


def _state(found: ListedModel, today: date) -> State:
    if found.expires is None or found.expires > today + SOON:
        return "listed"
    return "retired" if found.expires <= today else "expiring"


def _when(found: ListedModel, today: date) -> str:
    if found.expires is None or _state(found, today) == "listed":
        return ""
    return f"{'since' if found.expires <= today else 'on'} {found.expires}"


def _age(file: Path) -> timedelta:
    try:
        return abs(_now() - datetime.fromtimestamp(file.stat().st_mtime, UTC))  # the clock may have been set back
    except OSError:
        return timedelta.max


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - a command may read the clock
