"""Checks of the settings of seats against the providers of their models, before anything is sent."""

import json
from collections.abc import Mapping

from parley.errors import RequestError
from protocols.panel import Panel, Participant, provider_of
from protocols.seat_settings import SeatSettings
from protocols.secret_text import SHORTEST


def refuse_settings(panel: Panel, dialects: Mapping[str, str], keys: Mapping[str, str]) -> None:
    """Refuse settings of a seat on ``panel`` that cannot be sent to its models, or must not be stored.

    Args:
        panel: The panel.
        dialects: By provider.
        keys: The keys that are known here, by the variable that has them.

    Raises:
        RequestError: a seat has routing and a model that is not OpenRouter's, or has one of the keys in its settings.
    """
    for seat in panel.everyone:
        if seat.settings is not None:
            _refuse_routing(seat, seat.settings, panel, dialects)
            _refuse_keys(seat.label, seat.settings, keys)


def _refuse_routing(seat: Participant, settings: SeatSettings, panel: Panel, dialects: Mapping[str, str]) -> None:
    later = panel.chair_fallbacks if seat.id == panel.chair_seat else ()
    for model in (seat.model, *seat.fallbacks, *later) if settings.routing else ():
        if dialects.get(provider_of(model), "openrouter") != "openrouter":
            raise RequestError(
                f"seat {seat.label!r}: provider chooses among the endpoints of OpenRouter, and {model!r} is not "
                "served by it; leave provider out, or name a model of OpenRouter"
            )


def _refuse_keys(label: str, settings: SeatSettings, keys: Mapping[str, str]) -> None:
    text = f"{settings.system}\n{json.dumps(settings.extra_body, ensure_ascii=False)}"
    for variable, value in keys.items():
        key = value.strip()
        if len(key) >= SHORTEST and key in text:
            raise RequestError(
                f"seat {label!r} has the value of {variable} in its settings, which are stored; leave it out, "
                "a worker sends its provider the key"
            )
