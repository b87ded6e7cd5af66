"""The output of ``parley batch run --dry-run``: first row, first prompts, and the plan as a document."""

from collections.abc import Mapping, Sequence
from typing import Any

from protocols.study.model import ArmUse
from starter.terminal import console
from starter.views import first_prompts as row_view
from starter.views.first_prompts import as_document, render_prompts
from studies.definition.first_row import first_prompts, first_row
from studies.definition.load import LoadedStudy


def print_first(study: LoadedStudy, *, prompts: bool) -> None:
    """Print the first row and, where they are wanted, the first prompts."""
    console(to_stderr=True).print(row_view.first_row(first_row(study)))
    if prompts and (first := first_prompts(study)):
        console().print(render_prompts(first))


def plan_document(
    study: LoadedStudy, keys_go_to: Sequence[str], learned: Mapping[str, ArmUse], shortage: str | None, *, prompts: bool
) -> dict[str, Any]:
    """Return the plan as one document, with the first prompts where they are wanted."""
    ends = study.estimate.range
    return {
        "study": study.study.name,
        "fingerprint": study.fingerprint,
        "deliberations": study.instances,
        "usd": None if study.estimate.unpriced else study.estimate.amount.usd,
        "usd_range": ends.usd,
        "tokens_range": ends.tokens,
        "models_of_unknown_price": ends.unpriced,
        "tokens": study.estimate.amount.tokens,
        "by_arm": study.estimate.by_arm,
        "learned": learned,
        "shortage": shortage,
        "unpriced": list(study.estimate.unpriced),
        "keys_go_to": list(keys_go_to),
        "first_row": first_row(study),
        "doubts": list(study.doubts),
        "prompts": [as_document(one) for one in (first_prompts(study) if prompts else ())],
        "rejected": [{"line": one.line, "reason": one.reason} for one in study.rejected],
    }
