"""Phrases in the descriptions of inputs, and of prompts that are judged."""

from typing import TYPE_CHECKING

from protocols.answers import AnswerForm

if TYPE_CHECKING:  # the other protocols use these phrases too, and need not import the models of a judgement
    from protocols.fire_circle.io import JudgementInput

DRY_RUN = "dry-run"
"""What the codes of a prompt are made from that is only shown."""
SHOWN = 2
"""Number of copies of the prompt in a call: the judged layer is also in its context."""


def joined(*phrases: object) -> str:
    """Join the non-empty phrases with commas."""
    return ", ".join(str(phrase) for phrase in phrases if phrase)


def answer_form(form: AnswerForm | None) -> str:
    """Return the form of the answer in words; an empty text where none is asked for."""
    if form is None:
        return ""
    scale = () if form.scale is None else (f"{form.scale[0]:g} to {form.scale[1]:g}",)
    return f"answer {form.kind.replace('_', ' ')}" + (
        f" ({joined(*form.choices, *scale)})" if form.choices or scale else ""
    )


def describe_judging(inp: "JudgementInput") -> str:
    """Return the judged layer and the threshold of falsehood."""
    turn = inp.session and f"turn {inp.session.turn}"
    return joined(f"layer {inp.layer}", turn, f"flagged from F {inp.threshold:g} on")
