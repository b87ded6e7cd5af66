"""The first prompt of every arm of a study on a screen, one below the other, and whether all are asked the same."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from protocols.visible_text import one_line, printable
from studies.definition.first_row import FirstPrompt


def render_prompts(prompts: Sequence[FirstPrompt]) -> RenderableType:
    """Return ``prompts`` one below the other; a question shared by all is printed once."""
    asked = list(dict.fromkeys(one.question for one in prompts if one.question))
    shared = asked[0] if len(asked) == 1 and all(one.has_question for one in prompts if one.question) else ""
    parts: list[RenderableType] = [Text(_verdict(prompts, asked, shared), style="bold")]
    if shared:
        parts += [Rule("the question of every arm", align="left"), Text(printable(shared))]
    for one in prompts:
        parts.append(Rule(one_line(f"{one.arm}: {one.participant}, {one.model}", width=90), align="left"))
        parts += [Text(_message_text(message.role, message.content, shared)) for message in one.messages]
    return Group(*parts)


def as_document(prompt: FirstPrompt) -> dict[str, Any]:
    """Return ``prompt`` as JSON."""
    messages = [message.model_dump(mode="json") for message in prompt.messages]
    return {**prompt._asdict(), "messages": messages, "has_question": prompt.has_question}


def _verdict(prompts: Sequence[FirstPrompt], asked: Sequence[str], shared: str) -> str:
    judging = sum(not one.question for one in prompts)
    more = f"; {judging} judge a prompt" if judging else ""
    if shared:
        return f"{len(prompts) - judging} arms are asked the same question, word for word{more}"
    return f"the arms are asked {len(asked)} different questions{more}"


def _message_text(role: str, content: str, shared: str) -> str:
    said = content.replace(shared, "[the question]") if shared else content
    return f"[{role}] {printable(said)}"
