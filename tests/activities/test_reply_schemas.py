"""The JSON schemas that are sent with a request."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field, JsonValue

from activities.reply_readers import read
from activities.reply_schemas import reply_schema, strict_schema
from protocols.model_call import ReaderRef
from tests.fakes.reply_readers import READERS, WITH_SCHEMA

NEEDS: dict[str, JsonValue] = {"labels": ["Response A", "Response B"], "nonce": "abcdefghij", "stances": True}
LARGEST = 5000
"""Characters of a schema that Cerebras takes."""
KNOWN = {"type", "description", "enum", "anyOf", "items", "properties", "required", "additionalProperties"}


def sent(reader: str, **needs: JsonValue) -> dict[str, Any]:
    """The schema that is sent for the reader."""
    schema = reply_schema(ReaderRef(reader=reader, needs=needs))
    assert schema is not None
    return schema.json_schema


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema and everything that lies in it."""
    yield schema
    for inner in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
        yield from parts(inner)
    if "items" in schema:
        yield from parts(schema["items"])


@pytest.mark.parametrize("reader", WITH_SCHEMA)
def test_a_schema_keeps_to_the_strictest_rules(reader: str) -> None:
    """Every object requires all its properties and no others; nothing is in it that some endpoint refuses."""
    schema = sent(reader, **NEEDS)
    objects = [part for part in parts(schema) if part.get("type") == "object"]
    assert "object" == schema["type"]
    assert all(part["required"] == [*part["properties"]] and part["additionalProperties"] is False for part in objects)
    assert set() == {key for part in parts(schema) for key in part} - KNOWN


@pytest.mark.parametrize("reader", WITH_SCHEMA)
def test_a_schema_is_small_and_states_nothing_of_our_own(reader: str) -> None:
    """A schema is within what the smallest endpoint takes, and no docstring of ours is in it."""
    text = json.dumps(sent(reader, **NEEDS))
    docs = (READERS[reader].reply.__doc__ or "").splitlines()[0]
    assert len(text) <= LARGEST
    assert docs not in text


def test_prose_has_no_schema() -> None:
    """A reader of prose has no model of a reply, and nothing is sent for it."""
    assert reply_schema(ReaderRef(reader="council.opinion")) is None


def test_a_ballot_may_name_the_labels_that_were_shown_and_no_others() -> None:
    """The labels are an enumeration, and so is the code; without a code there is no field for one."""
    ballot = sent("council.ballot", **NEEDS)["properties"]
    assert ["Response A", "Response B"] == ballot["ranking"]["items"]["enum"]
    assert ["abcdefghij"] == ballot["code"]["enum"]
    assert ["evaluation", "ranking"] == [*sent("council.ballot", labels=["Response A"], nonce=None)["properties"]]


def test_a_stance_is_asked_for_only_where_stances_are_dealt() -> None:
    """A field that depends on the mode is left out of the schema of the other modes."""
    assert "stance" in sent("debate.turn", stances=True)["properties"]
    assert "stance" not in sent("debate.turn", stances=False)["properties"]


class Leaf(BaseModel):
    """A definition that is used twice."""

    size: float | None = Field(default=None, ge=0, le=1, description="How large.")


class Tree(BaseModel):
    """A model with everything that a strict schema has to change."""

    first: Leaf
    others: tuple[Leaf, ...] = Field(default=(), max_length=3)
    kind: str = Field(default="tree", min_length=1, max_length=9)


def test_references_are_written_out_and_limits_left_out() -> None:
    """A definition is wherever it is used; ranges, lengths and defaults do not be anywhere."""
    size = {"anyOf": [{"type": "number"}, {"type": "null"}], "description": "How large."}
    leaf = {"type": "object", "properties": {"size": size}, "required": ["size"], "additionalProperties": False}
    assert strict_schema(Tree, {}) == {
        "type": "object",
        "properties": {"first": leaf, "others": {"type": "array", "items": leaf}, "kind": {"type": "string"}},
        "required": ["first", "others", "kind"],
        "additionalProperties": False,
    }


def example(schema: dict[str, Any]) -> Any:
    """The plainest value that the schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: example(inner) for name, inner in schema["properties"].items()}
        case "array":
            return [example(schema["items"])]
        case kind:
            return {"string": "It holds.", "number": 0.5, "integer": 1, "boolean": False}[kind]


@pytest.mark.parametrize("reader", WITH_SCHEMA)
def test_what_a_schema_allows_is_read(reader: str) -> None:
    """A reply that is bound by the schema is understood by the reader whose schema it is."""
    text = json.dumps(example(sent(reader, **NEEDS)))
    reading = read(text, ReaderRef(reader=reader, needs={**NEEDS, "asked_with_schema": True}))
    assert isinstance(reading, dict)
    assert not reading.get("why")
    assert "void" != reading.get("standing")
