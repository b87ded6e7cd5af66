"""What sets a deliberation apart from its arm's template, and the way back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from protocols.study.input_templates import differences, merged

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 1) | st.sampled_from([0.0, 1.0]) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=6,
)
_OBJECTS = st.dictionaries(st.sampled_from(["question", "panel", "salt", "set", "gone"]), _VALUES)


@given(_OBJECTS, _OBJECTS)
def test_the_template_and_the_changes_make_the_whole_again(template: dict, whole: dict) -> None:  # type: ignore[type-arg]  # any JSON
    """Nothing is lost on the way: not a key that is gone, nor that ``1``, ``1.0`` and ``true`` are three values."""
    again = merged(template, json.loads(json.dumps(differences(template, whole))))

    assert json.dumps(again, sort_keys=True) == json.dumps(whole, sort_keys=True)


@given(_OBJECTS)
def test_what_is_like_its_template_has_no_changes(template: dict) -> None:  # type: ignore[type-arg]  # any JSON
    """The first deliberation of an arm is its template, and keeps nothing twice."""
    assert differences(template, template) == {}


def test_a_value_that_differs_deep_down_is_kept_whole() -> None:
    """Changes are named on the first level alone."""
    template: dict[str, JsonValue] = {"panel": {"chair": "a", "members": ["b", "c"]}, "question": "Why?"}
    whole: dict[str, JsonValue] = {"panel": {"chair": "a", "members": ["b", "d"]}, "question": "Why?"}

    assert differences(template, whole) == {"set": {"panel": whole["panel"]}}


@pytest.mark.parametrize("changes", [{"question": "Why?"}, {"set": []}, {"gone": "panel"}])
def test_changes_that_are_none_are_refused(changes: dict) -> None:  # type: ignore[type-arg]  # any JSON
    """What was not made by ``differences`` would begin another deliberation than the one that was meant."""
    with pytest.raises(ValueError, match="'set' and 'gone' alone"):
        merged({"question": "How?"}, changes)
