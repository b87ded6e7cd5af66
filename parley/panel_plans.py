"""Participants of an estimated deliberation, from a named panel."""

from collections.abc import Callable
from typing import cast

from parley.call_plans import Estimated, EstimateRequest
from protocols.consensus.model import SPEAKERS
from protocols.named_panel import NamedPanel

_RolesOf = Callable[[NamedPanel], tuple[tuple[str, ...], str | None]]


def seated(wish: EstimateRequest, panel: NamedPanel) -> EstimateRequest:
    """Return ``wish`` with the models and the chair of ``panel`` where it names none.

    Raises:
        UnfitPanelError: a consensus has three speakers and the panel names another number of models.
    """
    models, chair = _ROLES[wish.protocol](panel)
    return wish._replace(models=wish.models or models, chair=wish.chair or chair)


def _alone(protocol: str) -> _RolesOf:
    """Return who takes part in a protocol without a conclusion."""
    return lambda panel: (_several(panel.seats(protocol)["models"]), None)


def _concluded(protocol: str, models: str, chair: str) -> _RolesOf:
    """Return participants and chair of the panel, under the names of their options."""

    def roles(panel: NamedPanel) -> tuple[tuple[str, ...], str | None]:
        seats = panel.seats(protocol)
        return _several(seats[models]), cast("str | None", seats.get(chair))

    return roles


def _consensus_roles(panel: NamedPanel) -> tuple[tuple[str, ...], str | None]:
    seats = {role: str(model) for role, model in panel.seats("consensus").items()}
    return tuple(seats[speaker] for speaker in SPEAKERS), seats["curator"]


def _several(models: str | tuple[str, ...]) -> tuple[str, ...]:
    return (models,) if isinstance(models, str) else models


_ROLES: dict[Estimated, _RolesOf] = {
    "council": _concluded("council", "models", "chair"),
    "consensus": _consensus_roles,
    "fire_circle": _alone("fire-circle"),
    "debate": _concluded("debate", "agents", "synthesiser"),
    "single": lambda panel: (_several(panel.seats("fire-circle-baseline")["models"])[:1], None),
    "parallel": _alone("fire-circle-baseline"),
    "vote": _alone("vote"),
    "mixture": _concluded("mixture", "models", "aggregator"),
}
"""Who takes part in each protocol, and who concludes."""
