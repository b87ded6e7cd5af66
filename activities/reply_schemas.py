"""The JSON schemas that are sent with a request: one per reader, made from the pydantic model of its reply.

Only what every endpoint takes is used: objects whose properties are all required and that allow no others, arrays,
enumerations, and plain types. Ranges and lengths are left out, because some endpoints refuse a schema that has them;
the reader checks both anyway. Definitions are written where they are used: some endpoints support no references.

A field of a reply's model may depend on what its reader needs to know, with ``json_schema_extra``::

    {"enum_from": "labels"}    the text, or each entry of the list, is one of those that ``needs["labels"]`` holds
    {"only_with": "stances"}   the field is left out unless ``needs["stances"]`` is set
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, JsonValue

from protocols.model_call import FrozenModel, ReaderRef
from protocols.reply_reader import reader_of

_KEPT = ("type", "description", "enum")
"""Of an object the description is left out: it is the docstring of its model, written for engineers."""
_LONGEST_NAME = 64


class ReplySchema(FrozenModel):
    """A schema as it is sent, with the name that endpoints ask for."""

    name: str
    json_schema: dict[str, JsonValue]


def has_schema(read_as: ReaderRef) -> bool:
    """Return whether a reply that is read so has a schema, without building it."""
    reader = reader_of(read_as.reader)
    return reader is not None and reader.reply is not None


def reply_schema(read_as: ReaderRef) -> ReplySchema | None:
    """Return the schema of a reply that is read so; ``None`` for prose."""
    reader = reader_of(read_as.reader)
    if reader is None or reader.reply is None:
        return None
    name = read_as.reader.replace(".", "_")[:_LONGEST_NAME]
    return ReplySchema(name=name, json_schema=strict_schema(reader.reply, read_as.needs))


def strict_schema(model: type[BaseModel], needs: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the JSON schema of a reply within the rules of strict endpoints; some fields depend on ``needs``."""
    whole = _schema_of(model)
    return _Strict(whole.get("$defs", {}), needs).of(whole)


@cache
def _schema_of(model: type[BaseModel]) -> Mapping[str, Any]:
    return model.model_json_schema()


class _Strict:
    """The conversion of one schema to a strict one, definition by definition."""

    def __init__(self, definitions: Mapping[str, Any], needs: Mapping[str, JsonValue]) -> None:
        self._definitions = definitions
        self._needs = needs

    def of(self, part: Mapping[str, Any]) -> dict[str, JsonValue]:
        """Return ``part`` and all that lies in it, made strict."""
        if "$ref" in part:
            part = {**self._definitions[part["$ref"].rpartition("/")[2]], **part}
        strict: dict[str, JsonValue] = {name: part[name] for name in _KEPT if name in part}
        if "const" in part:
            strict["enum"] = [part["const"]]
        if "anyOf" in part:
            strict["anyOf"] = [self.of(one) for one in part["anyOf"]]
        if "items" in part:
            strict["items"] = self.of(part["items"])
        if part.get("type") == "object":
            strict = {"type": "object", **self._object(part.get("properties", {}))}
        return self._chosen(strict, self._needs.get(part.get("enum_from", "")))

    def _object(self, properties: Mapping[str, Mapping[str, Any]]) -> dict[str, JsonValue]:
        kept = {name: self.of(one) for name, one in properties.items() if self._is_wanted(one)}
        return {"properties": {**kept}, "required": [*kept], "additionalProperties": False}

    def _is_wanted(self, field: Mapping[str, Any]) -> bool:
        return "only_with" not in field or bool(self._needs.get(field["only_with"]))

    def _chosen(self, strict: dict[str, JsonValue], choices: JsonValue) -> dict[str, JsonValue]:
        """Return ``strict`` with the allowed texts, for the field itself or the entries of its list."""
        texts: list[JsonValue] = [choices] if isinstance(choices, str) else choices if isinstance(choices, list) else []
        if not texts:
            return strict
        if strict.get("type") == "array":
            return {**strict, "items": {"type": "string", "enum": texts}}
        return {**strict, "enum": texts}
