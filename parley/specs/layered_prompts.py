"""Descriptions of protocols that judge a prompt: its layers and its conversation."""

from pydantic import ValidationError

from parley.errors import RequestError
from parley.options.fire_circle import layers_of
from parley.specs.phrases import joined
from parley.specs.protocol_spec import Asked
from protocols.constraints import problem
from protocols.fire_circle.io import JudgementInput
from protocols.fire_circle.model import LAYERS, Layers, SessionMemory

QUESTION_KEYS = ("session", *LAYERS)
SHOWN = 2
"""Times that the prompt stands in a call: the layer that is judged stands in its context, too."""


def layers_in(asked: Asked) -> Layers:
    """Return the layers."""
    return layers_of({name: asked[name] for name in LAYERS if name in asked})


def session_in(asked: Asked) -> SessionMemory | None:
    """Return the conversation, if one was given.

    Raises:
        RequestError: it cannot be used.
    """
    try:
        given = asked.get("session")
        return None if given is None else SessionMemory.model_validate(given)
    except ValidationError as error:
        raise RequestError(f"'session' cannot be used: {problem(error)}") from None


def describe_judging(inp: JudgementInput) -> str:
    """Return the judged layer and the threshold of falsehood."""
    turn = inp.session and f"turn {inp.session.turn}"
    return joined(f"layer {inp.layer}", turn, f"flagged from F {inp.threshold:g} on")
