"""Reasoning in a reply, in every form in which models and servers leave it there."""

from collections.abc import Mapping

from rehearsal.models.script_files import read_script

THOUGHT = (
    "Marginal note to myself: first the terms, then the evidence.\nThen what follows from it, and I vote for myself"
)
"""What is thought; nothing of it may reach a peer."""

FORMS: Mapping[str, tuple[str, str]] = read_script("reasoning")
"""By behaviour: the place of the reasoning, and its form around the text."""


def thinking(form: str, text: str) -> str:
    """Return ``text`` with reasoning in it."""
    return FORMS[form][1].format(thought=THOUGHT, text=text)
