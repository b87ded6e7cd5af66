"""A chair's fields beside its verdict: what it is asked, what is read, and what is made of it."""

import json

import pytest
from pydantic import JsonValue

from protocols.answers import AnswerForm
from protocols.council import prompts
from protocols.council.chair import FIELDS, ChairRead
from protocols.council.replies.chair import read_chair
from protocols.model_call import ModelCall, ModelId
from protocols.panel import CHAIR, Participant
from tests.fakes.councils import council_input
from tests.fakes.models import answered

NONCE = "1f3870be27"
CHAIRMAN = Participant(id=CHAIR, model=ModelId("m:c"))
WRITTEN = f"""AGREEMENT {NONCE}:
- Light is scattered.
- Blue more than red.
CONTRADICTIONS {NONCE}:
- none
UNIQUE INSIGHTS {NONCE}:
- One names ozone,
  which absorbs at dusk.
BLIND SPOTS {NONCE}:
1. The eye's own response
VERDICT {NONCE}:
The sky is blue.

FINAL ANSWER: blue"""


def read(text: str, **needs: JsonValue) -> ChairRead:
    """What is read of a chair's reply."""
    return read_chair(text, {"nonce": NONCE, **needs})


def chair_call(**changes: object) -> ModelCall:
    """The request to a chair."""
    return prompts.synthesis(council_input(**changes), CHAIRMAN, {"m:a": "Red."}, None, nonce=NONCE)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("- none", "- none"),
        ("- none", "– None found."),
        ("- none\n", "---\n"),
        ("- none", "- No direct contradictions were found."),
        ("BLIND SPOTS", "4. BLIND SPOTS"),
    ],
)
def test_lists_and_verdict_are_read_apart(asked: str, written: str) -> None:
    """Each list under its header, "none" is no point, and what follows the last header is the verdict."""
    found = read(WRITTEN.replace(asked, written))

    assert found.analysis is not None
    assert ("Light is scattered.", "Blue more than red.") == found.analysis.agreement
    assert () == found.analysis.contradictions
    assert ("One names ozone, which absorbs at dusk.",) == found.analysis.unique_insights
    assert ("The eye's own response",) == found.analysis.blind_spots
    assert "The sky is blue.\n\nFINAL ANSWER: blue" == found.verdict
    assert found.final is None


def test_the_final_answer_is_that_of_the_verdict() -> None:
    """A line in a list is none; the one that ends the verdict counts."""
    form: JsonValue = AnswerForm(kind="free").model_dump(mode="json")
    found = read(WRITTEN.replace("- none", "- FINAL ANSWER: red"), form=form)

    assert found.final is not None
    assert "blue" == found.final.answer


def test_an_object_is_read_as_well() -> None:
    """What a schema asks for: lists and the verdict in one object, fenced or not."""
    value = {name: [f"of {name}"] for name in FIELDS} | {"verdict": "Blue."}
    for text in (json.dumps(value), f"```json\n{json.dumps(value)}\n```"):
        found = read(text)
        assert found.analysis is not None
        assert [(f"of {name}",) for name in FIELDS] == [found.analysis.points(name) for name in FIELDS]
        assert "Blue." == found.verdict


@pytest.mark.parametrize(
    "text",
    [
        "The sky is blue.",
        WRITTEN.replace(NONCE, "0000000000"),
        WRITTEN.replace(f" {NONCE}", ""),
        WRITTEN.partition("VERDICT")[0],
        f"VERDICT {NONCE}:\nBlue.",
        '{"verdict": ""}',
        '{"verdict": "x", "agreement": [1]}',
    ],
)
def test_headers_without_the_code_are_a_peer_s(text: str) -> None:
    """Without fields under the chair's own code nothing is taken: the whole reply is the verdict then."""
    assert read(text).analysis is None


def test_a_verdict_that_quotes_a_header_is_not_cut() -> None:
    """What follows the verdict's header belongs to it, whatever it looks like."""
    found = read(f"{WRITTEN}\nAGREEMENT {NONCE}:\n- more")

    assert found.analysis is not None
    assert 2 == len(found.analysis.agreement)
    assert found.verdict.endswith("- more")


def test_without_a_code_the_words_of_the_headers_are_enough() -> None:
    """``nonce_header=False`` asks for the bare headers."""
    assert read_chair(WRITTEN.replace(f" {NONCE}", ""), {"nonce": None}).analysis is not None


def test_fields_are_asked_for_only_where_they_are_wanted() -> None:
    """The usual request is unchanged; with fields the form has the chair's code and the last line still ends it."""
    plain, asked = chair_call(), chair_call(chair_fields=True)
    said = asked.messages[-1].content

    assert said.startswith(plain.messages[-1].content.rstrip())
    assert f"AGREEMENT {NONCE}:\n- what all or most answers agree on" in said
    assert ("council.synthesis", "council.analysis") == (plain.read_as.reader, asked.read_as.reader)
    assert "AGREEMENT" not in plain.messages[-1].content


def test_a_reply_without_fields_is_asked_for_once_more() -> None:
    """The request repeats the form; a reply with fields and the answer that was asked for is clear."""
    inp = council_input(chair_fields=True)
    unclear = prompts.unclear_synthesis(inp, NONCE)
    call = chair_call(chair_fields=True)

    again = unclear(answered(call, "The sky is blue."))
    assert again is not None
    assert f"VERDICT {NONCE}:" in again
    assert unclear(answered(call, WRITTEN)) is None


@pytest.mark.parametrize("header", ["AREAS OF AGREEMENT", "Key agreements", "Points of Agreement"])
def test_a_header_may_have_words_before_its_name(header: str) -> None:
    """Filler before the name of a list does not hide it."""
    found = read(WRITTEN.replace("AGREEMENT", header)).analysis

    assert found is not None
    assert ("Light is scattered.", "Blue more than red.") == found.agreement


def test_a_header_that_is_not_known_is_asked_for_again() -> None:
    """The points under a header with the code and another name belong to no list, and to none before it either."""
    assert read(WRITTEN.replace("CONTRADICTIONS", "TENSIONS")).analysis is None


@pytest.mark.parametrize("given", [{}, {"analysis": {"agreement": ["Blue."]}}])
def test_an_object_without_any_list_has_no_fields(given: dict[str, JsonValue]) -> None:
    """An object with a verdict alone does not say that there are no points."""
    assert read(json.dumps({**given, "verdict": "The sky is blue."})).analysis is None


@pytest.mark.parametrize("names", [("uniqueInsights", "blindSpots"), ("Unique insights", "Blind spots")])
def test_fields_of_an_object_are_known_in_any_spelling(names: tuple[str, str]) -> None:
    """A list under a name in another spelling is no empty list."""
    found = read(json.dumps({"agreement": ["One."], names[0]: ["Two."], names[1]: ["Three."], "verdict": "Blue."}))

    assert found.analysis is not None
    assert (("Two.",), ("Three.",)) == (found.analysis.unique_insights, found.analysis.blind_spots)
