"""Prompts as Markdown: a heading for each call, and each of its messages in a fence that its text cannot leave."""

import re
from collections.abc import Iterator, Sequence

import click

from parley.prompts import ArrivedRequest, Prompt
from protocols.visible_text import one_line, printable
from starter.terminal import as_json

_HEADING = 160


def print_prompts(prompts: Sequence[Prompt], *, json: bool) -> None:
    """Print ``prompts`` as one JSON document, or as Markdown with one heading for calls with the same messages."""
    parts = (part for alike in _alike(prompts) for part in _parts(alike))
    click.echo(as_json({"prompts": prompts}) if json else "\n\n".join(parts))


def print_requests(requests: Sequence[ArrivedRequest], *, json: bool) -> None:
    """Print ``requests`` as one JSON document, or as Markdown with each body as it arrived."""
    lines = (part for one in requests for part in (_title(one), _fenced(printable(one.body), "json")))
    click.echo(as_json({"requests": requests}) if json else "\n\n".join(lines))


def _title(request: ArrivedRequest) -> str:
    parts = (f"round {request.round}", request.stage, request.participant, request.dialect)
    return f"## {one_line(' · '.join(parts), width=_HEADING)}"


def _alike(prompts: Sequence[Prompt]) -> Iterator[tuple[Prompt, ...]]:
    """Yield each prompt with the equal ones of its stage directly behind it."""
    group: tuple[Prompt, ...] = ()
    for prompt in prompts:
        if group and (prompt.messages, prompt.note, prompt.stage) != (group[0].messages, group[0].note, group[0].stage):
            yield group
            group = ()
        group = (*group, prompt)
    if group:
        yield group


def _parts(alike: Sequence[Prompt]) -> Iterator[str]:
    first = alike[0]
    who = ", ".join(f"{one.participant} ({one.model})" for one in alike)
    yield f"## {one_line(f'round {first.round} · {first.stage} · {who}', width=_HEADING)}"
    if first.note:
        yield printable(first.note)
    for message in first.messages:
        yield f"### {message.role}"
        if message.attachments:
            yield "Files before it: " + "; ".join(printable(one.line) for one in message.attachments)
        yield _fenced(printable(message.content))


def _fenced(text: str, language: str = "text") -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"
