"""Datasets whose questions have several turns."""

import json
from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from studies.definition.inputs import build_input
from studies.definition.load import LoadedStudy
from tests.fakes.study_files import study

STUDY = """\
name = "turns"
rehearse = true
[dataset]
path = "turns.jsonl"
id = "id"
turns = "turns"
[panels.lab]
models = ["a/one", "b/two", "c/three"]
[grid]
protocols = ["council", "vote"]
panels = ["lab"]
"""


def opened(*rows: Any, text: str = STUDY) -> LoadedStudy:
    """Return the study over rows with these turns."""
    lines = [json.dumps({"id": f"q{number}", "turns": turns}) for number, turns in enumerate(rows)]
    Path("turns.jsonl").write_text("\n".join(lines), "utf-8")
    return study(text, None)


def test_each_text_of_a_list_is_a_turn() -> None:
    """The last one is the question, those before it are answered first; the ten calls on it have the first as context.

    That is a question of 43 to 86 tokens, and a verdict of at most 400.
    """
    two, one = opened(["Why?", "And now?"]), opened(["Why? And now?"])
    inputs: list[Any] = [build_input(two.study, arm, two.first, 1, two.means) for arm in two.arms]

    assert ["And now?"] * 2 == [str(inp["question"])[:8] for inp in inputs]
    assert [["Why?"]] * 2 == [[str(text)[:4] for text in inp["earlier"]] for inp in inputs]
    both = 2 * one.estimate.amount.tokens
    assert two.estimate.amount.tokens == pytest.approx(both + 10 * (43 + 86 + 400) / 2, rel=0.001)
    assert two.fingerprint != one.fingerprint


def test_given_answers_are_context() -> None:
    """They are asked of no model."""
    said = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}, "And now?"]
    found = opened(said)
    inp: Any = build_input(found.study, found.arms[0], found.first, 1, found.means)

    assert ("And now?", []) == (str(inp["question"])[:8], inp["earlier"])
    assert 2 == len(inp["context_messages"])


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ("Why?", "'turns' is 'Why?', and turns are a list in JSON"),
        (["Why?", ""], "turn 2 is '', which cannot be asked"),
        ([], "turns are a list in JSON"),
    ],
)
def test_a_row_without_turns_is_refused(turns: Any, told: str) -> None:
    """The message names its line."""
    with pytest.raises(RequestError, match="line 1: ") as refused:
        opened(turns)

    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('turns = "turns"', 'turns = "turns"\nquestion = "id"', "turns say what is asked"),
        ('turns = "turns"', 'turns = "turn"', "dataset.turns: there is no column 'turn'. Did you mean 'turns'?"),
        ('"vote"', '"fire-circle"', "judges one prompt"),
    ],
)
def test_a_study_that_cannot_ask_turns_is_refused(old: str, new: str, told: str) -> None:
    """Another key for the question, an unknown column, and a protocol that judges."""
    with pytest.raises(RequestError) as refused:
        opened(["Why?", "And now?"], text=STUDY.replace(old, new))

    assert told in str(refused.value)
