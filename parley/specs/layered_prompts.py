"""Descriptions of protocols that judge a prompt: its layers and its conversation."""

from parley.specs.phrases import joined
from protocols.fire_circle.io import JudgementInput
from protocols.fire_circle.model import LAYERS

QUESTION_KEYS = ("session", *LAYERS)
SHOWN = 2
"""Number of copies of the prompt in a call: the judged layer is also in its context."""


def describe_judging(inp: JudgementInput) -> str:
    """Return the judged layer and the threshold of falsehood."""
    turn = inp.session and f"turn {inp.session.turn}"
    return joined(f"layer {inp.layer}", turn, f"flagged from F {inp.threshold:g} on")
