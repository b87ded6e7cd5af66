"""Closed answers under a header and without one: what follows takes an answer back, and what is no answer at all."""

import pytest

from protocols.answers import AnswerForm, read_answer
from protocols.choice_answers import choice_alone, choice_under
from protocols.number_answers import number_alone, number_under
from protocols.yes_no_answers import yes_no_alone, yes_no_under

LETTERS = ("A", "B", "C", "D")


@pytest.mark.parametrize(
    ("following", "choice"),
    [
        ("", "B"),
        ("A is wrong.", "B"),
        ("The answer is B.", "B"),
        ("The answer is C.", None),
        ("B is wrong.", None),
        ("Some may say the answer is C.", "B"),
        ("I change my answer to D.", None),
        ('It says "the answer is C".', "B"),
        ("The answer is B or C.", None),
        ("Wait, I misread the table. It should be C.", None),
        ("Wait, I misread the table. No: the answer is B.", "B"),
        ("Scratch that. C.", None),
        ("Ignore my answer.", None),
        ("C", None),
        ("The passengers wait, of course.", "B"),
        ("So A and C are wrong.", "B"),
    ],
)
def test_what_follows_a_choice(following: str, choice: str | None) -> None:
    """A certain statement of another choice takes the one under the header back."""
    assert choice == choice_under(f"B\n\n{following}", LETTERS)


@pytest.mark.parametrize(
    ("under", "choice"),
    [("disagree", "disagree"), ("strongly disagree", "strongly disagree"), ("disagree (strongly)", None)],
)
def test_a_degree_behind_a_choice_makes_another_one(under: str, choice: str | None) -> None:
    """Where "strongly disagree" is a choice too, "disagree strongly" is not "disagree", and is asked for again."""
    assert choice == choice_under(under, ("strongly disagree", "disagree", "agree", "strongly agree"))


@pytest.mark.parametrize(
    ("following", "number"),
    [
        ("", "42"),
        ("I took 3 steps.", "42"),
        ("The answer is 42.0.", "42"),
        ("The answer is 43.", None),
        ("Actually, 43.", None),
        ("If it rained, the answer would be 43.", "42"),
        ("Oops, I forgot one. So 43.", None),
        ("Edit: 43", None),
        ("Confidence: 90%", "42"),
    ],
)
def test_what_follows_a_number(following: str, number: str | None) -> None:
    """Other numbers may follow; another answer may not."""
    assert number == number_under(f"42\n\n{following}")


@pytest.mark.parametrize(
    ("following", "answer"),
    [
        ("", "yes"),
        ("No doubt remains.", "yes"),
        ("The answer is no.", None),
        ("Some say the answer is no.", "yes"),
        ("I made a mistake; it should be no.", None),
        ("No.", None),
    ],
)
def test_what_follows_yes_or_no(following: str, answer: str | None) -> None:
    """A stated no behind a yes leaves neither."""
    assert answer == yes_no_under(f"yes\n\n{following}")


@pytest.mark.parametrize(
    ("boxed", "text", "choice"),
    [
        ("B", "\\boxed{B}", "B"),
        ("\\text{(C) } 12", "\\boxed{\\text{(C) } 12}", "C"),
        ("B", "\\boxed{B}. Wait, actually, C.", None),
        ("12", "\\boxed{12}, so the answer is B.", "B"),
        (None, "Nothing.", None),
    ],
)
def test_a_box_with_a_choice(boxed: str | None, text: str, choice: str | None) -> None:
    """A box counts where it holds a choice, and a later statement takes it back."""
    assert choice == choice_alone(text, boxed, LETTERS)


@pytest.mark.parametrize(
    "given",
    [
        *("mehr als 10", "au moins 10", "más de 10", "meno di 10", "não menos de 10", "не менее 10", "10以上", "20+"),
        *(
            "5 (or possibly 6)",
            "3; 5",
            "3 and a half",
            "5 times the sum",
            "half of 50",
            "10 or fewer",
            "x ≠ 10",
            "10 if it rains",
            "60 km/h = 16.67 m/s",
            "0.5 = 50%",
        ),
    ],
)
def test_no_number_under_a_header(given: str) -> None:
    """A bound in any language, a part of a number, a condition, and two amounts in two units are none."""
    assert number_under(given) is None


@pytest.mark.parametrize(
    "given",
    [
        *(
            "A, no wait, B",
            "A. Actually, B.",
            "A -> B",
            "A < B",
            "A > C",
            "A to C",
            "A (if only one may be named)",
            "B、C",
        ),
        *("B, or, more precisely, C", "B (or, to be exact, C)", "B – genauer gesagt C", "B; plus précisément, C"),
    ],
)
def test_no_choice_under_a_header(given: str) -> None:
    """Two choices in a relation, a corrected and a conditional one are none."""
    assert choice_under(given, LETTERS) is None


@pytest.mark.parametrize(
    "text",
    [
        "不应该选B",
        "答えはBではありません。",
        "정답은 B가 아닙니다.",
        "The answer is B. No wait, C.",
        "A is correct. B is also correct.",
    ],
)
def test_a_choice_that_is_denied_or_taken_back(text: str) -> None:
    """A denial counts in every language that is read, and a choice that is taken back is none."""
    assert choice_alone(text, None, LETTERS) is None


@pytest.mark.parametrize(
    ("boxed", "number"),
    [("42", "42"), ("3 \\text{ bolts}", "3"), ("\\frac{3}{4}", "0.75"), ("x", None), ("1, 2", None)],
)
def test_a_box_with_a_number(boxed: str, number: str | None) -> None:
    """A box that holds one number is the answer; of another box nothing is made up."""
    assert number == number_alone(f"So \\boxed{{{boxed}}} after 7 steps.", boxed)


@pytest.mark.parametrize(
    "word", ["yes", "Ja", "Oui", "Sí", "Sì", "Sim", "Да", "是", "是的", "はい", "예", "네", "True", "Yep", "Y"]
)
def test_yes_in_other_languages(word: str) -> None:
    """A word for yes is yes under a header, bold or not."""
    assert ("yes", "yes") == (yes_no_under(word), yes_no_under(f"**{word}**."))


@pytest.mark.parametrize(
    "word", ["no", "Nein", "Non", "Não", "Nee", "Нет", "否", "不是", "いいえ", "아니요", "아니오", "False", "Nope", "N"]
)
def test_no_in_other_languages(word: str) -> None:
    """A word for no is no under a header, bold or not."""
    assert ("no", "no") == (yes_no_under(word), yes_no_under(f"**{word}**."))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It is true that water boils.", "yes"),
        ("The claim is incorrect.", "no"),
        ("This is not correct.", "no"),
        ("The statement is not false.", "yes"),
        ("The statement is true or false.", None),
        ("The statement is true only if it rains.", None),
        ("It is true that many believe this, but the claim is false.", None),
        ("Yes, if it rains.", None),
        ("Sim e não.", None),
        ("Yes for adults, no for children", None),
        ("No, I cannot answer this question.", None),
        ("Yes, it depends on the temperature.", "yes"),
        ("That is untrue.", "no"),
        ("Wait, 91 is 7 × 13.\n\n**No**", "no"),
        ("The answer is: mostly no.", "no"),
        ("Yes, otherwise no.", None),
    ],
)
def test_the_truth_of_what_was_asked(text: str, answer: str | None) -> None:
    """A statement is affirmed or denied in words, and a denied denial affirms it."""
    assert answer == yes_no_alone(text, None)


@pytest.mark.parametrize(
    "text",
    [
        "There are 3 apples and 4 pears.",
        "I cannot say; it may be 3.",
        "Response A's answer of 7 is not right.",
        "How many are there? Maybe 3?",
        "It takes between 3 and 5 days.",
        "It costs at least $40.",
        "The answer is unknown.",
        "Step 1: read the text.",
    ],
)
def test_a_number_in_passing_is_no_answer(text: str) -> None:
    """A number is taken from prose only where the sentence concludes with it."""
    assert number_alone(f"First, some thoughts.\n{text}", None) is None


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("[x] A\n[ ] B", "A"),
        ("[ ] A\n[x] B", "B"),
        ("FINAL ANSWER: [ ] A [x] B", "B"),
        ("FINAL ANSWER:\n- [ ] A\n- [x] B", "B"),
        ("(x) A\n( ) B", "A"),
        ("☐ A ☑ B", "B"),
        ("○ A\n● B", "B"),
        ("[x] A\n[x] B\n[ ] C", None),
        ("[ ] A\n[ ] B", None),
        ("Then f( ) is linear.\nFINAL ANSWER: B", "B"),
    ],
)
def test_of_boxes_the_ticked_one_is_the_answer(text: str, choice: str | None) -> None:
    """The text beside an empty box is not chosen, and of two ticked boxes none is."""
    assert choice == read_answer(text, AnswerForm(kind="choice", choices=LETTERS))


@pytest.mark.parametrize(
    "text", ["[x] No\n[ ] Yes", "[ ] Yes\n[x] No", "( ) Yes\n(x) No", "FINAL ANSWER: [ ] Yes [x] No"]
)
def test_of_yes_and_no_the_ticked_one_is_the_answer(text: str) -> None:
    """A tick written as a letter is no cross, and an empty box no answer."""
    assert "no" == read_answer(text, AnswerForm(kind="yes_no"))


def test_two_answers_in_two_languages_are_none() -> None:
    """Who answers twice in one language corrects it; under headers of two languages one answer is a mistake."""
    form = AnswerForm(kind="choice", choices=("A", "B", "C"))
    between = "\n\nThe light is scattered.\n\n"

    assert read_answer(f"Respuesta final: B{between}FINAL ANSWER: C", form) is None
    assert "B" == read_answer(f"Respuesta final: B{between}FINAL ANSWER: B", form)
    assert "C" == read_answer(f"Final answer: B{between}FINAL ANSWER: C", form)


@pytest.mark.parametrize("said", ["A以外", "A가 아님", "A가 아닙니다"])
def test_all_but_one_choice_is_none(said: str) -> None:
    """A word behind a choice that leaves it out makes it no answer."""
    assert read_answer(f"FINAL ANSWER: {said}", AnswerForm(kind="choice", choices=("A", "B", "C"))) is None


@pytest.mark.parametrize("said", ["Paris (confidence: 0.9)", "Paris [Zuversicht: hoch]", "Paris (置信度：90%)"])
def test_how_sure_a_writer_is_belongs_to_no_text(said: str) -> None:
    """A confidence in brackets behind an answer that is compared as a whole is left out."""
    assert "Paris" == read_answer(f"FINAL ANSWER: {said}", AnswerForm(kind="exact"))


@pytest.mark.parametrize(
    "said",
    [
        *("Oui en théorie, non en pratique", "Ja für Erwachsene, nein für Kinder", "Sí para adultos, no para niños"),
        *("Sim para adultos, não para crianças", "Да для взрослых, нет для детей", "Nein im Sommer, ja im Winter"),
    ],
)
def test_yes_for_some_and_no_for_others_is_neither(said: str) -> None:
    """An answer that is divided between cases is asked for again in every language."""
    form = AnswerForm(kind="yes_no")
    assert read_answer(f"FINAL ANSWER: {said}", form) is None
    assert "yes" == read_answer("FINAL ANSWER: Sí en general, no hay duda", form)


@pytest.mark.parametrize(
    "given", ["B, or more precisely, the mitochondrion", "B. More precisely, A is wrong.", "B, more precisely B2"]
)
def test_a_choice_that_is_explained_stays(given: str) -> None:
    """Words of precision before an explanation replace no choice."""
    assert "B" == choice_under(given, LETTERS)


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("See section 3.", None),
        ("siehe Abschnitt 4", None),
        ("See section 3. The answer is 7.", "7"),
        ("Page 14", "14"),
    ],
)
def test_a_place_to_look_at_is_no_number(said: str, number: str | None) -> None:
    """Where a reader is sent to is no answer; where the answer is a page it is."""
    assert number == number_alone(said, None)
