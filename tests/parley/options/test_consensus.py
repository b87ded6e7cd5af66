"""What may be asked of a consensus, and what the workflow starts with."""

from typing import get_type_hints

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
    models = [inp.panel.at(seat).model for seat in inp.panel.seats]
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
    assert {seat: panel.at(seat).model for seat in panel.seats} == {seat: route(name) for seat, name in given.items()}


def test_rehearsal_replaces_the_curator_too() -> None:
    """In a rehearsal no real model is left anywhere."""
    panel = ConsensusOptions.of({"rehearse": True}).seated()
    assert all(panel.at(seat).model.startswith("rehearsal:") for seat in panel.seats)


def test_options_reach_the_workflow() -> None:
    """What was asked for is what the workflow starts with."""
    given = {"max_rounds": 7, "majority_after": 3, "deadlock_after": 2, "carry_corrections": True, "seed": 3}
    inp = ConsensusOptions.of(given).build_input("Why?", queues={"lab": "models.lab"}, salt="s")
    assert (7, 3, 2, True) == (inp.max_rounds, inp.majority_after, inp.deadlock_after, inp.carry_corrections)
    assert (3, {"lab": "models.lab"}, "s") == (inp.sampling.seed, inp.queues, inp.salt)


def test_one_model_may_sit_more_than_once_when_it_is_asked_for() -> None:
    """``allow_duplicates`` lets one model better its own draft."""
    panel = ConsensusOptions.of({"generator": "a", "refiner": "a", "allow_duplicates": True}).seated()
    assert panel.at(panel.seats[0]).model == panel.at(panel.seats[1]).model
