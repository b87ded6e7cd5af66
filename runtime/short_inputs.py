"""The inputs of workflows in histories: plain JSON for any client, without what is empty anyway."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from protocols.deliberation import DeliberationInput


def short_input(given: DeliberationInput) -> bytes:
    """Return ``given`` as JSON, with packed templates and without the fields that are empty by default.

    A field that is left out was empty, so such a default never changes. Defaults with a value are written.
    """
    written = given.model_dump(mode="json")
    _leave_out_empty(given, written)
    return to_json({**written, "prompts": given.prompts.packed()})


def _leave_out_empty(value: object, written: Any) -> None:
    """Remove from ``written`` the fields of ``value``, and of the models in it, that are empty by default."""
    if isinstance(value, tuple):
        for one, its_own in zip(value, written, strict=True):
            _leave_out_empty(one, its_own)
    if not isinstance(value, BaseModel):
        return
    for name, default in _defaults(type(value)).items():
        inner = getattr(value, name)
        if not inner and inner == default:
            written.pop(name, None)
        elif name in written:
            _leave_out_empty(inner, written[name])


@cache
def _defaults(model: type[BaseModel]) -> Mapping[str, object]:
    return {name: field.get_default(call_default_factory=True) for name, field in model.model_fields.items()}
