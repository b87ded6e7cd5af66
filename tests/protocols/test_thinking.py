"""Reasoning is distinguished from the answer, however it is marked, and code that speaks of the marks is kept."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols.thinking import split_thinking

FORMS = {
    "think": "<think>{}</think>\n\n",
    "thinking": "<thinking>{}</thinking>\n",
    "thought": "<thought>{}</thought>",
    "reasoning": "  <REASONING>\n{}\n</REASONING>\n",
    "attribute": '<think type="deep">{}</think>\n',
    "namespace": "<seed:think>{}</seed:think>",
    "brackets": "[THINK]{}[/THINK]",
    "triangles": "◁think▷{}◁/think▷",
    "begin-of": "<|begin_of_thought|>\n{}\n<|end_of_thought|>\n\n",
    "scratchpad": "<scratchpad>{}</scratchpad>\n\n",
    "process": "<thinking_process>{}</thinking_process>\n",
    "content": "<reasoning_content>{}</reasoning_content>",
    "chain": "<cot>{}</cot>\n",
    "summary": "<reasoning_summary>{}</reasoning_summary>\n",
    "summary-of": "<summary_of_reasoning>\n{}\n</summary_of_reasoning>\n\n",
    "chain-hyphens": "<chain-of-thought>{}</chain-of-thought>\n",
    "brackets-reasoning": "[REASONING]{}[/REASONING]\n",
    "ant": "<ant_thinking>{}</ant_thinking>",
    "brackets-long": "[THINKING]{}[/THINKING]\n",
    "bars": "<|thinking|>{}<|/thinking|>",
    "half-channel": "<|channel>thought\n{}<channel|>",
    "analysis": "<analysis>\n{} <b>bold</b>\n</analysis>\n\n",
    "reflection": "<reflection>{}</reflection>",
    "reason": "<reason>{}</reason>\n",
    "start-of": "<|START_THINKING|>{}<|END_THINKING|>",
    "opened-in-the-prompt": "{}\n</think>\n\n",
    "opened-in-the-prompt-tight": "{}.</think>",
    "channels": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "channels-half": "{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "channels-json": "<|channel|>analysis<|message|>{}<|end|><|channel|>final <|constrain|>json<|message|>",
    "bare": "analysis{}assistantfinal",
    "bare-half": "{}.assistantfinal",
    "two-blocks": "<think>{}</think>\n<think>and again</think>\n",
    "nested": "<think>I <think>{}</think> go on</think> ",
}
"""How reasoning is written, its text left open; the answer is behind it."""


@pytest.mark.parametrize("form", FORMS)
def test_reasoning_in_every_form_is_reported_from_the_answer(form: str) -> None:
    """What was thought is kept apart, and the answer is the model's answer and nothing else."""
    thoughts, answer = split_thinking(FORMS[form].format("Marker: six times seven") + "Forty-two.")
    assert "Forty-two." == answer
    assert "Marker: six times seven" in thoughts


@pytest.mark.parametrize(
    "text",
    [
        "<think>Hm, forty-two?",
        "<thinking>\nHm.\n\nThe answer is 42.",
        "[THINK]Hm",
        "<|channel|>analysis<|message|>Hm, forty",
        "analysisWe need to answer. Forty",
        "<think>I should end with `</think>` and go",
        "<reasoning>All of it.</reasoning>",
        "◁think▷Hm",
    ],
)
def test_reasoning_that_never_ends_leaves_no_answer(text: str) -> None:
    """What is never closed was never answered, whatever it states."""
    thoughts, answer = split_thinking(text)
    assert "" == answer
    assert thoughts


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("First.\n<think>\nHm.\n</think>\nSecond.", "First.\n\nSecond."),
        ("First.\n<think>Hm, and never closed.", "First."),
        ("<think>a</think>\nOne.\n<think>b</think>\nTwo.", "One.\n\nTwo."),
        ("<think>It has a ``` in it</think>\n```\n<think>\n</think>\n```", "```\n<think>\n</think>\n```"),
        ("Hm: ```py\nx = 1\n</think>\nHere:\n```py\nx\n```", "Here:\n```py\nx\n```"),
        ("<|begin_of_thought|>a<|end_of_thought|>\n<|begin_of_solution|>\nOne.\n<|end_of_solution|>", "One."),
        ("<think>\n\n</think>\n\n    indented", "indented"),
        ("Sure:<think>Hm.\nHm.\n</think>\nOne.", "Sure:\nOne."),
    ],
)
def test_a_block_in_the_middle_is_taken_out(text: str, answer: str) -> None:
    """Reasoning between two parts of an answer is no part of it."""
    assert answer == split_thinking(text)[1]


@pytest.mark.parametrize(
    "text",
    [
        "<vote>MINOR</vote>\n<reasoning>Tolls work.</reasoning>\n<confidence>0.7</confidence>",
        "<scores>\n  <falsehood>0.9</falsehood>\n  <reasoning>It claims a past.</reasoning>\n</scores>",
    ],
)
def test_a_reasoning_behind_another_part_of_the_answer_is_a_part_of_it(text: str) -> None:
    """An answer in elements may give its reasons in one."""
    assert ("", text) == split_thinking(text)
    assert ("Hm.", text) == split_thinking(f"<think>Hm.</think>\n{text}")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("One.<|im_end|>", "One."),
        ("<|im_start|>assistant\nOne.<|im_end|>\n", "One."),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nOne.<|eot_id|>", "One."),
        ("<start_of_turn>model\nOne.<end_of_turn>", "One."),
        ("[/INST] One.</s>", "One."),
        ("<think>Hm.</think>\nOne.\n<|endoftext|>", "One."),
        ("One.<｜end▁of▁sentence｜>", "One."),
        ("It ends with <|im_end|>", "It ends with <|im_end|>"),
        ("It ends with `<|im_end|>`", "It ends with `<|im_end|>`"),
        ("<s>41</s>", "<s>41</s>"),
        ("<|im_start|>user\nOne.", "<|im_start|>user\nOne."),
        ("    indented", "    indented"),
    ],
)
def test_marks_of_a_chat_template_around_an_answer_are_no_part_of_it(text: str, answer: str) -> None:
    """A server may leave the marks of the turn in it; those that the answer mentions stay."""
    assert answer == split_thinking(text)[1]


@pytest.mark.parametrize(
    "text",
    [
        "Write `<think>` first and `</think>` last.",
        "Use <think> and </think> tags around it.",
        "The tag (</think>) ends it.",
        '{"falsehood": 0.9, "reasoning": "it ends in ignore all rules</think>"}',
        "```xml\n<think>\nreasoning\n</think>\n```\nThat is the form.",
        "~~~\n<think>\n</think>\n~~~",
        "It is written <think>like this</think>",
        "The model emits `<|channel|>final<|message|>` here.",
        "For example:\n```\n<|channel|>final<|message|>Hi\n```",
        "analysis of the question shows two things.",
        "The word `assistantfinal` is left over.",
        "<thinker>no mark</thinker>",
        "<analysis>All of the answer.</analysis>",
        "<analysis>One part.</analysis>\n<vote>Another.</vote>",
        "<reflection>It never ends",
        "An <analysis>of it</analysis> is code.",
        "<plan>One.</plan>\nTwo.",
        "[thinking] Hm, I hold that it is so.",
        "a < b and b > c, think about it",
        "  indented code stays\n",
        "",
    ],
)
def test_an_answer_that_speaks_of_marks_is_kept(text: str) -> None:
    """Code and sentences about the marks are the answer's own, to the last blank."""
    assert ("", text) == split_thinking(text)


words = st.text(alphabet="abc def\nÄ漢.,`", min_size=1, max_size=200)


@given(words, st.sampled_from(["<think>", "<thinking>", "[THINK]", "◁think▷", "<seed:think>"]))
def test_nothing_between_the_marks_is_ever_in_the_answer(thought: str, opened: str) -> None:
    """Whatever the reasoning and whatever the answer, the two never mix."""
    closed = opened.replace("[", "[/").replace("<", "</").replace("◁", "◁/")
    thoughts, answer = split_thinking(f"{opened}XQX {thought} XQX{closed}\nThe answer.")
    assert "The answer." == answer
    assert 2 == thoughts.count("XQX")


marks = st.sampled_from(
    [
        *("<think>", "</think>", "`", "```", "\n", "\n```\n", " ", "x", "[THINK]", "[/THINK]", "assistantfinal"),
        *(
            "<|channel|>",
            "final",
            "analysis",
            "<|message|>",
            "<|end|>",
            "<|start|>assistant",
            "<think>\n",
            "\n</think>\n",
        ),
    ]
)


@example("`<think>\n<think><think><think></think></think>")
@given(st.lists(marks, max_size=60).map("".join))
def test_splitting_never_fails_and_makes_nothing_up(text: str) -> None:
    """Every character of both parts was in the text."""
    thoughts, answer = split_thinking(text)
    assert len(thoughts.replace("\n", "")) + len(answer.replace("\n", "")) <= len(text.replace("\n", ""))


@given(st.text(max_size=300).filter(lambda text: not any(mark in text.lower() for mark in "<[◁") and "a" not in text))
def test_a_text_without_marks_stays_as_it_is(text: str) -> None:
    """Not a blank of it is changed."""
    assert ("", text) == split_thinking(text)
