"""Seats in options: what can be written, and what is refused before anything is spent."""

import json
from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.panel_files import load_panels
from parley.seat_check import refuse_settings
from protocols.panel import Panel

SEAT: dict[str, Any] = {
    "models": ["a/one", "b/two"],
    "name": "Sceptic",
    "system": "Doubt.",
    "temperature": 0,
    "stop": ["END"],
    "provider": {"only": ["deepinfra"], "zdr": True},
    "extra_body": {"top_k": 40},
    "schema": False,
}
PANEL = """
[panels.mine]
models = [
    { models = ["a/one", "b/two"], name = "Sceptic", system = "@doubt.md", temperature = 0, stop = ["END"], \
provider = { only = ["deepinfra"], zdr = true }, extra_body = { top_k = 40 }, schema = false },
    "c/three",
]
"""
DIALECTS = {"openrouter": "openrouter", "cerebras": "cerebras"}


def council(*models: Any, **options: Any) -> Panel:
    """The panel of a council of ``models``."""
    return CouncilOptions.of({"models": models, **options}).seated()


def test_a_table_a_text_of_json_and_a_file_name_the_same_seat(tmp_path: Path) -> None:
    """Python, command line and panels file have one form of a seat, and a file may hold its instructions."""
    (tmp_path / "doubt.md").write_text("Doubt.")
    (tmp_path / "panels.toml").write_text(PANEL)

    inline = council(SEAT, "c/three")
    written = council(json.dumps(SEAT), "c/three")
    filed = CouncilOptions.of({"panel": "mine"}, load_panels(tmp_path / "panels.toml")).seated()

    assert inline.participants == written.participants == filed.participants
    assert inline.participants[0].fallbacks == ("openrouter:b/two",)


def test_a_seat_with_a_model_alone_is_a_model() -> None:
    """A table that has nothing but a model is the same panel as its name."""
    assert council({"model": "a/one"}, "b/two") == council("a/one", "b/two")


def test_a_derived_chair_is_reached_as_its_model_and_speaks_for_itself() -> None:
    """By default the first model concludes: with its fallbacks and routing, without its name and instructions."""
    chair = council(SEAT, "c/three").chair
    assert (chair.model, chair.fallbacks) == ("openrouter:a/one", ("openrouter:b/two",))
    assert chair.settings is not None
    assert set(chair.settings.model_dump()) == {"routing", "extra_body"}


def test_every_role_of_a_consensus_is_a_seat() -> None:
    """A speaker and the curator have settings, too."""
    speakers = {"generator": SEAT, "refiner": "c/three", "validator": "d/four"}
    panel = ConsensusOptions.of({**speakers, "curator": {"model": "e/five", "temperature": 1}}).seated()
    assert [seat.label for seat in panel.everyone] == ["Sceptic", "refiner", "validator", "curator"]
    assert panel.chair.settings is not None


@pytest.mark.parametrize(
    ("seat", "said"),
    [
        ({"model": "a", "temprature": 1}, "'temprature' is no key of a seat. Did you mean 'temperature'?"),
        ({"model": "a", "temperature": 3}, "temperature is '3': write 2 or less"),
        ({"model": "a", "models": ["b"]}, "a seat has either model or models; leave one of them out"),
        ({"system": "x"}, "a seat has either model or models; name the seat's model"),
        ({"models": ["a", "a"]}, "models names 'a' twice; a fallback is another model"),
        ({"model": "a b"}, "model 'a b' is not a name"),
        ({"model": "a", "extra_body": {"api_key": "x"}}, "it may carry no key, and 'api_key' looks like one"),
        ({"model": "a", "extra_body": {"x": [{"Authorization": "y"}]}}, "'Authorization' looks like one"),
        ({"model": "a", "extra_body": {"x": "Bearer abcdefghijklmnop"}}, "'x' looks like one"),
        ({"model": "a", "extra_body": {"x": "sk-or-v1-0123456789abcdef"}}, "'x' looks like one"),
        ({"model": "a", "extra_body": {"messages": []}}, "it may not set 'messages': Parley writes them"),
        ({"model": "a", "extra_body": {"x": "y" * 20_000}}, "it is larger than 16,384 bytes as JSON"),
        ({"model": "a", "extra_body": {"x": float("nan")}}, "write a finite number"),
        ({"model": "a", "extra_body": [1]}, "write names with values"),
        ({"model": "a", "provider": {"ordre": ["x"]}}, "'ordre' is no key of a seat's provider. Did you mean 'order'?"),
        ({"model": "a", "provider": {"order": ["x"], "only": ["y"]}}, "order names 'x' and only leaves it out"),
        ({"model": "a", "provider": {"order": ["a b"]}}, "provider.order.0 is 'a b': write an endpoint as"),
        ({"model": "a", "provider": {"only": ["x" * 101]}}, "at most 100 characters"),
        ({"model": "a", "provider": {"quantizations": ["int5"]}}, "write 'int4'"),
        ({"model": "a", "provider": {"data_collection": "no"}}, "write 'allow' or 'deny'"),
        ({"model": "a", "provider": "openai"}, "provider is 'openai': write names with values"),
        ({"model": "a", "stop": ["1", "2", "3", "4", "5"]}, "at most 4 texts"),
        ({"model": "a", "stop": [""]}, "it is empty"),
        ({"model": "a", "system": "@/etc/passwd"}, "no file is read here; give the text itself"),
        ({"model": "a", "system": " "}, "it is blank; write instructions, or leave it out"),
        ({"model": "a", "name": "x\ny"}, "write a name without line breaks"),
        ({"model": "a", "reasoning_effort": "much"}, "write 'minimal', 'low', 'medium' or 'high'"),
        ({"model": "a", "web": "perhaps"}, "write true or false"),
        ({"model": "a", "name": "p2"}, "two seats are called 'p2'; give one of them another name"),
        ({"models": ["a", "other"]}, "panel names 'openrouter:other' more than once"),
        (7, "'7' is no seat; give a model, or a table"),
        (None, "seat 1 is empty; give a model, or a table"),
        ("{nope", "is not JSON"),
    ],
)
def test_a_seat_that_cannot_be_used_is_refused_in_one_sentence(seat: Any, said: str) -> None:
    """The message names the value and the remedy, in one line."""
    with pytest.raises(RequestError) as refused:
        council(seat, "other", chair="other")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_fallbacks_in_two_places_are_refused() -> None:
    """A chair with several models and other fallbacks beside it contradicts itself."""
    with pytest.raises(RequestError, match="name them in one place"):
        council("a", "b", chair={"models": ["c", "d"]}, chair_fallbacks=["e"])


def test_routing_is_for_openrouter_alone() -> None:
    """The model or the fallback of another provider is refused by name before anything is sent."""
    routed = {"models": ["a/one", "zai-glm-4.7"], "provider": {"zdr": True}}
    with pytest.raises(RequestError, match="seat 'p1': provider chooses among the endpoints of OpenRouter"):
        refuse_settings(council(routed, "b/two"), DIALECTS, {})
    refuse_settings(council({"model": "a/one", "provider": {"zdr": True}}, "b/two"), DIALECTS, {})


@pytest.mark.parametrize("setting", [{"system": "Use key-of-mine-123."}, {"extra_body": {"user": "key-of-mine-123"}}])
def test_a_key_of_the_environment_is_not_stored(setting: dict[str, Any]) -> None:
    """A key in instructions or additional fields is refused by the name of its variable, without the key."""
    panel = council({"model": "a/one", **setting}, "b/two")
    with pytest.raises(RequestError, match="has the value of LAB_KEY in its settings") as refused:
        refuse_settings(panel, DIALECTS, {"LAB_KEY": "key-of-mine-123"})
    assert "key-of-mine-123" not in str(refused.value)


def test_options_can_be_given_again() -> None:
    """The command line hands the client the options it read; seats stay what they are."""
    options = CouncilOptions.of({"models": [SEAT, "c/three"], "chair": {"model": "d/four", "web": True}})
    assert CouncilOptions.of(vars(options)) == options
