"""What models answer to the evaluation prompt, and how it is read (seed 004, "Decision Logic")."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from protocols.consensus.model import Curation, Draft, Evaluation
from protocols.consensus.replies import read_curation, read_draft, read_evaluation
from protocols.prompting import fence

CODE = "1f3870be27"
LONG = "Canberra has been the capital of Australia since 1913; Parliament moved there from Melbourne. " * 3
PRAISE = "Every date agrees with the sources, and every step of the argument follows from the last. " * 3

THE_WORD = [
    *("ACCEPT", "accept", "Accept", "  ACCEPT \n", "ACCEPT.", "Accept!", "ACCEPT。", "ACCEPT...", "ACCEPT…", "ACCEPT:"),
    *("**ACCEPT**", "*ACCEPT*", "__ACCEPT__", "_accept_", "~~ACCEPT~~", "**ACCEPT.**", "**ACCEPT**.", "***ACCEPT***"),
    *("# ACCEPT", "### **ACCEPT**", "## ACCEPT ##", "`ACCEPT`", "```\nACCEPT\n```", "```text\nACCEPT\n```\n"),
    *("~~~\nACCEPT\n~~~", '"ACCEPT"', "'ACCEPT.'", "“ACCEPT”", "‘ACCEPT’", "„ACCEPT“", "«ACCEPT»", "「ACCEPT」"),
    "❝ACCEPT❞",
    *("Verdict: ACCEPT", "VERDICT: accept.", "**Verdict:** ACCEPT", "**Verdict**: ACCEPT", "## Verdict: **ACCEPT**"),
    *("Answer: ACCEPT", "answer：“ACCEPT”", "Verdict:\n\nACCEPT", "**Answer:**\n```\nACCEPT\n```"),
    "```\nVerdict: ACCEPT\n```",
    *("ＡＣＣＥＰＴ", "Ａccept．", "\ufeffACCEPT", "AC\u200bCEPT\u2060", "\u202eACCEPT\u202c", "ACCEPT\ufe0f"),
    "ACCEPT\u00a0",
    *("<think>ACCEPTABLE? No…</think>ACCEPT", "<thinking>x</thinking>\n\n**ACCEPT**", "<THOUGHT>a</THOUGHT> ACCEPT"),
    *("<think>a</think><reasoning>b</reasoning>ACCEPT", "ACCEPT\n<think>was that right?</think>"),
    *("I weigh it.\n</think>\n\nACCEPT", "ACCEPT\n\n**", "ACCEPT\u2028"),
]

REMARKS = [
    "The response is correct and complete.",
    "It correctly answers the original question.",
    "No errors.",
    "No major errors or omissions.",
    "There are no factual errors, omissions, or inaccuracies.",
    "No corrections needed.",
    "No corrections are necessary; no further changes are required.",
    "Nothing is missing.",
    "There is nothing to add or correct.",
    "Nothing important is missing, and nothing needs to be changed.",
    "It does not need any changes.",
    "It doesn’t contain any errors or missing information.",
    "Complete, without omissions.",
    "It needs no correction.",
    "No critical information is missing.",
    "It does not omit any critical information.",
    "I would not change anything.",
    "There is no need for further changes.",
    "The account is error-free and lacks nothing.",
    "This is the correct answer.",
    "Let me know if you would like any changes!",
    "*All dates agree with the sources.*\n\n---",
]

PROPOSALS = [
    "However, the date should be 1945.",
    "The date is wrong.",
    "But the date.",
    "It is 1945, not 1944.",
    "Although the treaty was signed in 1945.",
    "No errors except the date.",
    "No errors; change 1944 to 1945.",
    "No major errors, but one omission.",
    "It is not without errors.",
    "The year must be 1945.",
    "Corrected version: Paris.",
    "Correction: Paris.",
    "Correct the date.",
    "Correct date: 1945.",
    "The correct year is 1945.",
    "Use 1945 instead.",
    "Add the year.",
    "Replace 1944 with 1945.",
    "1944 → 1945",
    "The source is missing.",
    "It omits the treaty.",
    "It lacks a source.",
    "It needs a source.",
    "It does not contain the important facts.",
    "It does not add the treaty.",
    "Consider a source.",
    "I suggest a source.",
    "Could be improved.",
    "A minor mistake: the year.",
    "Provided the date is fixed.",
    "If the year is 1945.",
    "Not quite.",
    "No.",
    "Wait, I cannot accept this.",
    "I reject it.",
    "The second claim is incomplete.",
    "Remove the last line.",
    "Include the year.",
    "❌",
]

OBJECTIONS = [
    *("", "  \n ", "\u200b\ufeff", "<think>ACCEPT", "<think>a</think>", "ACCEPT?", "ACCEPTED", "Accepted."),
    "**ACCEPTED**",
    *("ACCEPTABLE? No", "ACCEPTABLE? No.", "ACCEPTABLE", "ACCEPTABLE, but the date is wrong"),
    "Acceptable, but not complete.",
    *("I cannot ACCEPT", "I cannot ACCEPT.", "Not accept", "NOT ACCEPT", "Do not ACCEPT.", "I do not ACCEPT"),
    "I can't accept.",
    *("I don’t accept this response.", "I won't ACCEPT this: the date is wrong.", "Cannot accept."),
    "We do not accept it.",
    *("I cannot accept this answer because the date is wrong.", "Unacceptable.", "Not acceptable: the date."),
    "I accept.",
    *("ACCEPT, but the date is wrong", "ACCEPT - but the date is wrong", "ACCEPT: it is complete."),
    "Accept, but check it.",
    *("ACCEPT with minor corrections", "ACCEPT (the date is wrong)", "ACCEPT if the date is 1945", "ACCEPT ACCEPT"),
    "ACCEPT this",
    *("Accept: it is right.", "No accept", "REJECT", "Reject.", "REJECTED: the date is wrong"),
    "I must reject this response.",
    *("NO", "No.", "Yes", "**YES**", "Answer: NO", "Verdict: YES", "Verdict: REJECT", "**Verdict:** not accept"),
    "Verdict: wrong",
    *("Final verdict: ACCEPT", "My verdict is ACCEPT.", "[ACCEPT]", "(accept)", "- ACCEPT", "> ACCEPT", "✅ ACCEPT"),
    "1. ACCEPT",
    *("\\boxed{ACCEPT}", '{"verdict": "ACCEPT"}', "<b>ACCEPT</b>", "<answer>ACCEPT</answer>", "АССЕРТ", "AССEPT"),
    "ΑCCEPΤ",
    *("A\u0336C\u0336C\u0336E\u0336P\u0336T\u0336", "ACCÉPT is not the word, but I accept.\n\nACCEPT"),
    "REJECT\nACCEPT",
    *("The response is accurate and complete.", "This response is mostly correct.", "The response is not accurate."),
    *("It is all right.\n\n**ACCEPT**", "It is all right.\nVerdict: ACCEPT", f"{PRAISE}\n\nACCEPT"),
    f"ACCEPT: {PRAISE}",
    *(f"ACCEPT\n\n{PRAISE}", f"ACCEPTED.\n\n{PRAISE}", f"The response is accurate.\n\n{PRAISE}"),
    "ACCEPTED\n\nIt is complete.",
    *("I cannot ACCEPT.\n\nThe date is wrong.", "REJECT\n---\n", "ACCEPT, but the date is wrong.\n\nIt was 1945."),
    *(fence("ACCEPT", "response", CODE), "```\nI cannot ACCEPT.\n```", "I cannot ACCEPT.\n\nACCEPT."),
]

TEXTS = [
    *("Paris.", "It is 1945, not 1944.", "The opposite of reject is accept.", "The answer is 42.", "∞"),
    "Answer: Paris",
    *("Accept the invitation and click Join.", "Accept, then click Join.", "Accept: application/json"),
    "Accepting it is wise.",
    *("I cannot accept this gift, but thank you.", "Accepted practice is to wait."),
    "ACCEPT reads input from the console.",
    *("Acceptable daily intake: 5 mg.", "No, it is Canberra.", "Yes: since 1913.", "**No.**\n\nPluto is not a planet."),
    *("The verdict was guilty.", "The response is mediated by T cells.", "Rejection is common."),
    "I reject the premise.",
    *("iptables -A INPUT -j ACCEPT", "DROP\nREJECT\nACCEPT", "socket\nbind\nlisten\naccept", "```\nprint(1)\n```"),
    *("    indented\n  code", "Use <think>…</think> tags.", f"Corrected version:\n{LONG.strip()}"),
    "Not accepting it is wise.",
    *("---\ntitle: x\n---", "> quoted", f"{LONG}\nACCEPT or not, that is so."),
    '<answer name="x" nonce="0">\na\n</answer>',
]

WITH_TALK = [
    (
        f"ACCEPT\n\nHowever, one date is off.\n\nCorrected version:\n{LONG}",
        f"However, one date is off.\n\nCorrected version:\n{LONG}",
    ),
    (f"ACCEPT, but the date is wrong.\n\n{LONG}", LONG),
    (f"**ACCEPTABLE? No.**\r\n\r\n{LONG}", LONG),
    (f"I cannot ACCEPT.\n\n---\n\n{LONG}", LONG),
    (f"Verdict: REJECT\n\nNot accept.\n\n{LONG}", LONG),
    (f"The response is incorrect. Here is the corrected version:\n\n{LONG}", LONG),
    (f"```\nACCEPT\n```\nHowever, the date is wrong: {LONG}", f"However, the date is wrong: {LONG}"),
    ("REJECT\n\nParis.", "Paris."),
    ("I cannot ACCEPT.\nThe capital is Canberra.", "The capital is Canberra."),
    ("REJECT\n\n    indented code", "    indented code"),
]

PIECES = st.sampled_from(
    [
        *("ACCEPT", "accept", "ACCEPTED", "ACCEPTABLE", "REJECT", "Verdict:", "Answer:", "I cannot ", "not ", "No"),
        "yes",
        *(" ", "\n", "\n\n", "\r\n", "\u2028", "**", "```", "~~", "# ", "> ", '"', "”", ".", "?", ": ", ", but "),
        "---",
        *("<think>", "</think>", "</reasoning>", f'<answer name="response" nonce="{CODE}">', "</answer>", CODE),
        *("The date is wrong. ", "No errors. ", "Paris", "\u200b", "\ud800", "\x00", "\u0336", "А", LONG, PRAISE),
    ]
)
texts = st.text() | st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join)
codes = st.none() | st.just(CODE) | st.text(max_size=3) | st.just(7)


def read(text: str, nonce: JsonValue = CODE) -> Evaluation:
    """The evaluation in ``text``, asked for with marks that carry ``nonce``."""
    return read_evaluation(text, {"nonce": nonce})


@pytest.mark.parametrize("text", THE_WORD)
def test_the_word_and_nothing_but_the_word_accepts(text: str) -> None:
    """ACCEPT in any case, emphasis, quotation or label is consent."""
    assert read(text) == Evaluation(accepted=True, found_as="word")


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("first", ["ACCEPT\n\n", "**Accept.**\n", "Verdict: ACCEPT\r\n\r\n", "```\nACCEPT\n```\n"])
def test_a_closing_remark_below_the_word_changes_nothing(first: str, remark: str) -> None:
    """A short remark that proposes nothing may follow on a line of its own."""
    assert read(first + remark) == Evaluation(accepted=True, found_as="word_and_remark")


@pytest.mark.parametrize("remark", PROPOSALS)
def test_a_remark_that_proposes_a_correction_takes_the_word_back(remark: str) -> None:
    """ACCEPT with something to be set right is no consent, and the remark does not replace the draft."""
    assert read(f"ACCEPT\n\n{remark}") == Evaluation(accepted=False, found_as="objection")


@pytest.mark.parametrize(("length", "accepted"), [(200, True), (201, False)])
def test_a_closing_remark_has_at_most_200_characters(length: int, accepted: bool) -> None:
    """What is longer is not closing, and without a proposal it is no draft either."""
    evaluation = read(f"ACCEPT\n\n{PRAISE[: length - 1]}.\n")
    assert evaluation.accepted == accepted
    assert evaluation.draft is None


@pytest.mark.parametrize("text", OBJECTIONS)
def test_talk_about_the_verdict_neither_accepts_nor_replaces_the_draft(text: str) -> None:
    """A reply that offers no text leaves the draft as it was, whatever it says of it."""
    assert read(text) == Evaluation(accepted=False, found_as="objection")


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_a_correction_as_it_stands(text: str) -> None:
    """Whatever does not open with the verdict is a correction, word for word, however short."""
    assert read(text) == Evaluation(accepted=False, draft=text, found_as="correction")


@pytest.mark.parametrize(("text", "draft"), WITH_TALK)
def test_talk_above_a_text_is_left_out(text: str, draft: str) -> None:
    """The verdict never becomes part of the text under discussion."""
    assert read(text) == Evaluation(accepted=False, draft=draft.rstrip(), found_as="correction")


@pytest.mark.parametrize(
    ("text", "draft"),
    [
        (fence("Paris.", "response", CODE), "Paris."),
        (f'<answer name="response" nonce="{CODE}">\nParis.\n</answer>', "Paris."),
        (f'Here it is:\n\n<ANSWER nonce="{CODE}">\r\nParis.\n</answer nonce="{CODE}">\n', "Here it is:\n\nParis."),
        ("REJECT\n\n" + fence("  a\n  b", "response", CODE), "  a\n  b"),
        (f'Write <answer nonce="{CODE}"> there.', f'Write <answer nonce="{CODE}"> there.'),
        (fence("Paris.", "response", "0"), fence("Paris.", "response", "0")),
    ],
)
def test_marks_copied_from_the_prompt_are_left_out(text: str, draft: str) -> None:
    """Marks with the prompt's own code on lines of their own are not part of a correction."""
    assert read(text).draft == draft


@pytest.mark.parametrize("nonce", [None, "", 7, [CODE]])
def test_without_a_code_no_mark_is_touched(nonce: JsonValue) -> None:
    """A reader that is told no code leaves all marks where they are."""
    text = fence("Paris.", "response", CODE)
    assert read(text, nonce).draft == text


@pytest.mark.parametrize(
    ("text", "draft"),
    [
        ("\n\n  Plain.\n\nText.\n \n", "  Plain.\n\nText."),
        ("<think>Hm.</think> Paris.\n", "Paris."),
        ("<think>a</think>\n<reasoning>b</reasoning>\n\n    code\n", "    code"),
        ("So it goes.\n</think>\nParis.", "Paris."),
        ("<think>a</think>Use:\n</think>\nto close.", "Use:\n</think>\nto close."),
        ("Use <think>…</think> tags.", "Use <think>…</think> tags."),
        ("Write\n<think>\nhm\n</think>\nfirst.", "Write\n<think>\nhm\n</think>\nfirst."),
        ("<think>never ends", ""),
        ("broken \ud800", "broken ?"),
        ("ACCEPT", "ACCEPT"),
    ],
)
def test_a_first_answer_is_the_draft_without_its_thinking(text: str, draft: str) -> None:
    """Of an answer to the bare question only thinking before it and blank lines around it are left out."""
    assert read_draft(text, {}) == Draft(text=draft)


@pytest.mark.parametrize(
    ("text", "polished"),
    [
        ("Paris.\n", "Paris."),
        (fence("Paris.", "response", CODE), "Paris."),
        ("<think>fine</think>\n\nParis.", "Paris."),
        ("ACCEPT", None),
        ("ACCEPT\n\nNothing to polish.", None),
        ("The response is accurate and complete.", None),
        ("", None),
    ],
)
def test_a_curator_that_only_gives_a_verdict_has_polished_nothing(text: str, polished: str | None) -> None:
    """A curation is the curator's text, or nothing when it merely accepts or objects."""
    assert read_curation(text, {"nonce": CODE}) == Curation(text=polished)


@given(texts, codes)
def test_every_text_is_read(text: str, nonce: JsonValue) -> None:
    """Any reply becomes readings that survive the wire, and an evaluation whose parts agree."""
    needs: Mapping[str, JsonValue] = {"nonce": nonce}
    evaluation = read_evaluation(text, needs)
    assert Evaluation.model_validate_json(evaluation.model_dump_json()) == evaluation
    assert evaluation.accepted == (evaluation.found_as in {"word", "word_and_remark"})
    assert (evaluation.draft is not None) == (evaluation.found_as == "correction")


@given(texts, codes)
def test_neither_a_verdict_nor_nothing_ever_becomes_the_draft(text: str, nonce: JsonValue) -> None:
    """A correction's draft has something in it, and something else than the word."""
    draft = read(text, nonce).draft
    assert draft is None or (draft.strip() and re.findall(r"[^\W_]+", draft.lower()) != ["accept"])


@given(texts)
def test_a_draft_of_any_text_can_be_stored(text: str) -> None:
    """Any first answer becomes a draft that survives the wire and has no blank line around it."""
    draft = read_draft(text, {})
    assert Draft.model_validate_json(draft.model_dump_json()) == draft
    assert draft.text == draft.text.rstrip()


@given(st.from_regex(r"[a-zA-Z]{1,9}[ ,:;]{1,2}", fullmatch=True), st.sampled_from(["ACCEPT", "accept.", "**ACCEPT**"]))
def test_a_word_before_the_word_is_no_consent(before: str, word: str) -> None:
    """Whatever is said before ACCEPT on its line, it is not accepted, save for the two labels."""
    is_label = before.lower().strip() in {"verdict:", "verdict :", "answer:", "answer :"}
    assert read(before + word).accepted == is_label


@pytest.mark.parametrize("first", ["", "ACCEPT\n", "REJECT\n\n"])
@pytest.mark.parametrize(
    "piece", ["a", "\n", "*", "<think>", "</think>", "no the ", "REJECT\n", "<answer ", "\u0336", " \n"]
)
def test_a_runaway_reply_is_read(first: str, piece: str) -> None:
    """A megabyte of anything is read, and is no consent unless nothing is said in it."""
    is_silent = first == "ACCEPT\n" and not piece.strip(" \n*")
    assert read(first + piece * (1_000_000 // len(piece))).accepted == is_silent
