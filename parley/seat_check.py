"""Checks of the settings of seats against the providers of their models, before anything is sent."""

import json
from collections.abc import Mapping

from parley.errors import RequestError
from protocols.model_call import Effort, ModelId, ParticipantId
from protocols.panel import Panel, provider_of
from protocols.seat_settings import SeatSettings
from protocols.secret_text import SHORTEST

_CEREBRAS_FIELDS = frozenset(
    {
        *(
            "clear_thinking",
            "disable_reasoning",
            "frequency_penalty",
            "logit_bias",
            "logprobs",
            "min_completion_tokens",
        ),
        *("parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "reasoning_format"),
        *("service_tier", "top_logprobs", "user"),
    }
)
"""Additional fields that Cerebras takes. It refuses a request with any other, which most providers ignore."""


def refuse_settings(
    panel: Panel, dialects: Mapping[str, str], keys: Mapping[str, str], only: ParticipantId | None = None
) -> None:
    """Refuse settings of a seat on ``panel`` that cannot be sent to its models, or must not be stored.

    ``dialects`` are by provider, ``keys`` by their variables; ``only`` names the one seat to check.

    Raises:
        RequestError: a seat has a setting that the provider of a model of its own does not take, or one of the keys.
    """
    for seat in panel.everyone:
        if seat.settings is not None and only in {None, seat.id}:
            later = panel.chair_fallbacks if seat.id == panel.chair_seat else ()
            for model in (seat.model, *seat.fallbacks, *later):
                dialect = dialects.get(provider_of(model), "openrouter")
                _refuse_fields(seat.label, seat.settings, model, dialect)
                refuse_effort(seat.label, seat.settings.reasoning_effort, model, dialect)
            _refuse_keys(seat.label, seat.settings, keys)


def refuse_effort(label: str, effort: Effort | None, model: ModelId, dialect: str) -> None:
    """Refuse an effort that the provider of ``model`` does not have, with a ``RequestError``."""
    if effort == "minimal" and dialect == "cerebras":
        raise RequestError(
            f"seat {label!r}: reasoning_effort is 'minimal', and Cerebras, where {model!r} is, has low, medium and "
            "high; give one of these, or name another model"
        )


def _refuse_fields(label: str, settings: SeatSettings, model: ModelId, dialect: str) -> None:
    if settings.routing and dialect != "openrouter":
        raise RequestError(
            f"seat {label!r}: provider chooses among the endpoints of OpenRouter, and {model!r} is not "
            "served by it; leave provider out, or name a model of OpenRouter"
        )
    unknown = next((name for name in settings.extra_body if name not in _CEREBRAS_FIELDS), None)
    if unknown is not None and dialect == "cerebras":
        raise RequestError(
            f"seat {label!r}: extra_body has {unknown!r}, and Cerebras, where {model!r} is, refuses requests with that "
            "field; leave it out, or name another model"
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
