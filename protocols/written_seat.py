"""Seats as people write them: the name of a model, or a table with one model or several and settings."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from protocols.constraints import did_you_mean, problem, quoted
from protocols.seat_settings import ProviderRouting, SeatSettings

_MOST_MODELS = 8


class SeatTable(SeatSettings):
    """A seat with settings. The keys are those of files; an unknown one is refused."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="forbid", populate_by_name=True)

    model: str = ""
    models: tuple[str, ...] = Field(default=(), max_length=_MOST_MODELS)
    """In place of ``model``: the model that is asked, and those that take its seat when it is lost, in order."""
    routing: ProviderRouting | None = Field(default=None, alias="provider")
    structured_output: bool = Field(default=True, alias="schema")

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        _refuse_unknown(given, "a seat", (field.alias or name for name, field in cls.model_fields.items()))
        if isinstance(given.get("provider"), Mapping):
            _refuse_unknown(given["provider"], "a seat's provider", ProviderRouting.model_fields)
        if isinstance(given.get("system"), str):
            return {**given, "system": _text(given["system"])}
        return given

    @model_validator(mode="after")
    def _has_models(self) -> Self:
        if bool(self.model) is bool(self.models):
            wanted = "leave one of them out" if self.model else "name the seat's model"
            raise ValueError(f"a seat has either model or models; {wanted}")
        for name in self.names:
            refuse_model(name)
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"models names {twice!r} twice; a fallback is another model")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The model and its fallbacks, as they are written."""
        return self.models or (self.model,)

    @property
    def settings(self) -> SeatSettings | None:
        """The settings alone; ``None`` where all are left to the deliberation."""
        own = SeatSettings(**{name: getattr(self, name) for name in SeatSettings.model_fields})
        return None if own == SeatSettings() else own


def read_seat(given: Any) -> Any:
    """Return a seat as it is kept: a name where it has nothing else, a ``SeatTable`` else.

    Raises:
        ValueError: a key is unknown, or a value cannot be used.
    """
    if given is None or isinstance(given, str | SeatTable):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(f"{quoted(given)} is no seat; give a model, or a table with a model and settings")  # noqa: TRY004 - pydantic takes no TypeError
    try:
        seat = SeatTable.model_validate(dict(given))
    except ValidationError as error:
        raise ValueError(problem(error)) from None
    return seat.names[0] if len(seat.names) == 1 and seat.settings is None else seat


WrittenSeat = Annotated[str | SeatTable, BeforeValidator(read_seat)]
"""A model, or a table with model and settings."""


def is_table(given: Mapping[str, Any]) -> bool:
    """Return whether ``given`` has the keys of a seat and no other."""
    known = {field.alias or name for name, field in SeatTable.model_fields.items()}
    return bool(given.keys() & {"model", "models"}) and given.keys() <= known


def names_of(seat: str | SeatTable) -> tuple[str, ...]:
    """Return the model of ``seat`` and its fallbacks, as they are written."""
    return (seat,) if isinstance(seat, str) else seat.names


def as_reached(seat: str | SeatTable) -> str | SeatTable:
    """Return a seat with the same models, reached in the same way, without what makes it speak as it does."""
    own = None if isinstance(seat, str) else seat.settings and seat.settings.as_reached()
    names = names_of(seat)
    if own is None and len(names) == 1:
        return names[0]
    return SeatTable.model_validate(
        {"models": names, "provider": own and own.routing, "extra_body": own.extra_body if own else {}}
    )


def refuse_model(name: str) -> None:
    """Refuse what cannot be the name of a model.

    Raises:
        ValueError: it is blank, too long, or has white space in it.
    """
    if not re.fullmatch(r"\S{1,200}", name):
        raise ValueError(f"model {quoted(name)} is not a name such as 'maker/model' or 'ollama:qwen3:8b'")


def _refuse_unknown(given: Mapping[str, Any], what: str, names: Iterable[str]) -> None:
    known = tuple(names)
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        hint = did_you_mean(str(unknown), known, f"Known are {', '.join(known)}")
        raise ValueError(f"{quoted(unknown)} is no key of {what}. {hint}")


def _text(system: str) -> str:
    """Return instructions as they are meant: ``@@`` begins a text with ``@``."""
    if system.startswith("@@"):
        return system[1:]
    if system.startswith("@") and "\n" not in system:
        raise ValueError(f"system is {quoted(system)}, and no file is read here; give the text itself")
    return system
