"""What may be asked of a consensus, and what the workflow starts with."""

from typing import Any, get_type_hints

import pytest

from parley.errors import RequestError
from parley.options.ask import Options, UsualKeywords
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from protocols.consensus.model import CURATOR, PATIENCE, SPEAKERS
from protocols.consensus.prompts import PACK
from protocols.model_call import CallTimeouts
from protocols.panel import route
from tests.fakes.seed_panel import SEED_CURATOR, SEED_SPEAKERS


def test_every_protocol_takes_the_usual_options() -> None:
    """What every protocol takes is the same for all, by keyword and by name."""
    assert set(get_type_hints(UsualKeywords)) == set(Options.keys())
    assert set(Options.keys()) <= set(CouncilOptions.keys()) & set(ConsensusOptions.keys())


def test_consensus_without_options_is_the_seeds() -> None:
    """Nothing but the panel given: its seats, at most 50 rounds, all must accept, no time limit (seed 004)."""
    inp = ConsensusOptions.of({"panel": "seed"}).build_input("Why?", queues={})
    models = [inp.panel.model_of(seat) for seat in inp.panel.seats]
    assert (*SPEAKERS, CURATOR) == inp.panel.seats
    assert [route(model) for model in (*SEED_SPEAKERS, SEED_CURATOR)] == models
    assert (50, None, 5, False) == (inp.max_rounds, inp.majority_after, inp.deadlock_after, inp.carry_corrections)
    assert (PATIENCE, PACK) == (inp.patience, inp.prompts)


def test_timeout_bounds_an_attempt_where_it_is_given() -> None:
    """With a timeout no part of an attempt waits longer than the attempt may take."""
    inp = ConsensusOptions.of({"timeout": 20}).build_input("Why?", queues={})
    assert CallTimeouts(total=20, first_token=20, between_chunks=20) == inp.patience


def test_seats_are_named_by_their_options() -> None:
    """Each of the four options names the model behind the seat of that name."""
    given = {"generator": "a", "refiner": "b", "validator": "zai-glm-4.7", "curator": "a"}
    panel = ConsensusOptions.of(given).seated()
    assert {seat: panel.model_of(seat) for seat in panel.seats} == {seat: route(name) for seat, name in given.items()}


def test_rehearsal_replaces_the_curator_too() -> None:
    """In a rehearsal no real model is left anywhere."""
    panel = ConsensusOptions.of({"rehearse": True}).seated()
    assert all(panel.model_of(seat).startswith("rehearsal:") for seat in panel.seats)


def test_options_reach_the_workflow() -> None:
    """What was asked for is what the workflow starts with."""
    given = {"max_rounds": 7, "majority_after": 3, "deadlock_after": 2, "carry_corrections": True, "seed": 3}
    inp = ConsensusOptions.of(given).build_input("Why?", queues={"lab": "models.lab"}, salt="s")
    assert (7, 3, 2, True) == (inp.max_rounds, inp.majority_after, inp.deadlock_after, inp.carry_corrections)
    assert (3, {"lab": "models.lab"}, "s") == (inp.sampling.seed, inp.queues, inp.salt)


@pytest.mark.parametrize(
    ("name", "near"), [("max_round", "max_rounds"), ("refinr", "refiner"), ("tempratur", "temper")]
)
def test_unknown_option_is_refused_with_the_nearest_name(name: str, near: str) -> None:
    """A misspelt key is no option of a consensus, and what was probably meant is reported."""
    with pytest.raises(RequestError, match=f"'{name}' is not an option of a consensus.*'{near}"):
        ConsensusOptions.of({name: 1})


def test_option_of_a_council_is_none_of_a_consensus() -> None:
    """What only another protocol takes is refused, and the options that there are are listed."""
    with pytest.raises(RequestError, match=r"Known are: .*generator"):
        ConsensusOptions.of({"models": ["a"]})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_rounds", 0),
        ("max_rounds", 51),
        ("majority_after", 0),
        ("majority_after", 51),
        ("deadlock_after", 1),
        ("timeout", 0),
        ("temperature", 3),
        ("failure_mode", "lax"),
        ("generator", 1),
    ],
)
def test_value_out_of_range_is_refused_by_name(name: str, value: object) -> None:
    """A value that cannot be used is an error that names its option."""
    with pytest.raises(RequestError, match=name):
        ConsensusOptions.of({name: value})


@pytest.mark.parametrize(
    "given", [{"generator": "a", "refiner": "a"}, {"validator": "a b"}, {"curator": ""}, {"generator": ""}]
)
def test_panel_that_cannot_sit_is_refused(given: dict[str, Any]) -> None:
    """One model in two seats, or a name that cannot be routed: no one is asked."""
    with pytest.raises(RequestError):
        ConsensusOptions.of(given).seated()


def test_one_model_may_sit_more_than_once_when_it_is_asked_for() -> None:
    """``allow_duplicates`` lets one model better its own draft."""
    panel = ConsensusOptions.of({"generator": "a", "refiner": "a", "allow_duplicates": True}).seated()
    assert panel.model_of(panel.seats[0]) == panel.model_of(panel.seats[1])
