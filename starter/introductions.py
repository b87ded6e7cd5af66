"""What stands beside a deliberation from its first moment: list columns, summary, details, and a print of its input."""

from hashlib import sha256
from typing import Any

from temporalio.common import SearchAttributePair, TypedSearchAttributes

from protocols.council.model import CouncilInput
from protocols.panel import name_of
from workflows import columns
from workflows.details import block, prose, table

_SUMMARY_LENGTH = 200
_FINGERPRINT = 16


def search_attributes(inp: CouncilInput) -> TypedSearchAttributes:
    """The columns that are known before anybody was asked."""
    pairs: list[SearchAttributePair[Any]] = [
        SearchAttributePair(columns.PROTOCOL, "council"),
        SearchAttributePair(columns.STAGE, "ready"),
        SearchAttributePair(columns.TITLE, inp.title),
        SearchAttributePair(columns.PARTICIPANTS, len(inp.panel.participants)),
        SearchAttributePair(columns.MODELS, sorted({name_of(p.model) for p in inp.panel.participants})),
        SearchAttributePair(columns.REHEARSAL, inp.panel.is_rehearsal),
    ]
    if inp.batch_id is not None:
        pairs.append(SearchAttributePair(columns.BATCH_ID, inp.batch_id))
    return TypedSearchAttributes(pairs)


def summary(inp: CouncilInput) -> str:
    """One line for the Web UI."""
    rehearsal = "Rehearsal · " if inp.panel.is_rehearsal else ""
    return f"{rehearsal}Council · {len(inp.panel.participants)} seats · {inp.title}"[:_SUMMARY_LENGTH]


def details(inp: CouncilInput) -> str:
    """The question and the panel as Markdown; what the person wrote stands in a block that it cannot leave."""
    seats = [(p.id, name_of(p.model)) for p in inp.panel.participants]
    fallbacks = [("", f"then {name_of(model)}") for model in inp.panel.chair_fallbacks]
    panel = [*seats, ("chair", name_of(inp.panel.chair)), *fallbacks]
    return "\n\n".join(["### Question", prose(inp.question), "### Panel", block(table(panel)), _manner(inp)])


def memo(inp: CouncilInput) -> dict[str, Any]:
    """A fingerprint of everything that was asked, by which a repeated request is told from another one."""
    asked = inp.model_dump_json(exclude={"queues", "salt"})
    return {"input": sha256(asked.encode()).hexdigest()[:_FINGERPRINT]}


def _manner(inp: CouncilInput) -> str:
    review = "without review" if inp.final_only else "with review"
    return f"Mode {inp.failure_mode}, {review}, prompts {inp.prompts.version}@{inp.prompts.fingerprint}"
