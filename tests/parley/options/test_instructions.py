"""The options system and examples, the same in every protocol."""

from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from parley.options.council import CouncilOptions
from parley.questions import read_config, read_examples
from parley.specs import PROTOCOLS
from protocols.instructions import Example

ONE = {"user": "1 + 1?", "assistant": "2"}


@pytest.mark.parametrize("spec", PROTOCOLS.values(), ids=PROTOCOLS)
def test_every_protocol_takes_a_system_message_and_examples(spec: Any) -> None:
    """They are in the input of its workflow; without them the input has none."""
    asked = {"user": "Why?"} if spec.judges else "Why?"
    told = spec.options.of({"system": "Be brief.", "examples": [ONE]}).build_input(asked, queues={})
    plain = spec.options.of({}).build_input(asked, queues={})

    assert ("Be brief.", (Example(**ONE),)) == (told.system, told.examples)
    assert ("", ()) == (plain.system, plain.examples)


@pytest.mark.parametrize("given", [[ONE], ONE, ("1 + 1?", "2"), [("1 + 1?", "2")], [Example(**ONE)], [[ONE]]], ids=str)
def test_an_example_is_written_as_a_mapping_or_a_pair(given: Any) -> None:
    """Alone or in a list, and as a file was read."""
    assert (Example(**ONE),) == CouncilOptions.of({"examples": given}).examples


def test_examples_are_read_from_a_file(tmp_path: Path) -> None:
    """JSON lines, or tables of TOML; a configuration file names one below its own directory."""
    lines, tables = tmp_path / "few.jsonl", tmp_path / "few.toml"
    lines.write_text('{"user": "1 + 1?", "assistant": "2"}\n\n', "utf-8")
    tables.write_text('[[examples]]\nuser = "1 + 1?"\nassistant = "2"\n', "utf-8")
    (tmp_path / "said.txt").write_text("Be brief.", "utf-8")
    config = tmp_path / "options.toml"
    config.write_text('system = "@said.txt"\nexamples = "@few.jsonl"\n', "utf-8")

    assert [(ONE,), (ONE,)] == [read_examples(str(path)) for path in (lines, tables)]
    assert {"system": "Be brief.", "examples": (ONE,)} == read_config(str(config))
    assert (Example(**ONE),) == CouncilOptions.of({"examples": lines}).examples
    assert (Example(**ONE),) == CouncilOptions.of({"examples": (read_examples(str(lines)),)}).examples


def test_a_misspelt_key_of_an_example_is_named(tmp_path: Path) -> None:
    """In a file too, whose examples come as one list of a study, as one of several of a command, or by its path."""
    file = tmp_path / "few.jsonl"
    file.write_text('{"usr": "1 + 1?", "assistant": "2"}')
    read = read_examples(str(file))
    for given in (read, (read,), file):
        with pytest.raises(RequestError, match="'usr' is no part of an example; it has 'user' and 'assistant'"):
            CouncilOptions.of({"examples": given})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"system": " "}, "system: ' ' cannot be used: it is blank; leave it out"),
        ({"system": "@said.txt"}, "it names a file; give the text itself"),
        ({"system": "\udcff"}, "write text in UTF-8"),
        ({"system": 3}, "system: '3' cannot be used: write text"),
        ({"system": "x" * 100_001}, "at most 100000 characters"),
        ({"examples": "few.jsonl"}, "give a list of examples, each with 'user' and 'assistant'"),
        ({"examples": [{"user": "1 + 1?"}]}, "examples.1.assistant: it is missing"),
        ({"examples": [{**ONE, "system": "x"}]}, "'system' is no part of an example; it has 'user' and 'assistant'"),
        ({"examples": [{**ONE, "user": ""}]}, "examples.1.user: '' cannot be used: it is empty"),
        ({"examples": [{**ONE, "assistant": " "}]}, "examples.1.assistant: ' ' cannot be used: it is blank"),
        ({"examples": [ONE] * 51}, "examples: at most 50 examples"),
        ({"examples": [3]}, "examples.1: '3' cannot be used: write names with values"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_instruction_is_refused_in_one_sentence(given: dict[str, Any], told: str) -> None:
    """The message names the value and the remedy."""
    with pytest.raises(RequestError) as refused:
        CouncilOptions.of(given)

    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("few.jsonl", "[1]", "holds no examples"),
        ("few.jsonl", "", "holds no examples"),
        ("few.jsonl", "{", "cannot be read as examples"),
        ("few.toml", "examples = 3", "holds no examples"),
        ("few.toml", "examples = [", "cannot be read as examples"),
    ],
)
def test_a_file_without_examples_is_refused(tmp_path: Path, name: str, text: str, told: str) -> None:
    """The message says how they are written."""
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(RequestError, match=told) as refused:
        read_examples(str(tmp_path / name))

    assert '{"user": "…", "assistant": "…"}' in str(refused.value)
