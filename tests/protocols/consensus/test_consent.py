"""ACCEPT in every dress, the sentences beside it, and what a reply has in common with a draft."""

import pytest

from protocols.consensus.replies.acceptance import Consent, consent, undressed
from protocols.consensus.replies.sentences import (
    Compared,
    folded,
    has_full_marks,
    is_all_praise,
    is_opposed,
    is_praise,
    is_rating,
    normalised,
    sentences,
    words,
)

TEXT = "The city of Bern is the federal city of Switzerland, and it has about 134,000 inhabitants today."
DRAFT = Compared(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        *("ACCEPT", "accept", "ACCEPT.", "**ACCEPT**", '"ACCEPT"', "[ACCEPT]", "1. ACCEPT", "✅ ACCEPT"),
        *("Verdict: ACCEPT", "```\nACCEPT\n```", "<answer>ACCEPT</answer>", '{"verdict": "ACCEPT"}', "\\boxed{ACCEPT}"),
    ],
)
def test_the_word_is_undressed(text: str) -> None:
    """Emphasis, quotation marks, brackets, labels, tags, blocks, boxes and one key of JSON are dress."""
    assert ("accept", "word") == (undressed(text), consent(text, DRAFT))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ACCEPT. The response is accurate and complete.", "word_and_remark"),
        ("ACCEPT\n\nNo errors were found.", "word_and_remark"),
        ("The response is accurate and complete.\n\nACCEPT", "word_and_remark"),
        (f"ACCEPT\n\n{TEXT}", "word_and_remark"),
        ("接受", "translated"),
        ("Ich akzeptiere", "translated"),
    ],
)
def test_praise_the_draft_and_other_languages_accept_too(text: str, expected: Consent) -> None:
    """What is beside the word is praise or the draft itself; in other languages the word is alone."""
    assert expected == consent(text, DRAFT)


@pytest.mark.parametrize(
    "text",
    [
        *("ACCEPT, but the date is wrong.", "ACCEPT if the date is added.", "I cannot ACCEPT this.", "ACCEPTABLE"),
        *("~~ACCEPT~~", "<s>ACCEPT</s>", "ACCEPT?", "\u0410CCEPT", "", "Bern has 140,000 inhabitants."),
        "The response is wrong about the date.\n\nACCEPT",
    ],
)
def test_a_condition_or_a_fault_is_no_consent(text: str) -> None:
    """Neither are a word struck out, a question, a longer word, or letters that merely look alike."""
    assert consent(text, DRAFT) is None


def test_a_translated_word_does_not_accept_a_draft_that_it_could_correct() -> None:
    """For a draft of one word it may be another answer."""
    assert consent("接受", Compared("Yes.")) is None


@pytest.mark.parametrize(
    ("sentence", "praises", "opposes"),
    [
        ("The response is accurate and complete.", True, False),
        ("No errors were found.", True, False),
        ("Is it accurate?", False, False),
        ("The date is wrong.", False, True),
        ("It is good, but short.", False, True),
        ("Bern is large.", False, False),
    ],
)
def test_praise_and_objections(sentence: str, praises: bool, opposes: bool) -> None:
    """A fault that is denied is praise; a question and a statement of another kind are neither."""
    assert (praises, opposes) == (is_praise(normalised(sentence)), is_opposed(sentence))


def test_all_of_a_text_must_be_praise() -> None:
    """One sentence of another kind is enough, and a blank text praises nothing."""
    assert is_all_praise("It is correct. No errors were found.")
    assert not is_all_praise("It is correct. Bern is large.")
    assert not is_all_praise("")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the response is accurate and complete.", True),
        ("the assistant's answer names a wrong date.", True),
        ("it has about 134,000 inhabitants today.", False),
        ("bern is old.", False),
    ],
)
def test_a_sentence_is_about_the_draft_or_of_it(sentence: str, expected: bool) -> None:
    """What is in the draft, or could, is no remark on it."""
    assert expected == DRAFT.is_about(sentence)


def test_what_a_text_shares_with_the_draft() -> None:
    """The share of its different words, and the length."""
    assert (1 / 3, 1 / 3) == DRAFT.shares("The city of Bern is large")
    assert (1.0, 1.0) == DRAFT.shares(TEXT)
    assert (18, "the") == (DRAFT.length, DRAFT.first_word)


@pytest.mark.parametrize(
    ("text", "expected"), [(f"**{TEXT}**", True), (TEXT.replace(" ", "  "), True), (TEXT[:-7], False), ("x", False)]
)
def test_the_draft_is_known_again(text: str, expected: bool) -> None:
    """Blanks and emphasis make no other text of it, a missing word does."""
    assert expected == DRAFT.is_same(text)


def test_a_phrase_is_held_anywhere() -> None:
    """As it is spoken, whatever is around it."""
    assert (True, False) == (DRAFT.holds("federal city"), DRAFT.holds("capital city"))


def test_a_text_is_split_into_sentences_as_they_are_answered() -> None:
    """By the marks of several scripts and the ends of lines."""
    assert ["one.", "two!", "three?", "four", "five。", "六。"] == sentences("One. Two! Three? Four\n**Five。**六。")


def test_only_the_ends_of_a_long_text_are_looked_at() -> None:
    """Remarks are there, and time is bounded."""
    found = sentences("Beginning. " + "middle of nowhere " * 2000 + ". End.")
    assert ("beginning.", "end.") == (found[0], found[-1])
    assert sum(map(len, found)) < 20_000


def test_words_of_scripts_without_blanks_are_their_characters() -> None:
    """Numbers are split at their signs."""
    assert ["bern’s", "134", "000", "日", "本"] == list(words("Bern’s 134,000 日本"))


def test_a_text_is_folded_for_looking_at() -> None:
    """Wide letters are plain, what is invisible is gone, and there is one kind of line end."""
    assert "AB\nC\nD" == folded("Ａ\u200bB\r\nC\u2028D")
    assert "hello world" == normalised("  **Hello**\n  World  ")


@pytest.mark.parametrize(("text", "expected"), [("Overall: 10/10", True), ("Overall 7/10", False), ("Good.", False)])
def test_full_marks(text: str, expected: bool) -> None:
    """Only the best marks say that nothing is left to correct."""
    assert expected == has_full_marks(text)


def test_a_statement_with_a_number_is_no_rating() -> None:
    """Marks are of a criterion."""
    assert not is_rating("bern has 9 bridges")
