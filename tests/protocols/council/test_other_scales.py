"""Numbers that are no scores from 1 to 10: of another scale, ranks and penalties, sums; and those that are."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.protocols.council.test_scores import NONCE, Given, read

FULL: Given = {"Response A": {"accuracy": 4, "clarity": 5}}
CLARITY: Given = {"Response A": {"clarity": 5}}
LINE = "Response A: accuracy 4, clarity 5"
ROW = "|---|---|---|\n| A | 4 | 5 |"


def scores(text: str, header: str = "") -> Given:
    """The scores in ``text`` under the header."""
    card = read(f"FINAL SCORES {NONCE}{header}:\n{text}").card
    assert card is not None
    return card.scores


@pytest.mark.parametrize(
    "text",
    [
        f"Scores out of 5:\n{LINE}",
        f"(scale 1-5)\n{LINE}",
        f"From 1 (poor) to 5 (excellent):\n{LINE}",
        f"All on a five-point scale.\n{LINE}",
        f"(1 = poor, 5 = excellent)\n{LINE}",
        f"(lower is better)\n{LINE}",
        f"| Answer (1-5) | accuracy | clarity |\n{ROW}",
        f"| | Accuracy /5 | Clarity /5 |\n{ROW}",
        f"| | Accuracy (1-5) | Clarity (max 20) |\n{ROW}",
        f"| | Genauigkeit (1-5) | Klarheit (1-5) |\n{ROW}",
        '{"A": {"accuracy": {"score": 4, "max": 5}, "clarity": {"score": 5, "out_of": 5}}}',
        '{"scale": "1-5", "scores": {"A": {"accuracy": 4, "clarity": 5}}}',
        '{"A": {"accuracy": {"score": 4, "scale": 5}}}',
    ],
)
def test_scores_of_another_scale_that_is_named_apart_are_none(text: str) -> None:
    """Above them, in a heading or in a field: a 5 of 5 is no 5 of 10."""
    assert not scores(text)


@pytest.mark.parametrize(
    "text",
    [
        "| Response | accuracy | clarity |\n|---|---|---|\n| A | -1 | 5 |",
        "| Response | accuracy | clarity |\n|---|---|---|\n| A | **−1** | 5 |",
        "Response A: accuracy: -1, clarity: 5",
        "Response A:\n- accuracy: -1\n- clarity: 5",
        '{"A": {"accuracy": "-1", "clarity": 5}}',
    ],
)
def test_a_number_below_zero_is_no_score(text: str) -> None:
    """Its sign is no mark around it: -1 is not 1, and the score is missing."""
    assert scores(text) == CLARITY


@pytest.mark.parametrize(
    "text",
    [
        "Response A: accuracy 4 (I would now say 6), clarity 5",
        "Response A:\n- accuracy: 4… well, 6\n- clarity: 5",
        "Response A:\n- accuracy: 4/10 → 6/10\n- clarity: 5",
        "Response A:\n- accuracy: 4/10 (actually 6/10)\n- clarity: 5",
        "| Response | accuracy | clarity |\n|---|---|---|\n| A | 4 (now 6) | 5 |",
        '{"A": {"accuracy": "4/10, or rather 6/10", "clarity": 5}}',
    ],
)
def test_a_score_that_is_corrected_behind_it_is_none(text: str) -> None:
    """Of a score and another one that takes its place on its line neither counts, and the score is missing."""
    assert scores(text) == CLARITY


@pytest.mark.parametrize("behind", ["(was 6)", "(raised from 3)", "(now that 3 errors are gone)", "/10 (2 errors)"])
def test_a_remark_on_a_score_corrects_nothing(behind: str) -> None:
    """An earlier score, and a number that is no score, leave the one that is given."""
    assert scores(f"Response A:\n- accuracy: 4 {behind}\n- clarity: 5".replace(" /", "/")) == FULL


def test_the_header_may_name_the_scale() -> None:
    """What is behind the code holds for all scores below."""
    assert [{}, FULL] == [scores(LINE, header) for header in (" (1-5)", " (1-10, 10 = best)")]


@given(code=st.text("0123456789abcdef", min_size=10, max_size=10))
@example(code="1a5c0a7d0f")  # "from 1 to 5" in some languages
def test_no_code_of_a_header_names_a_scale(code: str) -> None:
    """Every code that a council draws leaves the scores and the ranking below it as they are."""
    ballot = read(f"FINAL SCORES {code}:\n{LINE}\n\nFINAL RANKING {code}:\n1. A\n2. B\n3. C", nonce=code)
    assert ballot.card is not None
    assert (FULL, "complete", "A") == (ballot.card.scores, ballot.standing, ballot.ranking[0][-1])


def test_an_object_that_is_the_whole_reply_may_name_the_scale() -> None:
    """Its fields are looked at as those of an object under the header."""
    card = read(f'{{"code": "{NONCE}", "ranking": ["A"], "A": {{"accuracy": 4, "max": 5}}}}').card
    assert card is not None
    assert not card.scores


@pytest.mark.parametrize(
    "text",
    [
        f"Scores out of 10:\n{LINE}",
        f"On a scale from 1 (worst) to 10 (best):\n{LINE}",
        f"(1 = poor, 10 = excellent)\n{LINE}",
        f"{LINE}\nThree out of 5 sources hold.",
        f"⭐ Scores ⭐\n{LINE}",
        f"| | Accuracy (1-10) | Clarity /10 |\n{ROW}",
        f"| | Accuracy (weight 3) | Clarity (40%) |\n{ROW}",
        f"| | Accuracy (1/3) | Clarity (×2) |\n{ROW}",
        "| | Accuracy | Accuracy rank | Clarity |\n|---|---|---|---|\n| A | 4 | 1 | 5 |",
        '{"scale": "1-10", "A": {"accuracy": {"score": 4, "max": 10}, "clarity": 5}}',
        "Response A: accuracy [4], clarity [5]",
    ],
)
def test_the_scale_asked_for_weights_and_counts_change_nothing(text: str) -> None:
    """Only another scale than 10 or 100, if it is that of the scores, makes them unreadable."""
    assert FULL == scores(text)


@pytest.mark.parametrize(
    "text",
    [
        "Response A: accuracy 4★, clarity 5",
        "Response A: accuracy 1 star, clarity 5",
        "Response A: accuracy 3 + 1 = 4, clarity 5",
        "Response A: lack of accuracy 4, clarity 5",
        f"| | Accuracy rank | Clarity |\n{ROW}",
        f"| | Accuracy (lower is better) | Clarity |\n{ROW}",
        '{"A": {"accuracy_rank": 4, "clarity": 5}}',
        '{"A": {"accuracy_penalty": 4, "clarity": 5}}',
    ],
)
def test_stars_sums_ranks_and_penalties_are_no_scores(text: str) -> None:
    """That criterion alone is unread, and shown as such."""
    assert CLARITY == scores(text)


def test_ranks_for_every_criterion_are_not_read_in_the_order_of_the_criteria() -> None:
    """Headings in other words are, but these say that they have no scores below them."""
    assert not scores(f"| | Accuracy rank | Clarity rank |\n{ROW}")


@pytest.mark.parametrize(
    "scale",
    ["(sobre 5)", "（满分5分）", "(5点満点)", "(1 = mejor)", "(1 = beste Note)", "(1 = meilleur)", "(Schulnoten)"],
)
def test_another_scale_may_be_named_in_other_languages(scale: str) -> None:
    """A header that names the end of its scale, or says that 1 is the best, has no scores from 1 to 10."""
    assert {} == scores(LINE, f" {scale}")


@pytest.mark.parametrize(
    "scale", ["(sobre 10)", "（满分10分）", "(10点満点)", "(1 = peor, 10 = mejor)", "(10 = sehr gut)"]
)
def test_the_scale_asked_for_may_be_named_in_other_languages(scale: str) -> None:
    """A header that names the ends that were asked for changes nothing."""
    assert FULL == scores(LINE, f" {scale}")


@pytest.mark.parametrize(
    "below",
    [
        *("Accuracy of A should be 6.", "La exactitud de A debería ser 6.", "Die Genauigkeit von A ist eher 6."),
        *("A的准确性应为6。", "Ich nehme die Werte zurück.", "Retiro las puntuaciones."),
    ],
)
def test_scores_that_a_sentence_below_them_changes_are_none(below: str) -> None:
    """Which of two scores is meant is asked once more, in whatever language the second one is given."""
    assert {} == scores(f"{LINE}\n\n{below}")


@pytest.mark.parametrize(
    "below", ["The claim in A should be cited.", "A应补充来源。", "Die Angabe in A ist eher vage."]
)
def test_a_sentence_without_a_number_changes_no_score(below: str) -> None:
    """What an answer should have said corrects no score."""
    assert FULL == scores(f"{LINE}\n\n{below}")
