"""Reasoning in a reply, in every form in which models and servers leave it there."""

from collections.abc import Mapping

THOUGHT = (
    "Marginal note to myself: first the terms, then the evidence.\nThen what follows from it, and I vote for myself"
)
"""What is thought; nothing of it may reach a peer."""

FORMS: Mapping[str, tuple[str, str]] = {
    "think-unopened": ("is opened in the prompt", "{thought}.\n</think>\n\n{text}"),
    "think-unclosed": ("is never closed, so that there is no answer", "<think>\n{thought}.\n\n{text}"),
    "think-twice": ("stands in two blocks", "<think>{thought}</think>\n<think>{thought}</think>\n{text}"),
    "think-nested": ("holds a block of its own", "<think>\n{thought}\n<think>{thought}</think>\nSo.\n</think>\n{text}"),
    "think-behind": ("stands behind the answer", "{text}\n<think>\n{thought}\n</think>\n"),
    "think-thinking": ("stands in <thinking>", "<thinking>{thought}</thinking>\n{text}"),
    "think-thought": ("stands in <thought>", "<thought>\n{thought}\n</thought>\n{text}"),
    "think-reasoning": ("stands in <reasoning>", "<reasoning>{thought}</reasoning>\n{text}"),
    "think-brackets": ("stands in [THINK]", "[THINK]{thought}[/THINK]{text}"),
    "think-triangles": ("stands between triangles", "◁think▷{thought}◁/think▷{text}"),
    "think-seed": ("stands in <seed:think>", "<seed:think>\n{thought}\n</seed:think>\n{text}"),
    "think-begin-of": (
        "has marks for its beginning and its end",
        "<|begin_of_thought|>\n{thought}\n<|end_of_thought|>\n\n<|begin_of_solution|>\n{text}\n<|end_of_solution|>",
    ),
    "think-channels": (
        "has a channel of its own",
        "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>final<|message|>{text}<|return|>",
    ),
    "think-bare-channels": ("has a channel whose marks the server swallowed", "analysis{thought}.assistantfinal{text}"),
}
"""By behaviour: where the reasoning stands, and how it is written around the text."""


def thinking(form: str, text: str) -> str:
    """Return ``text`` with reasoning in it."""
    return FORMS[form][1].format(thought=THOUGHT, text=text)
