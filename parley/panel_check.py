"""The roles of a named panel in every protocol, and a check that the models of seats exist."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from parley.catalogue import Known, Providers
from parley.errors import as_request_error
from parley.model_lists import ModelStatus
from parley.options.roles import Seat
from parley.specs import PROTOCOLS
from protocols.model_call import FrozenModel, ModelId
from protocols.named_panel import BadEntryError, NamedPanel, UnfitPanelError, UnknownPanelError
from protocols.panel import UnknownModelNameError, route
from protocols.written_seat import names_of

_THOUSAND = 1000


class CheckedModel(FrozenModel):
    """One model of a panel, and where it sits."""

    status: ModelStatus
    seats: tuple[str, ...]
    """As ``council chair``: protocol and role, or arm and seat."""
    input_usd: float | None
    """Dollars for a million tokens, by the provider's list, else by the price library; ``None`` is unknown."""
    output_usd: float | None
    has_schema: bool
    """Whether it is sent the JSON schema of a reply."""
    schema_known_from: Known
    """What says so."""


async def check_panel(providers: Providers, name: str) -> tuple[CheckedModel, ...]:
    """Return what the providers' lists say of every model of the panel ``name``."""
    with as_request_error(UnknownPanelError, BadEntryError):
        roles = tuple(role_seats(providers.panels.panel(name)))
    seats = [(f"{one.protocol} {one.role.replace('_', ' ')}", one.seat) for one in roles]
    return await check_seats(providers, seats)


async def check_seats(providers: Providers, seats: Iterable[tuple[str, Seat]]) -> tuple[CheckedModel, ...]:
    """Return the status of every model of ``seats``, by the lists of the providers."""
    found: dict[ModelId, list[str]] = {}
    with as_request_error(UnknownModelNameError):
        for where, seat in seats:
            for name in names_of(seat):
                found.setdefault(route(providers.panels.explicit(name)), []).append(where)
    statuses = await providers.check_models(found, force=True)
    return tuple(_checked(providers, status, found[status.model]) for status in statuses)


class RoleSeat(NamedTuple):
    """A role in a protocol and the seat that has it."""

    protocol: str
    role: str
    seat: Seat


def role_seats(panel: NamedPanel) -> Iterator[RoleSeat]:
    """Iterate over every role of every protocol that ``panel`` fits, in a fixed order."""
    for name, spec in PROTOCOLS.items():
        try:
            roles = spec.options.seats_of(panel)
        except UnfitPanelError:
            continue
        for role, seated in roles.items():
            seats = seated if isinstance(seated, tuple) else (seated,)
            yield from (RoleSeat(name, role, seat) for seat in seats)


def _checked(providers: Providers, status: ModelStatus, seats: list[str]) -> CheckedModel:
    library_input, library_output = (_library(providers, status.model, *ends) for ends in ((1, 0), (0, 1)))
    capability = providers.structured_output(status.model)
    return CheckedModel(
        status=status,
        has_schema=capability.has_schema,
        schema_known_from=capability.known_from,
        seats=tuple(seats),
        input_usd=library_input if status.input_usd is None else status.input_usd,
        output_usd=library_output if status.output_usd is None else status.output_usd,
    )


def _library(providers: Providers, model: ModelId, sent: int, got: int) -> float | None:
    """Return dollars for a million tokens by the price library, from a call that no tier of prices reaches."""
    usd = providers.price(model, sent * _THOUSAND, got * _THOUSAND)
    return None if usd is None else round(usd * _THOUSAND, 6)
