"""The roles of a protocol: the options with models, and their values in a named panel.

A role is a field of the options with a ``Role`` in its annotation. The type says whether it has one seat or several.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator

from parley.errors import RequestError
from parley.options.written import Written, split_names
from parley.questions import LARGEST, read_text
from protocols.constraints import quoted
from protocols.named_panel import BadEntryError, NamedPanel, PanelLibrary, Seated
from protocols.panel import independent_model, name_of, route
from protocols.written_seat import SeatTable, as_reached, names_of, read_seat

Seat = str | SeatTable
"""A seat as it is written: a model, or a table with model and settings."""
GivenSeat = str | Mapping[str, Any] | SeatTable
"""A seat as a call in Python names it."""
GivenSeats = Sequence[GivenSeat]


@dataclass(frozen=True)
class Role:
    """The mark of an option that names models.

    Args:
        derive: Returns what fills it from a panel that has no entry for the protocol; ``None`` or ``()`` is nothing.
        has_several: Whether it has a list of seats.
    """

    derive: Callable[[NamedPanel], Seated | None] = lambda _: None
    has_several: bool = False


def written_seat(given: Any) -> Any:
    """Return a seat as it is kept, from a name, a table, or a text with a table in JSON."""
    if isinstance(given, str) and given.lstrip().startswith("{"):
        given = _table(given)
    if isinstance(given, Mapping) and isinstance(given.get("system"), Path):
        text = _file(given["system"])
        given = {**given, "system": f"@{text}" if text.startswith("@") else text}
    return read_seat(given)


def written_seats(given: Any) -> Any:
    """Return the seats in ``a,b``, in a table, and in a list of such."""
    listed = [given] if isinstance(given, str | Mapping | SeatTable) else given
    if not isinstance(listed, list | tuple):
        return given
    parts = [part for one in listed for part in _parts(one)]
    return tuple(_numbered(part, number) for number, part in enumerate(parts, start=1))


Seats = Annotated[tuple[Seat, ...], BeforeValidator(written_seats), Written("A,B")]
"""Seats in a list, or models as ``a,b,c``."""
OneSeat = Annotated[Seat, BeforeValidator(written_seat), Written("MODEL")]
MaybeSeat = Annotated[Seat | None, BeforeValidator(written_seat), Written("MODEL")]

MODELS = Role(lambda panel: panel.models, has_several=True)
CONCLUDING = Role(lambda panel: panel.chair or as_reached(panel.models[0]))
FALLBACKS = Role(lambda panel: panel.chair_fallbacks, has_several=True)
UNDERIVED = Role()


class RoleOptions(BaseModel):
    """Options of which some name models."""

    PROTOCOL: ClassVar[str]
    """The protocol that takes these options; a panel has its roles under this name."""
    SEATED_BY: ClassVar[tuple[str, ...]] = ("models",)
    """The options that together say who takes part, without any panel."""

    @classmethod
    def roles(cls) -> dict[str, Role]:
        """Return the options that name models, by name and in their order."""
        fields = cls.model_fields.items()
        return {name: one for name, field in fields for one in field.metadata if isinstance(one, Role)}

    @classmethod
    def seats_of(cls, panel: NamedPanel, given: Collection[str] = ()) -> dict[str, Seated]:
        """Return the options that ``panel`` fills; those ``given`` elsewhere need not fit."""
        entry = _checked_entry(panel, cls.PROTOCOL, cls.roles(), cls.SEATED_BY)
        return cls._derived(panel, given) if entry is None else dict(entry)

    @classmethod
    def _derived(cls, panel: NamedPanel, given: Collection[str]) -> dict[str, Seated]:  # noqa: ARG003 - see consensus
        """Return the seats of ``panel`` in the roles, without open ones."""
        found = {name: role.derive(panel) for name, role in cls.roles().items()}
        return {name: seated for name, seated in found.items() if seated}


def first_of(seats: tuple[Seat, ...]) -> Seat:
    """Return the first of ``seats`` as a chair is asked by default; blank without any."""
    return as_reached(seats[0]) if seats else ""


def independent_seat(agents: tuple[Seat, ...], others: tuple[Seat, ...] = ()) -> Seat:
    """Return who judges or closes a debate of ``agents`` by default, see ``panel.independent_model``."""
    everyone = (*others, *agents)
    name = independent_model([names_of(one)[0] for one in agents], [names_of(one)[0] for one in others])
    return next((as_reached(one) for one in everyone if names_of(one)[0] == name), name)


def rehearsed(model: str) -> str:
    """Return the scripted model for ``model``: ``rehearsal:`` before the name without its provider."""
    return f"rehearsal:{name_of(route(model))}"


def changed(seat: Seat, rename: Callable[[str], str]) -> Seat:
    """Return ``seat`` with its models renamed."""
    if isinstance(seat, str):
        return rename(seat)
    names = tuple(map(rename, seat.names))
    return seat.model_copy(update={"model": "", "models": names})


def explicit(seated: Any, panels: PanelLibrary) -> Any:
    """Return the seats of a role with a provider before each model that a list routes."""
    match seated:
        case str() | SeatTable():
            return changed(seated, panels.explicit)
        case tuple():
            return tuple(changed(seat, panels.explicit) for seat in seated)
        case _:
            return seated


def _parts(given: Any) -> list[Any]:
    if isinstance(given, str) and not given.lstrip().startswith(("{", "[")):
        return list(split_names(given))
    if isinstance(given, str) and given.lstrip().startswith("["):
        listed = _table(given)
        return listed if isinstance(listed, list) else [listed]
    return [given]


def _numbered(given: Any, number: int) -> Any:
    if given is None:
        raise ValueError(f"seat {number} is empty; give a model, or a table with a model and settings")
    try:
        return written_seat(given)
    except ValueError as error:
        raise ValueError(f"seat {number}: {error}") from None


def _table(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        listed = 'write seats with settings as one list: ["a/b", {"model": "c/d"}]'
        raise ValueError(f"{quoted(text)} is not JSON ({error}); {listed}") from None


def _file(path: Path) -> str:
    try:
        return read_text(str(path), largest=LARGEST)
    except RequestError as error:
        raise ValueError(f"system: {error}") from None


def _checked_entry(panel: NamedPanel, protocol: str, roles: Mapping[str, Role], needed: tuple[str, ...]) -> Any:
    """Return the entry of ``panel`` for ``protocol``, ``None`` where it has none.

    Raises:
        BadEntryError: it names a role that the protocol has not, several seats for one, or lacks one of ``needed``.
    """
    entry = panel.protocols.get(protocol)
    for name, seated in (entry or {}).items():
        if name not in roles:
            raise BadEntryError(f"{protocol}: {quoted(name)} is no role; known are {', '.join(roles)}")
        if isinstance(seated, tuple) is not roles[name].has_several:
            wanted = "a list of models" if roles[name].has_several else "one model"
            seats = seated if isinstance(seated, tuple) else (seated,)
            shown = ", ".join(names_of(seat)[0] for seat in seats)[:80]
            raise BadEntryError(f"{protocol}.{name}: {shown!r} cannot be used; give {wanted}")
    if entry is not None and (missing := next((name for name in needed if name not in entry), None)):
        raise BadEntryError(f"{protocol}: {missing} is missing; it replaces the panel's models there")
    return entry
