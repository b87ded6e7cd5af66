"""Thinking that a model writes in front of its answer, between tags.

Only a block at the very beginning is thinking; tags later in a text are the answer's own. A block that never ends is
thinking only when the answer was cut off inside it: otherwise the model forgot to close it, and the text is kept whole.
"""

import re

_OPEN = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)


def split_thinking(text: str, *, is_cut: bool) -> tuple[str, str]:
    """The thinking at the head of ``text``, and the rest."""
    thoughts: list[str] = []
    while opened := _OPEN.match(text):
        close = text.lower().find(f"</{opened[1].lower()}>", opened.end())
        if close < 0:
            if is_cut:
                thoughts.append(text[opened.end() :])
                text = ""
            break
        thoughts.append(text[opened.end() : close].strip())
        text = text[close + len(opened[1]) + 3 :].lstrip()
    return "\n\n".join(t for t in thoughts if t), text
