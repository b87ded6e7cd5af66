"""Replies to a JSON schema: as requested, and in every deviation of endpoints.

A model without a row here ignores the schema, like an endpoint that does not support the parameter.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from rehearsal.models import council_forms, council_reviews
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.replies import REFUSAL, Behaviour, Reply, Speaker

Write = Callable[[int, str, RecognisedPrompt, str], tuple[str, bool]]
"""From seed, model, cue and the reply without a schema to the reply with one, and whether it is cut by its length."""

_EMPTY: Mapping[str, Any] = {"string": "", "number": 0.5, "integer": 0, "boolean": False}


def _form(name: str, about: str, write: Write, place: Literal["text", "reasoning", "refusal"] = "text") -> Behaviour:
    """Return one way to deal with a schema; ``place`` is that of the reply in the provider's message."""

    def twist(actor: Speaker, cue: RecognisedPrompt, said: Reply) -> Reply:
        if cue.schema is None or said.text is None:
            return said
        text, is_cut = write(actor.seed, actor.model, cue, said.text)
        match place:
            case "reasoning":
                return replace(said, text="", reasoning=text)
            case "refusal":
                return replace(said, text=None, refusal=text)
            case "text":
                return replace(said, text=text, finish="length" if is_cut else said.finish)

    return Behaviour(name, about, twist=twist)


def conforming(schema: Mapping[str, Any], value: Any) -> Any:
    """Return ``value`` as ``schema`` allows it; what it lacks is the emptiest value of its type."""
    if "enum" in schema:
        return value if value in schema["enum"] else schema["enum"][0]
    match schema.get("type"):
        case "object":
            given = value if isinstance(value, dict) else {}
            return {name: conforming(inner, given.get(name)) for name, inner in schema["properties"].items()}
        case "array":
            return [conforming(schema["items"], inner) for inner in value] if isinstance(value, list) else []
        case kind:
            return _EMPTY[str(kind)] if value is None else value


def _as_requested(seed: int, model: str, cue: RecognisedPrompt, said: str) -> tuple[str, bool]:
    schema = cue.schema or {}
    return json.dumps(conforming(schema, _values(seed, model, cue, said)), ensure_ascii=False), False


def _values(seed: int, model: str, cue: RecognisedPrompt, said: str) -> Any:
    """Return the reply's values, under the names of the schema."""
    if cue.stage == "review":
        order = list(council_reviews.order(seed, model, cue))
        fields = ("label", "criterion", "score")
        scores = [dict(zip(fields, one, strict=True)) for one in council_forms.scores(seed, model, cue)]
        return {"evaluation": council_reviews.judgement(seed, model, cue), "scores": scores, "ranking": order}
    if cue.stage == "synthesis" and cue.lists:
        return {**council_forms.lists(cue), "verdict": said.partition(f"{cue.lists.splitlines()[-1]}\n")[2] or said}
    try:
        return json.loads(said)
    except ValueError:
        return dict.fromkeys((cue.schema or {}).get("properties", {}), said)


def _ignored(_seed: int, _model: str, _cue: RecognisedPrompt, said: str) -> tuple[str, bool]:
    """Return labelled lines in place of an object, or the unchanged reply."""
    try:
        values = json.loads(said)
    except ValueError:
        return said, False
    return "\n".join(f"{name.replace('_', ' ').capitalize()}: {_line(value)}" for name, value in values.items()), False


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(map(_line, value.values()))
    return "; ".join(map(_line, value)) if isinstance(value, list) else str(value)


def _cut(seed: int, model: str, cue: RecognisedPrompt, said: str) -> tuple[str, bool]:
    """Return the first half of the object, unless the request limits the reply itself."""
    text, _ = _as_requested(seed, model, cue, said)
    return (text, False) if cue.is_limited else (text[: len(text) // 2 + 4], True)


def _broken(seed: int, model: str, cue: RecognisedPrompt, said: str) -> tuple[str, bool]:
    text, _ = _as_requested(seed, model, cue, said)
    return text[: len(text) // 2], False


def _declined(_seed: int, _model: str, _cue: RecognisedPrompt, _said: str) -> tuple[str, bool]:
    return REFUSAL, False


REFUSES = _form("schema-refuses", "is at an endpoint that takes no JSON schema", _as_requested)
"""The endpoint turns the request down before the model is asked."""

FORMS = (
    _form("schema-obeys", "writes the object that a JSON schema asks for", _as_requested),
    REFUSES,
    _form("schema-ignores", "writes prose, whatever JSON schema came with the request", _ignored),
    _form("schema-cuts", "is cut off by its length in the object of a JSON schema", _cut),
    _form("schema-breaks", "ends in the middle of the object of a JSON schema", _broken),
    _form("schema-hides", "writes the object of a JSON schema where its thinking belongs", _as_requested, "reasoning"),
    _form(
        "schema-declines", "refuses in the provider's refusal field when a JSON schema binds it", _declined, "refusal"
    ),
)
"""Every way but that of the plain model, which ignores the schema."""
