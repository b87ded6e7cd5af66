"""Phrases in the descriptions of inputs."""

from protocols.answers import AnswerForm

DRY_RUN = "dry-run"
"""What the codes of a prompt are made from that is only shown."""


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
