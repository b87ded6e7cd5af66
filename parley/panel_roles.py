"""The roles of a named panel in every protocol."""

from collections.abc import Iterator
from typing import NamedTuple

from parley.options.roles import Seat
from parley.specs import PROTOCOLS
from protocols.named_panel import NamedPanel, UnfitPanelError


class RoleSeat(NamedTuple):
    """A role in a protocol and the seat that has it."""

    protocol: str
    role: str
    seat: Seat


def role_seats(panel: NamedPanel) -> Iterator[RoleSeat]:
    """Iterate over every role of every protocol that ``panel`` fits, in a fixed order.

    Raises:
        BadEntryError: its entry for a protocol cannot be used.
    """
    for name, spec in PROTOCOLS.items():
        try:
            roles = spec.options.seats_of(panel)
        except UnfitPanelError:
            continue
        for role, seated in roles.items():
            seats = seated if isinstance(seated, tuple) else (seated,)
            yield from (RoleSeat(name, role, seat) for seat in seats)
