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
    return f"answer {form.kind.replace('_', ' ')}" + (f" ({', '.join(form.choices)})" if form.choices else "")
