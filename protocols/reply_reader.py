"""Readers of replies, found by name: ``council.ballot`` is ``READERS["ballot"]`` in ``protocols.council.readers``."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import NamedTuple

from pydantic import BaseModel, JsonValue


class ReplyReader(NamedTuple):
    """A reader of one kind of reply."""

    read: Callable[[str, Mapping[str, JsonValue]], BaseModel | None]
    """Takes the text and what the reader needs to know; returns ``None`` when the text says nothing of the kind."""
    reply: type[BaseModel] | None = None
    """The model of a reply in JSON, of which a schema is sent; ``None`` for prose."""
    compares: bool = False
    """Whether the reader needs the text that the model was shown, to tell what it wrote from what it repeats."""
    verdict: str | None = None
    """Set where the reply is the verdict, so that it is shown as it is written: blank for the whole text, else the
    field of ``reply`` that has it."""
    searches: bool = False
    """Whether the reader searches the whole text, whose length is then limited; others pass it on or read its end."""


def text_in(needs: Mapping[str, JsonValue], name: str) -> str:
    """Return the text ``name`` of what a reader needs to know; blank without one."""
    said = needs.get(name)
    return said if isinstance(said, str) else ""


def texts_in(needs: Mapping[str, JsonValue], name: str) -> list[str]:
    """Return the texts ``name`` of what a reader needs to know, without blank ones."""
    listed = needs.get(name)
    return [one for one in listed if isinstance(one, str) and one] if isinstance(listed, list) else []


def reader_of(name: str) -> ReplyReader | None:
    """Return the reader called ``name``, if there is one."""
    package, _, kind = name.partition(".")
    return readers_of(package).get(kind)


@cache  # every call looks its reader up four times, and an import that is done already takes longer
def readers_of(package: str) -> Mapping[str, ReplyReader]:
    """Return the readers of a protocol package; none where there is no such package."""
    module = f"{__package__}.{package}.readers"
    try:
        readers: Mapping[str, ReplyReader] = import_module(module).READERS if package.isidentifier() else {}
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        return {}
    return readers
