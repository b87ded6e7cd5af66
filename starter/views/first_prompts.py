"""The first row of a study on a screen, and the first prompt of every arm, one below the other."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from protocols.visible_text import one_line, printable
from studies.definition.first_row import FirstPrompt, FirstRow

_MOST_LINES = 12
_WIDEST = 100


def render_prompts(prompts: Sequence[FirstPrompt]) -> RenderableType:
    """Return ``prompts`` one below the other; a question shared by all is printed once."""
    asked = list(dict.fromkeys(one.question for one in prompts if one.question))
    shared = asked[0] if len(asked) == 1 and all(one.has_question for one in prompts if one.question) else ""
    parts: list[RenderableType] = [Text(_verdict(prompts, asked, shared), style="bold")]
    if shared:
        parts += [Rule("the question of every arm", align="left"), Text(printable(shared))]
    for one in prompts:
        parts.append(Rule(one_line(f"{one.arm}: {one.participant}, {one.model}", width=90), align="left"))
        for message in one.messages:
            said = message.content.replace(shared, "[the question]") if shared else message.content
            parts.append(Text(f"[{message.role}] {printable(said)}"))
    return Group(*parts)


def as_document(prompt: FirstPrompt) -> dict[str, Any]:
    """Return ``prompt`` as JSON."""
    messages = [message.model_dump(mode="json") for message in prompt.messages]
    return {**prompt._asdict(), "messages": messages, "has_question": prompt.has_question}


def first_row(row: FirstRow) -> RenderableType:
    """Return what the first row asks, shortened, and how its answer is read."""
    lines = [line for line in row.asked.strip().splitlines() if line.strip()]
    shown = lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES // 2], "…", *lines[-_MOST_LINES // 2 :]]
    asked = Text("\n".join(one_line(line, width=_WIDEST) for line in shown), style="dim")
    heading = Text(f"first row, line {row.line}, id {one_line(row.id, width=60)}, is asked:")
    return Group(heading, Padding(asked, (0, 0, 0, 2)), *_label(row))


def _verdict(prompts: Sequence[FirstPrompt], asked: Sequence[str], shared: str) -> str:
    judging = sum(not one.question for one in prompts)
    more = f"; {judging} judge a prompt" if judging else ""
    if shared:
        return f"{len(prompts) - judging} arms are asked the same question, word for word{more}"
    return f"the arms are asked {len(asked)} different questions{more}"


def _label(row: FirstRow) -> list[Text]:
    if row.expected is None or row.read is None:
        return []
    label = one_line(printable(row.expected), width=40)
    return [Text(f"its label {label!r} is right where {row.right!r} is read (read = {one_line(row.read, width=60)})")]
