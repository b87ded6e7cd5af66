"""Warnings before models are asked that their providers do not have."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from parley.catalogue import Providers
from parley.model_lists import sentence
from parley.notices import notify
from protocols.model_call import ModelId
from protocols.panel import provider_of

_is_printed: ContextVar[bool] = ContextVar("model_warnings_are_printed", default=False)


class ModelWarning(UserWarning):
    """A model that its provider does not list, or has retired, is about to be asked."""


async def print_model_warnings(providers: Providers, models: Iterable[ModelId]) -> None:
    """Print on standard error which of ``models`` their providers do not have; nothing is refused."""
    statuses = await providers.check_models(models)
    for text in filter(None, map(sentence, statuses)):
        notify(f"warning: {text}")
    unread = [one for one in statuses if one.state == "unchecked" and provider_of(one.model) != "rehearsal"]
    for text in dict.fromkeys(f"the models of {provider_of(one.model)} are not checked: {one.note}" for one in unread):
        if providers.lists.may_query:
            notify(text)


async def issue_model_warnings(providers: Providers, models: Iterable[ModelId]) -> None:
    """Issue a ``ModelWarning`` for each of ``models`` that its provider does not have, unless a command prints them."""
    if _is_printed.get():
        return
    for text in filter(None, map(sentence, await providers.check_models(models))):
        warnings.warn(text, ModelWarning, stacklevel=4)


@contextmanager
def model_warnings_printed() -> Iterator[None]:
    """Issue no ``ModelWarning`` inside the block: the command has printed them."""
    token = _is_printed.set(True)
    try:
        yield
    finally:
        _is_printed.reset(token)


@contextmanager
def model_warnings_as_lines() -> Iterator[None]:
    """Print every ``ModelWarning`` that is issued inside the block as one line on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = lambda message, *_, **__: notify(f"warning: {message}")
        yield
