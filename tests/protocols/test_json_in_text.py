"""JSON objects in what a model states, sound and broken."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from protocols.json_in_text import JsonMatch, Limits, TooManyAttemptsError, read_objects, whole_object
from tests.fakes.json_values import nested

WHOLE = '{"vote": "MINOR", "claims": [{"text": "Cars {all of them} pollute"}]}'
VALUE = {"vote": "MINOR", "claims": [{"text": "Cars {all of them} pollute"}]}


def objects(said: str, limits: Limits | None = None) -> list[JsonMatch]:
    """Every object with a vote in ``said``."""
    return list(read_objects(said, voting, lambda region: "vote" in region, limits or Limits()))


def voting(found: JsonMatch) -> list[JsonMatch]:
    """The object, if it has a vote."""
    return [found] if isinstance(found.value, dict) and "vote" in found.value else []


def fields(found: JsonMatch) -> dict[str, JsonValue]:
    """What an object that was found holds."""
    assert isinstance(found.value, dict)
    return found.value


def vote(found: JsonMatch) -> JsonValue:
    """Its vote."""
    return fields(found)["vote"]


def values(said: str) -> list[JsonValue]:
    """What the objects hold."""
    return [found.value for found in objects(said)]


@pytest.mark.parametrize(
    "said",
    [
        WHOLE,
        f"\n {WHOLE} \n",
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}",
        f"The set {{of all}} is: {WHOLE} I hope {{this}} helps.",
        json.dumps(WHOLE),
        f'{{"other": 1}} {WHOLE}',
    ],
)
def test_an_object_is_found_with_anything_around(said: str) -> None:
    """A sound object is found in a fence, in prose, in a JSON string and beside others."""
    assert [VALUE] == values(said)
    assert [False] == [found.is_mended for found in objects(said)]


def test_objects_are_reported_in_their_order() -> None:
    """Of several objects each is found, the last one last."""
    assert [{"vote": 1}, {"vote": 2}] == values('First {"vote": 1}, then {"vote": 2}.')


def test_an_object_inside_another_is_part_of_it() -> None:
    """Of nested objects the outermost is found, and those inside only where it means nothing."""
    assert [{"vote": 1, "peer": {"vote": 2}}] == values('{"vote": 1, "peer": {"vote": 2}}')


def test_where_an_object_stands_is_reported() -> None:
    """An object knows its place and what is there."""
    (found,) = objects(f"Well: {WHOLE} So.")
    assert (WHOLE, "Well: ", " So.") == (found.written, found.text[: found.start], found.text[found.end :])


@pytest.mark.parametrize(
    "said",
    [
        "{'vote': 'MINOR'}",
        "{vote: MINOR}",
        '{"vote": "MINOR",}',
        '{"vote": "MINOR"',
        '{"vote": "MINOR", "position": "cut in the mid',
        "{“vote”: “MINOR”}",
    ],
)
def test_a_broken_object_is_mended(said: str) -> None:
    """Single quotes, missing quotes, printers' quotes, commas too many and an end that is missing are mended."""
    assert [("MINOR", True)] == [(vote(found), found.is_mended) for found in objects(said)]


def test_a_text_that_was_cut_is_no_part_of_the_object() -> None:
    """What was cut in the middle is dropped, and is behind the object."""
    (found,) = objects('{"vote": "MINOR", "position": "cut in the mid')
    assert ["MINOR", ""] == [*fields(found).values()]
    assert '"cut in the mid' == found.text[found.end :]


def test_what_is_not_worth_it_is_not_mended() -> None:
    """A broken object that the protocol has no use for stays broken."""
    assert not values("{'other': 'MINOR'}")


def test_a_sound_object_inside_a_broken_one_is_found() -> None:
    """Where the outer object is of no use, those inside are looked at."""
    assert [{"vote": 2}] == values('{"other": oops oops, "peer": {"vote": 2}')


def test_an_object_beyond_the_limits_is_given_up() -> None:
    """With more marks than allowed nothing is mended, and beyond the reach nothing is read."""
    said = '{"vote": "MINOR", "more": ["a", "b", "c"],}'
    assert [] == objects(said, Limits(marks=8))
    assert [{"vote": "MINOR"}] == [found.value for found in objects(said, Limits(reach=18))]


def test_the_first_of_many_objects_is_found() -> None:
    """An object that holds more objects than are looked at is found all the same."""
    whole = {"vote": 1, "claims": [{"text": str(n)} for n in range(2_000)]}
    assert [whole] == values(json.dumps(whole))


def test_three_broken_objects_are_mended_and_no_more() -> None:
    """A reply of many ruins does not keep a worker busy."""
    assert 3 == len(objects("{'vote': 1} " * 9))


RUINS = {
    "braces": "{" * 1_000_000,
    "open names": '{"vote' * 150_000,
    "nested": '{"vote":' * 120_000,
    "nested lists": '{"vote": ' + "[" * 1_000_000,
    "quotes": '{"vote": 1, ' + '" "[' * 250_000,
    "escapes": '{"vote": "' + "\\" * 999_999,
    "what the mender trips over": '{"vote": 0.1, “```json0```json}',
}


@pytest.mark.parametrize("said", RUINS.values(), ids=RUINS.keys())
def test_a_ruin_ends(said: str) -> None:
    """What would take the mender or the parser for ever is given up, without an error."""
    assert all(found.is_mended for found in objects(said))


@given(st.text(alphabet="{}[]\"':, vote1“”\\\n/#`"))
def test_no_text_breaks_the_search(said: str) -> None:
    """Whatever the text, an object that is found is at the place that it gives."""
    assert all(0 <= found.start < found.end <= len(found.text) for found in objects(said))


VALUES = nested(st.text() | st.integers() | st.booleans(), st.text(max_size=20))


@given(st.dictionaries(st.text(max_size=20), VALUES), st.text())
def test_what_is_written_as_json_is_found(told: dict[str, JsonValue], voted: str) -> None:
    """Any object that was written as JSON is found as it was, whatever it holds."""
    assert [{**told, "vote": voted}] == values(json.dumps({**told, "vote": voted}))


def plainly(said: str) -> list[JsonValue]:
    """The sound objects in ``said``, each brace tried by itself."""
    found, end = [], 0
    for start in (at for at, char in enumerate(said) if char == "{"):
        if start >= end and said[start + 1 : start + 2] in {'"', "a", "1"}:
            try:
                value, end = json.JSONDecoder(strict=False).raw_decode(said, start)
            except (ValueError, RecursionError):
                continue
            found.append(value)
    return found


PIECES = [
    '{"a":',
    '{"b": [',
    '{"t": "q"}',
    "}",
    "]",
    "[",
    ",",
    '"',
    '": ',
    "\\",
    "1",
    "a ",
    '{"c": "{\\"d\\": 1}',
    "{a",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_what_fails_together_is_found_as_if_tried_alone(said: str) -> None:
    """Trying open objects only once finds exactly what trying every brace by itself finds."""
    told = list(read_objects(said, lambda found: [found.value], lambda _region: False))
    assert plainly(said) == told or said.startswith('"')


def test_attempts_without_end_are_given_up() -> None:
    """Objects that fail one by one, and would be gone over for ever, are an error of the reader."""
    said = f'{{"vote": {"1" * 5_000}}} ' * 400
    with pytest.raises(TooManyAttemptsError, match="never closed"):
        objects(said)


@pytest.mark.parametrize("said", [WHOLE, f"\n {WHOLE} \n", f"```json\n{WHOLE}\n```", f"```\n{WHOLE}\n\n```\n"])
def test_a_reply_that_is_one_object_is_read_whole(said: str) -> None:
    """White space and one code fence around the object are no part of the reply."""
    assert VALUE == whole_object(said)


@pytest.mark.parametrize(
    "said",
    [
        *(
            "",
            "{",
            "[]",
            "7",
            '"text"',
            "null",
            WHOLE[:-1],
            f"Here it is: {WHOLE}",
            f"{WHOLE}\nDone.",
            f"{WHOLE}{WHOLE}",
        ),
        *(
            f"> {WHOLE}",
            f"```json\n{WHOLE}\n```\nDone.",
            f"```json\n{WHOLE}\n```\n```json\n{WHOLE}\n```",
            f"```as p2 said\n{WHOLE}\n```",
        ),
        *('{"vote": NaN}', '{"vote": 1, "vote": 2}', '{"a": {"vote": 1, "vote": 1}}', '{"a": ' * 5000),
    ],
)
def test_a_reply_that_is_anything_else_is_no_object(said: str) -> None:
    """Text beside it, a second object, a key that is given twice and numbers that are none leave nothing to read."""
    assert whole_object(said) is None


@given(st.text(), st.text().filter(lambda text: any(map(str.isalnum, text))))
def test_a_planted_object_is_never_the_whole_reply(before: str, after: str) -> None:
    """Whatever is written in front of or behind an object, the object alone is not the reply."""
    assert whole_object(f"{before}{WHOLE}{after}") is None


@pytest.mark.parametrize(
    "before",
    [
        "p2 wrote ",
        "Expert B's turn was:\n```json\n",
        "The reply of the other debater: ",
        "p1 schrieb: ",
        "Peers had voted: ",
    ],
)
def test_an_object_that_another_wrote_is_a_quotation(before: str) -> None:
    """What is introduced as the words of a peer is not read as the writer's own."""
    assert not objects(f"{before}{WHOLE}")


@pytest.mark.parametrize(
    "before",
    ["As p2 said, cars pollute.\n\n", "p2 wrote much, so I answer: ", "p2 said so.\nMy turn:\n", "Answer 2:\n", ""],
)
def test_an_object_behind_a_sentence_on_a_peer_is_the_writers(before: str) -> None:
    """A sentence that has ended, and one that turns to the writer, introduce no words of another."""
    assert [VALUE] == values(f"{before}{WHOLE}")
