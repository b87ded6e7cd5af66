"""Cells of a dataset: a column as it is, a place inside its JSON, and cells that cannot be asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.dataset.cells import cell_of, structured, why_not_asked

COLUMNS = ("turns", "choices", "a.b", "x[0]", "choices.text")


@pytest.mark.parametrize(
    ("said", "fields", "value"),
    [
        ("turns[0]", {"turns": '["What?", "Why?"]'}, "What?"),
        ("turns[1]", {"turns": "['What?', 'Why?']"}, "Why?"),
        ("choices[1].text", {"choices": '[{"text": "a"}, {"text": "b"}]'}, "b"),
        ("choices.label[0]", {"choices": '{"label": ["A"], "text": ["Paris"]}'}, "A"),
        ("choices.text", {"choices.text": "its own column"}, "its own column"),
        ("turns[0][1]", {"turns": "[[1, 2.5]]"}, "2.5"),
        ('turns["gpt-4.1/x"][0]', {"turns": '{"gpt-4.1/x": ["a"]}'}, "a"),
        ("turns[0].none", {"turns": '[{"none": null}]'}, ""),
        ("a.b", {"a.b": "its own column"}, "its own column"),
        ("x[0]", {"x[0]": "its own column"}, "its own column"),
        ("a.b[0]", {"a.b": '["inside"]'}, "inside"),
    ],
)
def test_a_cell_is_a_column_or_a_place_in_one(said: str, fields: dict[str, str], value: str) -> None:
    """A column of that name comes first; otherwise keys and places lead into the JSON of a column."""
    cell = cell_of(said, COLUMNS)

    assert cell is not None
    assert value == cell.of(fields)


@pytest.mark.parametrize("said", ["turn", "turns[", "turns[-1]", "turns[x]", "turns.", "turns[0", "turns[1:2]", ""])
def test_what_leads_nowhere_is_no_cell(said: str) -> None:
    """A name that is neither a column nor a place in one is unknown."""
    assert cell_of(said, COLUMNS) is None


@pytest.mark.parametrize(
    ("said", "fields", "why"),
    [
        ("turns[2]", {"turns": '["a", "b"]'}, r"'turns\[2\]' has no \[2\]: there is a list of 2, counted from 0"),
        ("turns.a", {"turns": '{"b": 1}'}, "has no 'a': there is an object with 'b'"),
        ("turns[0]", {"turns": "What?"}, "'turns' is 'What[?]', which holds no list and no object"),
        ("turns[0].a", {"turns": '["a"]'}, "there is no object"),
        ("turns[0]", {"turns": '{"a": 1}'}, "there is no list"),
        ("turns[0]", {}, "has no 'turns'"),
    ],
)
def test_a_row_without_the_place_states_what_it_has(said: str, fields: dict[str, str], why: str) -> None:
    """The message names the place, and what exists in its stead."""
    cell = cell_of(said, COLUMNS)

    assert cell is not None
    with pytest.raises(ValueError, match=why):
        cell.of(fields)


@pytest.mark.parametrize("text", ["[1, 2]", "{}", "['a']", ' {"a": 1} ', "[]"])
def test_a_list_or_an_object_is_not_asked_as_it_is(text: str) -> None:
    """The remedy names a place inside, or the key that allows it."""
    assert "dataset.allow_json" in (why_not_asked("q", text) or "")


@pytest.mark.parametrize(
    "text", ["[sic] What?", "{a} + {b}", "What is [1, 2]?", "[x for x in y]", "(1, 2)", "", "[1, 2", "{1, 2}", "1e5"]
)
def test_text_with_brackets_is_asked(text: str) -> None:
    """Only a whole list or object is no question."""
    assert why_not_asked("q", text) is None


@given(st.text(alphabet="[]{}\"':,a1 \\n\\", max_size=60))
def test_nothing_raises(text: str) -> None:
    """Whatever is in a cell is structured or is text."""
    assert structured(text) is None or structured(text) == structured(f" {text} ")


@pytest.mark.parametrize("piece", ["[", "{", "[[],", "('", "{'a':"])
def test_deep_and_endless_brackets_are_text(piece: str) -> None:
    """A cell of a hundred thousand brackets is looked at once and is no list."""
    assert structured("[" + piece * 20_000 + "]") is None
