"""Final answers: where they are found, in which form, and where nothing is guessed at."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from protocols.answer_text import normalised
from protocols.answers import AnswerForm, AnswerKind, read_answer, reading
from protocols.final_answer_prompt import ENDINGS, ending

LETTERS = AnswerForm(kind="choice", choices=("A", "B", "C", "D"))
MOODS = AnswerForm(kind="choice", choices=("positive", "negative", "very negative"))
NUMBER = AnswerForm(kind="number")
YES_NO = AnswerForm(kind="yes_no")
EXACT = AnswerForm(kind="exact")
CONTAINS = AnswerForm(kind="contains")
FREE = AnswerForm()

FORMS = (LETTERS, MOODS, NUMBER, YES_NO, EXACT, CONTAINS, FREE)


def needs(form: AnswerForm) -> dict[str, JsonValue]:
    """Return what a reader of final answers needs."""
    return {"form": form.model_dump(mode="json")}


_PEER = '<answer name="Answer 1" nonce="0a1b">\nFINAL ANSWER: B\n</answer nonce="0a1b">'

replies = st.lists(
    st.one_of(
        st.text(),
        st.sampled_from(
            [
                *(
                    "FINAL ANSWER:",
                    "\n",
                    "**",
                    "final answer：",
                    " A ",
                    "B.",
                    "yes",
                    "No,",
                    "1,234.5",
                    "−7",
                    "= ",
                    "> ",
                ),
                *("\\boxed{", "}", "<think>", "</think>", '"', _PEER, "<answer nonce=", "</answer>", "very negative"),
                *("\\frac{1}{3}", "1e999", "9" * 80, "\u0660\u0661", "\ud800", "\0", "Answer: C", "10^", "x 10^60"),
            ]
        ),
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("FINAL ANSWER: B", "B"),
        ("Words.\n**Final Answer:** (c) Paris", "C"),
        ("## Final answer\n\n**B**", "B"),
        ("FINAL ANSWER： d.", "D"),
        ("final_answer: [A]", "A"),
        ("Therefore, the final answer: Option B", "B"),
        ("FINAL ANSWER: <B>", "B"),
        ("FINAL ANSWER: B, because A is wrong", "B"),
        ("FINAL ANSWER: B - the second", "B"),
        ("FINAL ANSWER: A) a man", "A"),
        ("FINAL ANSWER: $\\boxed{\\text{D}}$", "D"),
        ("FINAL ANSWER: B\nThat is too large.\nFINAL ANSWER: C", "C"),
        ("FINAL ANSWER: your choice\nFINAL ANSWER: C", "C"),
        ("FINAL ANSWER: C\nFINAL ANSWER: C", "C"),
        ("FINAL ANSWER: ✅ C", "C"),
        ("~~FINAL ANSWER: B~~\nFINAL ANSWER: C", "C"),
        ("FINAL ANSWER: ~~B~~ C", "C"),
        ("I choose B. No, I choose C.", "C"),
        ("I choose B. But D cannot be, so I choose C.", "C"),
        ("<think>FINAL ANSWER: B</think>\nFINAL ANSWER: C", "C"),
        ("Hence \\boxed{C}", "C"),
        ("Words.\n\n(D)", "D"),
        ("Answer: D", "D"),
    ],
)
def test_a_choice_is_found(said: str, answer: str) -> None:
    """The last header counts, in any dress; without one a choice alone on a line or in a box."""
    assert answer == read_answer(said, LETTERS)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "FINAL ANSWER:",
        "FINAL ANSWER: A or B",
        "FINAL ANSWER: A/B",
        "FINAL ANSWER: B, C",
        "FINAL ANSWER: A man called Bob",
        "FINAL ANSWER: E",
        "FINAL ANSWER: none of them",
        "B\nC",
        "I like B best.",
        "FINAL ANSWER: B\nFINAL ANSWER: I cannot say",
        "FINAL ANSWER: B\n\nFINAL ANSWER: C",
        "I choose A. I choose B.",
        "The answer is A.\nThe answer is B.",
        "FINAL ANSWER: I choose A. I choose B.",
        "FINAL ANSWER: ❌ A",
        "FINAL ANSWER: A ✗",
        "FINAL ANSWER: ~~A~~",
        "Were it raining, I would choose A.",
    ],
)
def test_an_unclear_choice_abstains(said: str) -> None:
    """Two choices, an article, prose, a crossed one: none; a last header without one takes an earlier one back."""
    assert read_answer(said, LETTERS) is None


@pytest.mark.parametrize("said", ['It says "FINAL ANSWER: B".', "> FINAL ANSWER: B", _PEER, f"Look:\n{_PEER}\nWrong."])
@pytest.mark.parametrize("form", [LETTERS, EXACT, FREE], ids=lambda form: form.kind)
def test_a_quoted_header_is_no_answer(said: str, form: AnswerForm) -> None:
    """A quotation in a reply, of a peer or another, is not its answer."""
    assert read_answer(said, form) is None


def test_an_answer_after_a_quotation_counts() -> None:
    """One that quotes a peer and then answers is read by the own answer."""
    assert "C" == read_answer(f"{_PEER}\nThat is wrong.\nFINAL ANSWER: C", LETTERS)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("FINAL ANSWER: Very negative.", "very negative"),
        ("FINAL ANSWER: negative overall", "negative"),
        ("positively", None),
        ("FINAL ANSWER: positive-leaning", None),
        ("Wait, the last line is ironic.\n\n**Negative**", "negative"),
        ("POSITIVE", "positive"),
    ],
)
def test_words_are_choices_too(said: str, answer: str | None) -> None:
    """The longest choice that fits is meant, spelled as the form spells it; a longer word is another word."""
    assert answer == read_answer(said, MOODS)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("FINAL ANSWER: 1,234.5 km", "1234.5"),
        ("FINAL ANSWER: 3 + 4 = 7", "7"),
        ("FINAL ANSWER: 42 (since 40 + 2)", "42"),
        ("FINAL ANSWER: $1,200.00", "1200"),
        ("FINAL ANSWER: \\boxed{\\frac{3}{4}}", "0.75"),
        ("FINAL ANSWER: 1/0", None),
        ("It is 5, or rather 6 apples.", "6"),
        ("\\boxed{17} after 3 steps", "17"),
        ("\\boxed{42} or \\boxed{43}", None),
        ("\\boxed{42}. Wait, that's wrong: the answer is 43.", None),
        ("FINAL ANSWER: 300 km from A to B", "300"),
        ("So the maximum distance between the towns is 45 km.", "45"),
        ("So the area is 2.1 units squared.", "2.1"),
        ("FINAL ANSWER: 5 squared", None),
        ("The text contains the instruction: FINAL ANSWER: 9\nI ignore it.", None),
        ("FINAL ANSWER: 12\n(I ignore air resistance.)", "12"),
        ("Now, let's subtract the leftover $15 from the total.", None),
        ("अंतिम उत्तर: ४२", "42"),
        ("الإجابة النهائية: ٤٢ مليون", "42000000"),
        ("✅ FINAL ANSWER:\r\n\u200e42<|im_end|>", "42"),
        ("I cannot say.", None),
        ("FINAL ANSWER: unknown", None),
        ("FINAL ANSWER: 2.30 pm", None),
        ("FINAL ANSWER: 3. Mai 2024", None),
        ("FINAL ANSWER: 14.30 Uhr", None),
        ("FINAL ANSWER: 153.25 pm", "153.25"),
        ("FINAL ANSWER: 5 p.m.", "5"),
        ("FINAL ANSWER: 3h20", None),
        ("FINAL ANSWER: x=2,y=3", None),
        ("FINAL ANSWER: f(2,3)=6", "6"),
        ("FINAL ANSWER: 42 ❌", None),
        ("FINAL ANSWER: ~~41~~ 42", "42"),
        ("FINAL ANSWER: 15 [1]", "15"),
        ("FINAL ANSWER: 5 [1]", "5"),
        ("FINAL ANSWER: 15 [^1]", "15"),
        ("FINAL ANSWER: 15【3:0†source】", "15"),
        ("FINAL ANSWER: 15 ([nasa.gov](https://nasa.gov/a))", "15"),
        ("The answer is 15 [1].", "15"),
        ("FINAL ANSWER: passage [2]", "2"),
        ("FINAL ANSWER: [0, 1]", None),
    ],
)
def test_a_number_is_found(said: str, answer: str | None) -> None:
    """Under the header the first number, after an equals sign the result; without one a box, or the last number."""
    assert answer == read_answer(said, NUMBER)


@pytest.mark.parametrize(
    "said",
    [
        *(
            "FINAL ANSWER: Option {} – Saturn",
            "FINAL ANSWER: Option {} 🎯",
            "FINAL ANSWER: option {} because it is big",
        ),
        *("FINAL ANSWER: answer {}*", "I choose option {} because it is big.", "A resposta é {}", "La risposta è {}"),
    ],
)
@pytest.mark.parametrize("choices", [("A", "B", "C", "D"), ("a", "b", "c", "d")])
def test_every_label_is_read_alike(said: str, choices: tuple[str, ...]) -> None:
    """A label that is an article too is read wherever the others are, so that no place of a choice is favoured."""
    form = AnswerForm(kind="choice", choices=choices)
    assert choices == tuple(read_answer(said.format(choice), form) for choice in choices)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("FINAL ANSWER: Yes", "yes"),
        ("FINAL ANSWER: **No**", "no"),
        ("FINAL ANSWER: No, because", "no"),
        ("FINAL ANSWER: true", "yes"),
        ("No. It is not.", "no"),
        ("I weigh it.\n\nYes", "yes"),
        ("FINAL ANSWER: no idea", None),
        ("FINAL ANSWER: not sure", None),
        ("Yes, I think.\n\nno", None),
        ("Yesterday.", None),
        ("FINAL ANSWER: ❌ Yes", None),
        ("FINAL ANSWER: ❌ No", "no"),
        ("FINAL ANSWER: ~~Yes~~ No", "no"),
        ("FINAL ANSWER: ~~Yes~~", None),
        ("FINAL ANSWER: No — well, yes", None),
        ("The answer is yes. The answer is no.", None),
        ("The answer is yes. Actually, the answer is no.", "no"),
        ("FINAL ANSWER: yes 60%, no 40%", None),
    ],
)
def test_yes_or_no(said: str, answer: str | None) -> None:
    """Yes and no are read where they are clear; contradictions and near words abstain."""
    assert answer == read_answer(said, YES_NO)


def test_exact_never_guesses() -> None:
    """Without a header there is no exact answer, however short the reply; with one its line without decoration."""
    assert read_answer("Paris", EXACT) is None
    assert "Paris" == read_answer('FINAL ANSWER: **"Paris"**.\nI am sure.', EXACT)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("FINAL ANSWER: Paris</s>", "Paris"),
        ("FINAL ANSWER: <answer>Paris</answer>", "Paris"),
        ("FINAL ANSWER:\n\n```text\nParis\n```", "Paris"),
        ("FINAL ANSWER:\n- Paris", "Paris"),
        ("**FINAL ANSWER:**\n\n• Paris\n\nIt is the capital.", "Paris"),
        ("FINAL ANSWER:\n* Paris\n* Lyon", "* Paris"),
        ("FINAL ANSWER:\n- 5", "- 5"),
        ("FINAL ANSWER: - sin(x)", "- sin(x)"),
        ("FINAL ANSWER: Paris\n\nWait, actually London.", None),
        ("FINAL ANSWER: the answer", None),
        ("FINAL ANSWER: ✅ Paris", "Paris"),
        ("FINAL ANSWER: Paris ✔️", "Paris"),
        ("FINAL ANSWER: ✅", "✅"),
        ("FINAL ANSWER: Paris【3†source】", "Paris"),
        ("FINAL ANSWER: a[1]", "a[1]"),
        ("FINAL ANSWER: Paris【3:0†source】", "Paris"),
        ("FINAL ANSWER: Paris \ue200cite\ue202turn0search0\ue201", "Paris"),
        ("FINAL ANSWER: Paris [1]", "Paris"),
        ("FINAL ANSWER: **Paris** [1][2].", "Paris"),
        ("FINAL ANSWER: Paris [^1]", "Paris"),
        ("FINAL ANSWER: Paris ([wiki](https://w.org/a_(b)))", "Paris"),
        ("FINAL ANSWER: [Paris](https://w.org)", "Paris"),
        ("FINAL ANSWER: [0, 1]", "[0, 1]"),
        ("FINAL ANSWER: x in [1]", "x in [1]"),
        ("FINAL ANSWER: f(x)[1]", "f(x)[1]"),
        ("FINAL ANSWER: a[^1]", "a[^1]"),
        ("FINAL ANSWER: f(x)", "f(x)"),
    ],
)
def test_an_exact_answer_is_its_words(said: str, answer: str | None) -> None:
    """Marks of a model's format are no part of it; one that is taken back and the example of the form are none."""
    assert answer == read_answer(said, EXACT)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (r"$\boxed{\sqrt{2}}$", r"\sqrt{2}"),
        (r"\(\frac{1}{2}\)", r"\frac{1}{2}"),
        ("**f(x)**.", "f(x)"),
        ("(x+1)(x-1)", "(x+1)(x-1)"),
        ("[0, 1)", "[0, 1)"),
        ("(Paris)", "Paris"),
        ("B)", "B"),
        ("__init__", "__init__"),
        ("**`__init__`**", "__init__"),
        ("__Paris__", "Paris"),
        ("**kwargs", "**kwargs"),
        ("*a* and *b*", "*a* and *b*"),
        ("Vec<T>", "Vec<T>"),
        ('print("hi")', 'print("hi")'),
        ("$100", "$100"),
        ("< 5", "< 5"),
    ],
)
def test_marks_that_belong_to_an_answer_stay(said: str, answer: str) -> None:
    """Decoration goes where it encloses the whole answer or strayed to one end; what encloses a part of it stays."""
    assert answer == read_answer(f"FINAL ANSWER: {said}", EXACT)


@pytest.mark.parametrize(
    "said",
    ["**FINAL ANSWER: Paris**", "**FINAL ANSWER:** Paris", "**FINAL ANSWER:** **Paris**", "_Final answer: Paris_"],
)
def test_the_emphasis_of_a_header_is_no_part_of_the_answer(said: str) -> None:
    """A mark that opens before the header and closes behind the answer is the header's."""
    assert "Paris" == read_answer(said, EXACT)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("(0, 1)", "[0, 1]"),
        (".5", "5"),
        ("__init__", "init"),
        ("<=", "="),
        ("10²", "102"),
        ("x⁻¹", "x1"),
        ("1½", "11/2"),
    ],
)
def test_texts_that_differ_in_marks_of_their_own_are_compared_as_different(said: str, other: str) -> None:
    """An interval is open or closed, a point before a digit is a decimal one, and raised digits are a power."""
    assert normalised(said) != normalised(other)


def test_contains_is_looked_for_in_everything() -> None:
    """Without a header the whole text is the answer, because something is only looked for in it."""
    assert "It is Paris, of course" == read_answer("It is\nParis, of course.", CONTAINS)


@pytest.mark.parametrize("said", ["?", "!", "??", "\ud800", "**?**", "Your answer."])
def test_a_text_without_an_answer_is_none_with_and_without_a_header(said: str) -> None:
    """Marks alone, and the words with which an answer is asked for, are asked for again wherever they are."""
    assert (None, None) == (read_answer(said, CONTAINS), read_answer(f"FINAL ANSWER: {said}", CONTAINS))


def test_an_open_answer_may_have_several_lines() -> None:
    """Everything under the header is the open answer; without a header there is none."""
    assert "It scatters. More in blue" == read_answer("So.\nFINAL ANSWER: It scatters.\nMore in blue.", FREE)
    assert read_answer("It scatters.", FREE) is None


@given(replies, st.sampled_from(FORMS))
@example("?", CONTAINS)
def test_reading_never_raises_and_is_sure_of_itself(said: str, form: AnswerForm) -> None:
    """Whatever a model writes is read or abstains, and what was read is read the same way again."""
    answer = read_answer(said, form)

    assert answer is None or answer == read_answer(f"FINAL ANSWER: {answer}", form)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.kind)
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "The answer is ",
            "the answer is B or ",
            "I choose (",
            "not ",
            "B, ",
            "is correct ",
            "A is ",
            "so yes ",
            "x = 3 ",
        ),
        *("FINAL ANSWER: ", '<answer nonce="1">', "\\boxed{", "1,234", "> x\n", "A\n", "**", "final answer\n", "{"),
    ],
)
def test_reading_takes_time_in_proportion(form: AnswerForm, piece: str) -> None:
    """A reply of 25,000 characters is read in a moment, whatever it repeats."""
    text, started = piece * (25_000 // len(piece)), time.process_time()
    reading(text, needs(form))

    assert time.process_time() - started < 2


def test_beyond_a_length_a_reply_takes_no_more_time() -> None:
    """Of a million characters, an answer at the end is found, and they are not all searched."""
    started = time.process_time()
    found = reading("A\n" * 500_000 + "FINAL ANSWER: B", needs(LETTERS))

    assert found.answer == "B"
    assert time.process_time() - started < 5


PLANTED = st.sampled_from(
    [
        *(
            "FINAL ANSWER: B",
            "The correct answer is B.",
            "\\boxed{B}",
            "B",
            "**B) Paris**",
            "Answer: B",
            "B is correct.",
        ),
        *("FINAL ANSWER: 7", "The answer is 7.", "\\boxed{7}", "So it is 7."),
        *("FINAL ANSWER: yes", "Yes.", "yes", "The answer is yes."),
    ]
)
"""Answers that are in what a model was shown."""

WRITTEN = {LETTERS: "C", NUMBER: "12", YES_NO: "no"}


def _quoted(planted: str, way: str) -> str:
    marks = {
        "peer": '<answer name="Answer 1" nonce="0a">\n{}\n</answer nonce="0a">',
        "lines": "> {}",
        "marks": 'It says "{}"',
    }
    return marks[way].format(planted)


@given(
    st.lists(st.tuples(PLANTED, st.sampled_from(["peer", "lines"])), min_size=1, max_size=4),
    st.sampled_from(list(WRITTEN)),
    st.booleans(),
)
def test_a_planted_answer_never_counts(planted: list[tuple[str, str]], form: AnswerForm, answers: bool) -> None:
    """What a reply repeats of its question or of a peer is not its answer, whatever it looks like."""
    said = "\n".join(_quoted(*one) for one in planted)
    own = f"\nI disagree.\nFINAL ANSWER: {WRITTEN[form]}" if answers else "\nI shall think about that."

    assert (WRITTEN[form] if answers else None) == read_answer(said + own, form)


@given(PLANTED, st.sampled_from(list(WRITTEN)))
def test_a_quotation_within_a_line_never_counts(planted: str, form: AnswerForm) -> None:
    """An answer between quotation marks is another's."""
    assert WRITTEN[form] == read_answer(
        f"{_quoted(planted, 'marks')}, which is wrong.\nThe answer is {WRITTEN[form]}.", form
    )


@pytest.mark.parametrize(
    ("said", "form", "answer"),
    [
        ("**Step 1:** 212 − 38 = **174**\n\n**Step 2:** Add the", NUMBER, None),
        ("### Step 3: Conclusion\n\n**174** people", NUMBER, None),
        ("FINAL ANSWER: 18", NUMBER, None),
        ("FINAL ANSWER: Par", EXACT, None),
        ("Let me evaluate each option.\n\n**A) Saturn**: second largest, with", LETTERS, None),
        ("Yes, one might think so at first, but the", YES_NO, None),
        ("**Final answer: B**\n\nThis follows from the fir", LETTERS, "B"),
        ("FINAL ANSWER: 189\n\nTo check: 189 − ", NUMBER, "189"),
        ("The sky is blue because short", CONTAINS, "The sky is blue because short"),
    ],
)
def test_a_cut_reply_has_an_answer_only_on_a_whole_line_under_a_header(
    said: str, form: AnswerForm, answer: str | None
) -> None:
    """A step of a calculation, a first option, or half a number is no answer of a reply whose end is lost."""
    assert answer == reading(said, {**needs(form), "is_cut": True}).answer


def test_what_a_reading_is_compared_by() -> None:
    """Closed answers are compared as they are, exact ones in plain form, open ones by their words."""
    assert () == reading("FINAL ANSWER: B", needs(LETTERS)).words
    assert ("new york",) == reading("FINAL ANSWER: New  York!", needs(EXACT)).words
    assert ("the", "blue", "scatters") == reading("FINAL ANSWER: The blue scatters the blue", needs(FREE)).words


@pytest.mark.parametrize(("said", "other"), [("x² + 1", "x^2 + 1"), ("H₂O", "h2o"), ("1½", "1 1/2"), ("½", "1/2")])
def test_one_text_in_two_spellings_is_compared_as_the_same(said: str, other: str) -> None:
    """A power and a fraction are the same in one sign and in several."""
    assert normalised(said) == normalised(other)


@given(st.text())
def test_normalising_is_done_once(text: str) -> None:
    """What is in plain form already stays as it is."""
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize("choices", [(), ("A",), ("A", "a"), ("A", " ")])
def test_choices_must_differ(choices: tuple[str, ...]) -> None:
    """A choice needs two or more that can be distinguished."""
    with pytest.raises(ValidationError, match="two or more that differ"):
        AnswerForm(kind="choice", choices=choices)


def test_only_a_choice_has_choices() -> None:
    """Choices beside another kind are a mistake, and the remedy is named."""
    with pytest.raises(ValidationError, match="leave them out"):
        AnswerForm(kind="number", choices=("1", "2"))


@pytest.mark.parametrize(("kind", "scale"), [("exact", (1, 10)), ("number", (10, 1)), ("number", (1, 1))])
def test_only_a_number_has_a_scale(kind: AnswerKind, scale: tuple[float, float]) -> None:
    """A scale beside another kind, or without a width is a mistake."""
    with pytest.raises(ValidationError, match="lowest end first"):
        AnswerForm(kind=kind, scale=scale)


def test_a_number_is_asked_for_and_read_on_its_scale() -> None:
    """The question and the repeated request name the ends, and a number outside is no answer."""
    form = AnswerForm(kind="number", scale=(0, 1))
    assert "the number alone, from 0 to 1, without a unit" in ending(form)
    told = ["0.8", "4/5", "8/10", "1", "80%", "1.01", "-0.1"]
    assert [read_answer(f"FINAL ANSWER: {one}", form) for one in told] == ["0.8", "0.8", "0.8", "1", None, None, None]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.kind)
def test_every_form_is_asked_for(form: AnswerForm) -> None:
    """Each kind has words of its own, which name the header and the choices."""
    asked = ending(form)

    assert "\n\nFINAL ANSWER: " in asked
    assert all(choice in asked for choice in form.choices)


def test_an_example_of_the_form_is_no_answer() -> None:
    """A model that only repeats how the answer is asked for has not answered, where answers are closed."""
    kinds: tuple[AnswerKind, ...] = ("choice", "number", "yes_no")
    forms = [form for form in FORMS if form.kind in kinds]

    assert [None] * len(forms) == [read_answer(ENDINGS[form.kind], form) for form in forms]


@pytest.mark.parametrize(
    "said",
    [
        "It is not \\boxed{18}.",
        "The answer isn't $\\boxed{18}$.",
        "One might think \\boxed{18}, but that is wrong.",
        "\\boxed{18} is wrong.",
        "A common mistake is \\boxed{18}.",
        "If x were 3, we would get \\boxed{18}.",
    ],
)
def test_a_denied_box_is_no_answer(said: str) -> None:
    """A box is the answer unless the words beside it deny it, or only suppose it."""
    assert read_answer(said, NUMBER) is None
    assert "18" == read_answer("It is not 17 but \\boxed{18}.", NUMBER)
    assert "18" == read_answer("If it were 17, this would be odd, so it is \\boxed{18}.", NUMBER)


@given(st.integers(0, 10**6), st.sampled_from(["", "x = ", "2 + 3 = ", "The result is ", "\\Rightarrow ", "\\$"]))
def test_a_box_is_read_whole_or_not_at_all(value: int, before: str) -> None:
    """With its unit it is the answer; as a part of an expression it is none, and never another number."""
    for unit in ("", ".", " km", "\\%", "\\text{ cm}^2", " (rounded)", "^\\circ", ", since it fits"):
        assert str(value) == read_answer(f"${before}\\boxed{{{value}}}{unit}$", NUMBER)
    for sign, more in (
        ("-", ""),
        ("\\pm", ""),
        ("7", ""),
        ("", "\\pi"),
        ("", " million"),
        ("", ".5"),
        ("", "^3"),
        ("", "/2"),
    ):
        assert read_answer(f"${before}{sign}\\boxed{{{value}}}{more}$", NUMBER) is None


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("A seems right but is wrong. B.", None),
        ("FINAL ANSWER: A looks correct, but it is wrong. B.", None),
        ("The correct answer is A. This is what a naive solver would say.", None),
        ("The correct answer is A. This is what a naive solver would say. In fact it is B.", "B"),
    ],
)
def test_a_choice_that_only_seems_right_is_no_answer(said: str, answer: str | None) -> None:
    """Words that call a choice wrong, or what the careless say, take it back; one that is stated behind them counts."""
    assert answer == read_answer(said, LETTERS)


@pytest.mark.parametrize(
    "said",
    [
        *(
            "Paris\nActually, Lyon.",
            "Paris\n\nNo, Lyon.",
            "Paris. Actually, Lyon.",
            "Paris, no, Lyon",
            "Paris\n其实是里昂",
        ),
        *("Paris\nIn fact, Lyon.", "Paris\n\n**In fact it is Lyon.**", "Paris. In fact, Lyon"),
    ],
)
def test_an_exact_answer_that_is_replaced_is_no_answer(said: str) -> None:
    """A word of correction behind a text leaves open which of two is meant."""
    assert read_answer(f"FINAL ANSWER: {said}", EXACT) is None
    assert "Dr. No" == read_answer("FINAL ANSWER: Dr. No\nIt was the first of the films.", EXACT)


@pytest.mark.parametrize(
    "said",
    ["\n\nIn fact, it has been the capital since 987.", "\nIn fact the Romans called it Lutetia, a Celtic name."],
)
def test_a_sentence_that_explains_an_exact_answer_leaves_it(said: str) -> None:
    """Behind an answer, "in fact" with more than a few words explains it."""
    assert read_answer(f"FINAL ANSWER: Paris{said}", EXACT) == "Paris"


@pytest.mark.parametrize(
    "said",
    [
        "4 on a five-point scale",
        "4 out of five",
        "4 on a 5-point Likert scale",
        "4 on a scale from one to five",
        "4 auf einer fünfstufigen Skala",
        "4 sur une échelle de cinq points",
    ],
)
def test_a_grade_counts_on_the_scale_that_is_named_in_words(said: str) -> None:
    """A number of another scale than the one that was asked for is no answer, whether digits or words name its end."""
    read = [read_answer(f"FINAL ANSWER: {said}", AnswerForm(kind="number", scale=(1, end))) for end in (5, 10)]
    assert ["4", None] == read


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("If each of the 5 friends gets 3 apples, she would need \\boxed{15} apples.", "15"),
        ("If the train travels at 60 mph for 3 hours, it would cover \\boxed{180} miles.", "180"),
        ("If we subtract, we would get $50 - 5 = \\boxed{45}$.", "45"),
        ("If she had 3 apples and got 5 more, she would have \\boxed{8} apples.", "8"),
        ("If there were 12 people and each ate 2, they would eat \\boxed{24}.", "24"),
        ("If we had forgotten the tip, we would get \\boxed{18}.", None),
        ("If the question asked for minutes, it would be \\boxed{18}.", None),
        ("Had it been a square, the area would be \\boxed{18}.", None),
    ],
)
def test_a_box_is_supposed_where_its_clause_is_contrary_to_fact(said: str, answer: str | None) -> None:
    """A condition with what is given leads to the answer; one with what is not so leads to another."""
    assert answer == read_answer(said, NUMBER)


@pytest.mark.parametrize("said", ["If it were density, the answer would be {}", "Had it been density, it would be {}"])
def test_a_choice_under_what_is_not_so_is_none(said: str) -> None:
    """The same of a choice in a box, which counts where the condition is given."""
    assert read_answer(said.format("\\boxed{D}"), LETTERS) is None
    assert "B" == read_answer("If you compare the masses, the largest would be \\boxed{B}.", LETTERS)


def _of(*choices: str) -> AnswerForm:
    return AnswerForm(kind="choice", choices=choices)


TRUTH, YES_OR_NO = _of("True", "False"), _of("Yes", "No")


@pytest.mark.parametrize(
    ("form", "said", "answer"),
    [
        (TRUTH, "False ❌", "False"),
        (TRUTH, "❌ False", "False"),
        (TRUTH, "True ❌", None),
        (_of("correct", "incorrect"), "incorrect ❌", "incorrect"),
        (_of("correct", "incorrect"), "correct ❌", None),
        (_of("SUPPORTS", "REFUTES"), "REFUTES ❌", "REFUTES"),
        (_of("entailment", "contradiction"), "contradiction ❌", "contradiction"),
        (_of("safe", "unsafe"), "unsafe 🚫", "unsafe"),
        (_of("safe", "unsafe"), "safe 🚫", None),
        (YES_OR_NO, "❌ No", "No"),
        (YES_OR_NO, "❌ Yes", None),
        (LETTERS, "B (not A ❌)", "B"),
        (NUMBER, "42 (not 41 ❌)", "42"),
        (YES_NO, "Yes (not No ❌)", "yes"),
        (LETTERS, "✓ B", "B"),
        (LETTERS, "👉 B", "B"),
        (LETTERS, "✔️ B", "B"),
    ],
)
def test_a_cross_is_the_sign_of_a_negative_verdict(form: AnswerForm, said: str, answer: str | None) -> None:
    """It crosses out what it is beside, unless that is a no itself, or another option that is named as wrong."""
    assert answer == read_answer(f"FINAL ANSWER: {said}", form)


@pytest.mark.parametrize(
    ("form", "said", "answer"),
    [
        *((LETTERS, said, "B") for said in ("✓ B", "👉 B", "✔️ B", "✅ **B**", "I weigh it.\n\n✅ **B**", "✅ B\n❌ A")),
        *((form, "**Yes** ✅", answer) for form, answer in ((YES_OR_NO, "Yes"), (YES_NO, "yes"))),
        *((form, "❌ No", answer) for form, answer in ((YES_OR_NO, "No"), (YES_NO, "no"))),
        (YES_NO, "❌ No, it is not so.", "no"),
        (YES_NO, "✅ Yes, it is so.", "yes"),
        (TRUTH, "❌ False", "False"),
        (TRUTH, "False ❌", "False"),
        *((form, said, None) for form in (YES_OR_NO, YES_NO) for said in ("❌ Yes", "Yes ❌", "✅ Yes\n✅ No")),
        *((LETTERS, said, None) for said in ("❌ B", "B ❌", "✅ A\n✅ B")),
    ],
)
def test_a_mark_beside_an_answer_alone_on_its_line(form: AnswerForm, said: str, answer: str | None) -> None:
    """A check mark is no part of it, and a cross is none of a no."""
    assert answer == read_answer(said, form)


@pytest.mark.parametrize(
    ("form", "said", "answer"),
    [
        (NUMBER, "Since 12 people were there at the start and 3 joined, the answer is 15.", "15"),
        (NUMBER, "After he spent 5 of the 20 dollars he had he was left with some, and the answer is 15.", "15"),
        (LETTERS, "The two candidates were there from the start, and the answer is B.", "B"),
        (LETTERS, "Had it been density, the answer would be D.", None),
        (LETTERS, "For mass it is clear; were it density, the answer would be D.", None),
        (LETTERS, "And had it been density, the answer would be D.", None),
    ],
)
def test_a_verb_before_its_subject_supposes_at_the_start_of_a_clause(
    form: AnswerForm, said: str, answer: str | None
) -> None:
    """Elsewhere "were there" and "had he" are words of two clauses."""
    assert answer == read_answer(said, form)


@pytest.mark.parametrize(
    ("form", "said", "answer"),
    [
        (NUMBER, "The answer is 1250 cents. The final answer is 12.50 dollars.", "12.5"),
        (LETTERS, "The question asks for mass; for density the answer would be D. The answer is B.", "B"),
        (LETTERS, "The answer is A. The correct answer is B.", "B"),
        (LETTERS, "The correct answer is A. The correct answer is B.", None),
        (LETTERS, "The correct answer is A. The answer is B.", None),
    ],
)
def test_which_statement_beside_another_contradicts_it(form: AnswerForm, said: str, answer: str | None) -> None:
    """A final one replaces one that is not called so, and what would be is not what is."""
    assert answer == read_answer(said, form)


@pytest.mark.parametrize(
    ("said", "answer"),
    [("2.50 am Tag", "2.5"), ("5.40 a.m.u.", "5.4"), ("2.30 am", None), ("2.30 a.m.", None), ("2.30 am Morgen", None)],
)
def test_letters_that_are_no_time_of_day(said: str, answer: str | None) -> None:
    """The German "am" and a unit follow a number; a time of day is none."""
    assert answer == read_answer(f"FINAL ANSWER: {said}", NUMBER)


@pytest.mark.parametrize(
    "said",
    [
        *(
            f"The correct answer is B. {other} is D."
            for other in (
                "The wrong answer",
                "The second-best option",
                "The next best answer",
                "The closest wrong answer",
                "An incorrect answer",
                "A common answer",
                "The most tempting answer",
                "The only other plausible option",
                "My second choice",
            )
        ),
        "The correct answer is B.\n\nThe second best answer would be D.",
        "The wrong answer is D. The answer is B.",
        "The answer is B. By density the answer would be D.",
        "Die richtige Antwort ist B. Die zweitbeste Antwort ist D.",
        "Die richtige Antwort ist B. Die falsche Antwort ist D.",
        "La réponse est B. La mauvaise réponse est A.",
        "正确答案是B。错误答案是A。",
        "正解はB。不正解はA。",
        "Ответ: B. Неправильный ответ: A.",
        "FINAL ANSWER: B\n\nThe second-best answer is D.",
        "FINAL ANSWER: B\n\nBy density the answer would be D.",
    ],
)
def test_a_statement_of_another_answer_than_the_writers(said: str) -> None:
    """The words before "answer" say that it is the wrong one, or the next, and it neither wins nor contradicts."""
    assert "B" == read_answer(said, LETTERS)


@pytest.mark.parametrize(
    "said", ["The wrong answer is D.", "The only other plausible option is D.", "By symmetry, the answer would be D."]
)
def test_a_statement_with_such_words_counts_alone(said: str) -> None:
    """The question may ask for the wrong one, and without another statement it is the writer's."""
    assert "D" == read_answer(said, LETTERS)
    assert read_answer(f"FINAL ANSWER: B\n\n{said} But the answer is C.", LETTERS) is None
    assert read_answer(f"The answer is A. Scratch that. {said}", LETTERS) is None
    assert "D" == read_answer(f"B is wrong. {said}", LETTERS)


@pytest.mark.parametrize(
    ("form", "own", "other"),
    [(LETTERS, "B", "A"), (NUMBER, "5", "7"), (YES_NO, "yes", "no"), (EXACT, "Paris", "Lyon")],
    ids=lambda one: one.kind if isinstance(one, AnswerForm) else one,
)
def test_a_header_that_is_shown_as_anothers_never_wins(form: AnswerForm, own: str, other: str) -> None:
    """In a block of code or below words that announce it, it leaves an earlier one in doubt; a later one counts."""
    block = f"```\nFINAL ANSWER: {other}\n```"
    below = f"Note: the question contained the line\nFINAL ANSWER: {other}\nwhich I ignored."
    shown = (f"The planted text was:\n{block}", below, f"It said:\n```\nFINAL ANSWER:\n{other}\n```")

    assert {None} == {read_answer(f"FINAL ANSWER: {own}\n\n{one}", form) for one in shown}
    assert {own} == {read_answer(f"{one}\n\nFINAL ANSWER: {own}", form) for one in shown}


def test_a_header_in_a_block_of_code_counts_alone() -> None:
    """One that repeats it, or gives none, is no other answer."""
    block = "```\nFINAL ANSWER: B\n```"
    said = (block, f"FINAL ANSWER: B\n\n{block}", f"FINAL ANSWER: one letter\n\n{block}", f"```\nx = 1\n```\n{block}")
    assert {"B"} == {read_answer(one, LETTERS) for one in said}
    assert "A" == read_answer("FINAL ANSWER: B\n\nI weigh it anew.\n\nFINAL ANSWER: A", LETTERS)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("FINAL ANSWER: A) Saturn and B) Jupiter", None),
        ("FINAL ANSWER: (A) Saturn or (B) Jupiter", None),
        ("FINAL ANSWER: A) Simon and Garfunkel", "A"),
        ("FINAL ANSWER: D) Both (A) and (B) are right", "D"),
        ("| A | ❌ wrong |\n| B | ✅ correct |", "B"),
        ("| FINAL ANSWER: | **B** |", "B"),
        ("FINAL ANSWER: <del>A</del> B", "B"),
        ("FINAL ANSWER: <s>A</s> B", "B"),
        ("<s>FINAL ANSWER: B</s>", "B"),
        ("故选:B。", "B"),
        ("故选：B。", "B"),
        ("Je choisis B.", "B"),
        ("Je choisis B ou C.", None),
        ("Ich wähle B.", "B"),
        ("Ich wähle nicht B.", None),
        ("Ответ B.", "B"),
        ("Почему ответ B неверен?", None),
    ],
)
def test_a_choice_in_other_dress(said: str, answer: str | None) -> None:
    """Two options with their texts are no choice; a row of a table and other languages have one."""
    assert answer == read_answer(said, LETTERS)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("最终答案:3点半", None),
        ("FINAL ANSWER: 10^-3", "0.001"),
        ("FINAL ANSWER: 10^{-3} m", "0.001"),
        ("FINAL ANSWER: 2 x 10^-3", "0.002"),
        ("FINAL ANSWER: five (5)", "5"),
        ("FINAL ANSWER: twenty-five (25) apples", "25"),
        ("FINAL ANSWER: one (1) or two (2)", None),
        ("### Step 3: Conclusion\n\n**Forty-five** people came.", None),
        ("First, some thoughts.\n\nNote 1: this is a guess, so it is unsure", None),
        ("FINAL ANSWER: Step 2", "2"),
        ("Thus Step 3: 5 + 4 = 9", "9"),
    ],
)
def test_a_number_in_other_dress(said: str, answer: str | None) -> None:
    """A label of a step is no number in prose; digits behind the words of a number repeat it."""
    assert answer == read_answer(said, NUMBER)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        *((said, "yes") for said in ("Yes, no doubt.", "Yes. No exceptions.")),
        *((said, "no") for said in ("没有", "不是的", "没有。", "No, no doubt.")),
        *((said, None) for said in ("Yes, no.", "Yes. No.", "没有答案")),
    ],
)
def test_yes_or_no_in_other_words(said: str, answer: str | None) -> None:
    """A no that belongs to "no doubt" is none beside a yes, and a longer word for no is one."""
    assert answer == read_answer(f"FINAL ANSWER: {said}", YES_NO)
