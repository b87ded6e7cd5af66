"""Thinking that a model writes in front of its answer, between tags.

Only a block at the very beginning is thinking; tags later in a text are the answer's own. A block that never ends is
thinking only when the answer was cut off inside it: otherwise the model forgot to close it, and the text is kept whole.
"""

import re

_OPEN = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSE = {tag: re.compile(f"</{tag}>", re.IGNORECASE) for tag in ("think", "thinking", "thought", "reasoning")}
_BLANK = re.compile(r"\s*")


def split_thinking(text: str, *, is_cut: bool) -> tuple[str, str]:
    """The thinking at the head of ``text``, and the rest."""
    thoughts: list[str] = []
    start, end = 0, len(text)
    while opened := _OPEN.match(text, start):
        closed = _CLOSE[opened[1].lower()].search(text, opened.end())
        if closed is None:
            if is_cut:
                thoughts.append(text[opened.end() :])
                start = end
            break
        thoughts.append(text[opened.end() : closed.start()].strip())
        start = _BLANK.match(text, closed.end()).end()  # type: ignore[union-attr] # it matches the empty string
    return "\n\n".join(t for t in thoughts if t), text[start:]
