"""Warnings before models are asked that their providers do not have."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from protocols.exchange import ModelId
from protocols.panel import provider_of
from starter.catalogue import Providers
from starter.exits import say
from starter.model_lists import ModelStatus, sentence


class ModelWarning(UserWarning):
    """A model that its provider does not list, or has retired, is about to be asked."""


async def warn_of_models(providers: Providers, models: Iterable[ModelId]) -> None:
    """Print on standard error which of ``models`` their providers do not have; nothing is refused."""
    statuses = await providers.check_models(models)
    for text in filter(None, map(sentence, statuses)):
        say(f"warning: {text}")
    for text in dict.fromkeys(_unchecked(status) for status in statuses if _is_worth_saying(providers, status)):
        say(text)


def warn_from_lists(providers: Providers, models: Iterable[ModelId]) -> None:
    """Issue a ``ModelWarning`` for those of ``models`` that the kept lists do not have; no provider is asked."""
    for text in filter(None, map(sentence, providers.lists.statuses(models, {}))):
        warnings.warn(text, ModelWarning, stacklevel=5)


@contextmanager
def ignoring_model_warnings() -> Iterator[None]:
    """Issue no ``ModelWarning`` inside the block: the command has printed them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield


def _is_worth_saying(providers: Providers, status: ModelStatus) -> bool:
    return status.state == "unchecked" and provider_of(status.model) != "rehearsal" and providers.lists.is_asking


def _unchecked(status: ModelStatus) -> str:
    return f"the models of {provider_of(status.model)} are not checked: {status.note}"
