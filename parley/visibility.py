"""Visibility of a deliberation from its start: search attributes, summary, details and an input hash."""

from hashlib import sha256
from typing import Any

from pydantic import JsonValue
from temporalio.common import TypedSearchAttributes

from parley.specs.protocol_spec import AnySpec
from protocols.deliberation import DeliberationInput
from protocols.panel import name_of
from protocols.plurals import counted
from workflows import search_attributes
from workflows.web_ui_details import block, prose, table

_SUMMARY_LENGTH = 200
_FINGERPRINT = 16


def initial_attributes(protocol: str, inp: DeliberationInput) -> TypedSearchAttributes:
    """Return the columns that are known before the first call."""
    continues = inp.continues.of if inp.continues else None
    return search_attributes.first_columns(protocol, inp.title, inp.panel, batch_id=inp.batch_id, continues=continues)


def by_name(attributes: TypedSearchAttributes) -> dict[str, JsonValue]:
    """Return list columns by name, for a run that writes its own."""
    return {pair.key.name: pair.value for pair in attributes}


def summary(spec: AnySpec, inp: DeliberationInput) -> str:
    """Return one line for the Web UI."""
    rehearsal = "Rehearsal · " if inp.panel.is_rehearsal else ""
    protocol = spec.name.replace("-", " ").capitalize()
    follows = f" · continues {inp.continues.of}" if inp.continues else ""
    return f"{rehearsal}{protocol} · {spec.size(inp)} · {inp.title}{follows}"[:_SUMMARY_LENGTH]


def details(spec: AnySpec, inp: DeliberationInput) -> str:
    """Return question and panel as Markdown, the question in a block that its text cannot leave."""
    prompts = f"prompts {inp.prompts.identity}"
    chosen = ", ".join(filter(None, [f"Mode {inp.failure_mode}", spec.describe(inp), prompts]))
    files = ["### Attachments", block("\n".join(one.line for one in inp.attachments))] if inp.attachments else []
    link = [f"It {inp.continues.as_text}."] if inp.continues else []
    instructed = ["### Instructions", prose(inp.system)] if inp.system else []
    shown = [counted(len(inp.examples), "example")] if inp.examples else []
    panel = ["### Panel", block(table(_seats(spec, inp))), chosen]
    return "\n\n".join(["### Question", prose(inp.question), *link, *files, *instructed, *shown, *panel])


def memo(inp: DeliberationInput) -> dict[str, Any]:
    """Return a hash of the whole input, to recognise a repeated request."""
    # With encryption the same file is another blob each time.
    asked = inp.model_dump_json(exclude={"queues": True, "salt": True, "attachments": {"__all__": {"blob"}}})
    link = {"continues": inp.continues.of} if inp.continues else {}
    return {"input": sha256(asked.encode()).hexdigest()[:_FINGERPRINT], **link}


def _seats(spec: AnySpec, inp: DeliberationInput) -> list[tuple[str, str]]:
    panel, unused = inp.panel, spec.unused_seats(inp)
    seats = [(seat, name_of(panel.at(seat).model)) for seat in panel.seats if seat not in unused]
    return [*seats, *(("", f"then {name_of(model)}") for model in panel.chair_fallbacks)]
