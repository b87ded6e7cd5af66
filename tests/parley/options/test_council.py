"""The options that only a council has: its rubric and the fields that its chair is asked for."""

from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from parley.options.council import CouncilOptions
from parley.questions import read_rubric
from protocols.council.rubric import Rubric

CRITERIA = {"accuracy": 2, "clarity": {"weight": 1, "about": "Is it plain?"}}


def rubric_of(given: Any) -> Rubric | None:
    """The rubric of a council that was asked for with these criteria."""
    rubric: Rubric | None = CouncilOptions.of({"rubric": given}).rubric
    return rubric


def test_a_rubric_is_a_table_of_weights() -> None:
    """A number is a weight, a table has weight and meaning; the order is that of writing."""
    rubric = rubric_of(CRITERIA)

    assert rubric is not None
    assert (("accuracy", 2.0), ("clarity", 1.0)) == tuple((one.name, one.weight) for one in rubric.criteria)
    assert rubric == rubric_of(rubric) == rubric_of(rubric.model_dump(mode="json"))


def test_a_rubric_is_read_from_a_file(tmp_path: Path) -> None:
    """The file of the command line holds the same table."""
    file = tmp_path / "rubric.toml"
    file.write_text('accuracy = 2\n[clarity]\nabout = "Is it plain?"\n')

    assert rubric_of(CRITERIA) == rubric_of(read_rubric(str(file)))


def test_the_input_of_a_council_has_its_rubric() -> None:
    """The option is the input's field."""
    inp = CouncilOptions.of({"rubric": CRITERIA}).build_input("Why?", queues={})

    assert ("accuracy", "clarity") == inp.rubric.names


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rubric": "accuracy"}, "'accuracy' is no table of criteria: write a weight for each criterion"),
        ({"rubric": {"accuracy": -1}}, "rubric: the weight of 'accuracy' is -1; write a number above 0"),
        ({"rubric": {"accuracy": 1}, "final_only": True}, "final_only skips the review; leave one of them out"),
        ({"rubric": {f"c{n}": 1 for n in range(13)}}, "at most 12"),
    ],
)
def test_a_bad_rubric_is_refused_before_anything_is_asked(given: dict[str, Any], said: str) -> None:
    """One sentence names what is wrong."""
    with pytest.raises(RequestError) as refused:
        CouncilOptions.of(given)

    assert said in str(refused.value)


@pytest.mark.parametrize("text", ["accuracy: 2", f"accuracy = {'[' * 10_000}", f"accuracy = {'1' * 5_000}"])
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, text: str) -> None:
    """The message names the file and an example of a line, however deep the file is and however long its numbers."""
    file = tmp_path / "rubric.toml"
    file.write_text(text)

    with pytest.raises(RequestError, match=r"rubric\.toml' is not TOML: .*accuracy = 2"):
        read_rubric(str(file))
