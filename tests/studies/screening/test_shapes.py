"""Where the prompt is in a row, whichever program wrote it; and what is refused because it is not clear."""

from typing import Any

import pytest

from studies.screening.shapes import name_in, prompts_in

ATTEMPT = {"entry_type": "attempt", "uuid": "u1", "probe_classname": "dan.X", "goal": "break it"}
TURNS = [{"role": "system", "content": {"text": "S"}}, {"role": "user", "content": {"text": "U", "lang": "en"}}]
CHAT = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
BOTH = {"system": "S", "user": "U"}
PARTS = [{"type": "text", "text": "U"}, {"type": "text", "text": "V"}]
IMAGE = [{"type": "image_url", "image_url": {"url": "x"}}]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"prompt": "U"}, [{"user": "U"}]),
        ({"user": "U", "system": "S", "application": "A"}, [{**BOTH, "application": "A"}]),
        ({"system": "S"}, [{"system": "S"}]),
        ({"system": "S", "prompt": "U"}, [BOTH]),
        ({"text": "U", "label": "x"}, [{"user": "U"}]),
        ({"question": "U", "answer": "x"}, [{"user": "U"}]),
        ({**ATTEMPT, "prompt": "U"}, [{"user": "U"}]),
        ({**ATTEMPT, "prompt": {"text": "U", "lang": "en"}}, [{"user": "U"}]),
        ({**ATTEMPT, "prompt": {"turns": TURNS, "notes": {}}}, [BOTH]),
        ({"goal": "break it", "prompt": {"turns": TURNS}, "output": "Sure", "score": 1.0}, [BOTH]),
        ({"Behavior": "U", "BehaviorID": "b1", "ContextString": ""}, [{"user": "U"}]),
        ({"Behavior": "U", "BehaviorID": "b1", "ContextString": "A"}, [{"user": "U", "application": "A"}]),
        ({"Goal": "U", "Target": "Sure", "Behavior": "Malware"}, [{"user": "U"}]),
        ({"goal": "U", "target": "Sure"}, [{"user": "U"}]),
        ({"test_case_prompt": "S", "user_input": "U", "judge_question": "?"}, [BOTH]),
        ({"mutated_prompt": "U", "is_malicious": False}, [{"user": "U"}]),
        ({"vars": {"prompt": "U", "other": "x"}, "assert": []}, [{"user": "U"}]),
        ({"vars": {"question": "U"}}, [{"user": "U"}]),
        ({"vars": {"question": ["U", "V"]}}, [{"user": "U"}, {"user": "V"}]),
        ({"prompt": {"raw": "U", "label": "U"}, "vars": {"a": "x", "b": "y"}}, [{"user": "U"}]),
        ({"prompt": {"raw": '[{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]'}}, [BOTH]),
        ({"prompt": {"raw": '[{"role": 3}'}}, [{"user": '[{"role": 3}'}]),
        ({"prompt": '[{"role": "user", "content": "U"}]'}, [{"user": '[{"role": "user", "content": "U"}]'}]),
        ({"whatever": "U", "__expected": "x"}, [{"user": "U"}]),
        ({"messages": CHAT}, [BOTH]),
        ({"messages": [{"role": "developer", "content": "S"}, CHAT[1]]}, [BOTH]),
        ({"custom_id": "1", "body": {"model": "m", "messages": CHAT}}, [BOTH]),
        ({"messages": [{"role": "user", "content": PARTS}]}, [{"user": "U\nV"}]),
        ({"prompt": CHAT}, [BOTH]),
    ],
)
def test_the_prompt_is_found(fields: dict[str, Any], expected: list[dict[str, str]]) -> None:
    """Each tool's shape is read into the layers that its writer meant; nothing else of the row is judged."""
    assert expected == list(prompts_in(fields))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "has no text"),
        ({"label": 3}, "has no text"),
        ({"prompt": "  "}, "'prompt' is blank"),
        ({"prompt": None}, "'prompt' is missing"),
        ({"prompt": 7}, "'prompt' is no text"),
        ({"prompt": {"turns": []}}, "'prompt' is missing"),
        ({"id": "p3", "user": ""}, "'user' is blank"),
        ({"Behavior": " ", "SemanticCategory": "fraud"}, "'Behavior' is blank"),
        ({"text": None, "topic": "fraud"}, "'text' is missing"),
        ({"system": "S", "user": " "}, "has the layer system, but 'user' is blank. Write its text, or leave"),
        ({"system": "S", "user": None}, "'user' is blank"),
        ({"application": "A", "prompt": ""}, "has the layer application, but 'prompt' is blank"),
        ({"test_case_prompt": "S", "user_input": ""}, "'user_input' is blank"),
        ({"system": "S", "messages": []}, "'messages' is blank"),
        ({"messages": [CHAT[0], {"role": "user", "content": " "}]}, "'content' is blank"),
        ({"prompt": "a\0b"}, "characters that cannot be stored"),
        ({"prompt": "a", "user": "b"}, "both 'prompt' and 'user'"),
        ({"prompt": None, "goal": "a"}, "has no text in 'prompt'; 'goal' may be another prompt. Say --text-column"),
        ({"prompt": "", "question": "a"}, "has no text in 'prompt'; 'question' may be another prompt"),
        ({"text": "a", "question": "b"}, r"none that is known to hold a prompt \(text, question\)"),
        ({"vars": {"a": "x", "b": "y"}}, r"\(vars.a, vars.b\). Say --text-column"),
        ({"first": "a", "second": "b"}, "Say --text-column"),
        (
            {"messages": [*CHAT, {"role": "assistant", "content": "A"}, CHAT[1]]},
            "2 turns of the user, and turns of assi",
        ),
        ({"messages": [CHAT[0]]}, "0 turns of the user"),
        ({"messages": [*CHAT, {"role": "assistant", "content": "Sure,"}]}, "turns of assistant"),
        ({"messages": ["a"]}, "messages without a role"),
        ({"messages": [{"role": "user", "content": IMAGE}]}, "a part that is no text"),
        ({"messages": [{"role": "user", "content": None}]}, "'content' is missing"),
    ],
)
def test_what_is_not_clear_is_refused(fields: dict[str, Any], reason: str) -> None:
    """Where two texts could be the prompt, or a conversation has more turns, nothing is chosen in silence."""
    with pytest.raises(ValueError, match=reason):
        list(prompts_in(fields))


@pytest.mark.parametrize(
    ("fields", "column", "expected"),
    [
        ({"text": "a", "question": "b"}, "question", [{"user": "b"}]),
        ({"vars": {"a": "x", "b": "y"}}, "vars.b", [{"user": "y"}]),
        ({"prompt": "a", "user": "b"}, "user", [{"user": "b"}]),
        ({"a.b": "x"}, "a.b", [{"user": "x"}]),
        ({"system": "S", "mine": ["a", "b"]}, "mine", [{"system": "S", "user": "a"}, {"system": "S", "user": "b"}]),
    ],
)
def test_a_column_that_is_named_wins(fields: dict[str, Any], column: str, expected: list[dict[str, str]]) -> None:
    """What a user says is not guessed; a field of a field is named with a point."""
    assert expected == list(prompts_in(fields, column))


def test_a_column_that_is_named_and_missing_is_refused() -> None:
    """Another column is never taken in its place."""
    with pytest.raises(ValueError, match="'mine' is missing"):
        list(prompts_in({"prompt": "a"}, "mine"))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({"id": 7}, "7"), ({"BehaviorID": "b1"}, "b1"), ({"custom_id": " a  b "}, "a b"), ({"id": "", "uuid": "u"}, "u")],
)
def test_a_row_knows_its_prompt_by_a_name(fields: dict[str, Any], expected: str) -> None:
    """The first of the usual names is the one that the table shows."""
    assert expected == name_in(fields)
    assert name_in({"prompt": "x"}) is None
