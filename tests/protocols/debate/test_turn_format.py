"""What a debater is asked for in a turn, whole and short, and the example that shows it (seed 003, section 3.5)."""

import json
from typing import Any, get_args

import pytest

from activities.reply_schemas import reply_schema
from protocols.debate.model.io import TurnFormat
from protocols.debate.model.reply_objects import TurnReply
from protocols.debate.modes import MODES
from protocols.debate.replies.turn import read_turn
from protocols.model_call import ReaderRef
from tests.fakes.debates import debate_of
from tests.protocols.debate.held import asking, held

LITE = ["position", "confidence", "vote", "claims", "references"]
FORMATS = [(mode, form) for mode in MODES for form in get_args(TurnFormat)]


def system(mode: str, form: str, seat: str = "p1") -> str:
    """The system message of a debater in the first round."""
    return asking(held(debate_of(mode, turn_format=form), 0), seat).call.messages[0].content


def example(mode: str, form: str, seat: str = "p1") -> dict[str, Any]:
    """The object that it shows."""
    behind = system(mode, form, seat).partition("For example, on another topic:\n")[2]
    found: dict[str, Any] = json.JSONDecoder().raw_decode(behind)[0]
    return found


@pytest.mark.parametrize(("mode", "form"), FORMATS)
def test_point_30_the_example_is_a_turn_that_can_be_read(mode: str, form: str) -> None:
    """It is valid JSON, begins with the position, and has every field that is always asked for."""
    shown = example(mode, form)
    told = read_turn(json.dumps(shown), {"stances": True})
    assert "position" == next(iter(shown))
    assert ("Open the library on Sundays for one trial year.", 0.72, "MINOR") == (
        told.position,
        told.confidence,
        told.vote,
    )
    assert ((), "json") == (told.violations, told.source)


@pytest.mark.parametrize(("mode", "form"), FORMATS)
def test_point_30_the_example_repeated_is_no_turn(mode: str, form: str) -> None:
    """A debater that sends it back has said nothing of its own."""
    shown = system(mode, form)
    assert not read_turn(json.dumps(example(mode, form)), {"shown": shown}).position
    assert read_turn(json.dumps(example(mode, form)), {"shown": "another prompt"}).position


@pytest.mark.parametrize(("seat", "stance"), [("p1", "YES"), ("p2", "NO"), ("p3", "NEUTRAL")])
@pytest.mark.parametrize("form", get_args(TurnFormat))
def test_the_example_has_the_stance_that_was_dealt(form: str, seat: str, stance: str) -> None:
    """Elsewhere a debater names its side itself, and a short turn has no field for it."""
    assert stance == example("devils-advocate", form, seat)["stance"]
    assert "stance" not in example("collaborative", form, seat)
    assert ("debate_alignment" in example("collaborative", form, seat)) == (form == "full")


@pytest.mark.parametrize("mode", MODES)
def test_the_reasoning_of_the_example_stands_under_a_header_of_the_mode(mode: str) -> None:
    """The first that the prompt asks for."""
    first = MODES[mode].part(0).first[0].name  # type: ignore[index] # a name of the table
    assert example(mode, "full")["reasoning"].startswith(f"{first}: ")


@pytest.mark.parametrize("mode", MODES)
def test_point_30_a_short_turn_is_asked_for_five_fields(mode: str) -> None:
    """Position, confidence, vote, three claims and references; headers and lists are not asked for."""
    stance = ["stance"] if mode == "devils-advocate" else []
    told = system(mode, "lite")
    assert [*LITE[:3], *stance, *LITE[3:]] == [*example(mode, "lite")]
    assert "at most three" in told
    assert not any(word in told for word in ("REQUIRED OUTPUT STRUCTURE", '"alternatives"', '"key_points"'))


@pytest.mark.parametrize("mode", MODES)
def test_a_short_turn_is_asked_for_in_fewer_words(mode: str) -> None:
    """That is what it is for."""
    assert len(system(mode, "lite")) < len(system(mode, "full")) - 800


@pytest.mark.parametrize(("form", "fields"), [("lite", LITE), ("full", [*TurnReply.model_fields])])
def test_the_schema_requests_for_the_same(form: str, fields: list[str]) -> None:
    """The fields of the format, position first, and no other."""
    call = asking(held(debate_of(turn_format=form), 0), "p1").call
    schema = reply_schema(ReaderRef(reader="debate.turn", needs=call.read_as.needs))
    assert schema is not None
    assert [name for name in fields if name not in {"stance", "answer"}] == schema.json_schema["required"]


def test_every_header_of_a_mode_is_known_as_a_key() -> None:
    """A turn that only has the headers as keys is a turn, and nothing of it is lost."""
    for mode in MODES.values():
        for part in mode.parts:
            for sections in (part.first, part.later):
                given = {one.name: f"I would close it, says {one.name}." for one in sections}
                told = read_turn(json.dumps({**given, "confidence": "70%", "vote": "MINOR"}), {})
                assert told.position, given
                texts = [text for name, text in given.items() if name not in ("Position", "Confidence", "Steel-man")]
                assert [text for text in texts if text in told.reasoning + told.position] == texts
