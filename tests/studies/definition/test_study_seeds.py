"""The requests of a study: no two that are meant to be samples are the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from activities.providers.request import body_of
from protocols.seeds import with_own_seed
from protocols.study.input_templates import merged
from protocols.vote import prompts
from protocols.vote.model import VoteInput
from studies.definition import files
from tests.fakes.calls import provider
from tests.fakes.study_files import STUDY, study


def _inputs(text: str) -> list[dict[str, Any]]:
    """What every deliberation of the study begins with."""
    found = study(text)
    templates = {one.arm: one.template for one in found.entered().arms}
    return [merged(templates[one.arm], one.changes) for one in found.prepared()]


def _sampled(repeats: int, samples: int, seed: str = "seed = 7") -> str:
    """A study of self-consistency on one row, so often repeated."""
    arm = f'[[arms]]\nprotocol = "self-consistency"\npanel = "lab"\noptions = {{ samples = {samples} }}\n'
    text = STUDY.replace("seed = 7", f"{seed}\nrepeats = {repeats}").replace('id = "id"', 'id = "id"\nrows = "1"')
    return text.partition("[grid]")[0] + arm


def _bodies(text: str) -> list[str]:
    """The bodies of all requests."""
    inputs = [VoteInput.model_validate(one) for one in _inputs(text)]
    calls = [with_own_seed(prompts.answer(inp, seat)) for inp in inputs for seat in inp.seats]
    return [body_of(call, provider()).decode() for call in calls]


@pytest.mark.parametrize(("repeats", "samples"), [(5, 5), (1, 8), (8, 1), (3, 7), (10, 10)])
def test_35_every_sample_of_every_repeat_is_a_request_of_its_own(repeats: int, samples: int) -> None:
    """Five samples in five repeats are 25 distinct requests."""
    bodies = _bodies(_sampled(repeats, samples))

    assert repeats * samples == len(bodies) == len(set(bodies))


def test_35_samples_differ_in_their_seed_alone() -> None:
    """Samples of one question are compared, so nothing else of a request differs."""
    bodies = [json.loads(body) for body in _bodies(_sampled(2, 3))]

    assert 6 == len({body.pop("seed") for body in bodies})
    assert all(body == bodies[0] for body in bodies)


def test_35_rows_arms_and_repeats_have_seeds_of_their_own() -> None:
    """No deliberation of a study has the seed of another."""
    seeds = [one["sampling"]["seed"] for one in _inputs(STUDY.replace("seed = 7", "seed = 7\nrepeats = 3"))]

    assert 2 * 2 * 3 == len(seeds) == len(set(seeds))


def test_35_the_same_study_sends_the_same_seeds() -> None:
    """A study that runs once more under another name asks the same requests."""
    first, again = (_bodies(_sampled(2, 2).replace('"small"', name)) for name in ('"small"', '"other"'))

    assert first == again


def test_35_an_arms_own_seed_is_derived_alike() -> None:
    """The seed of an arm is in for the study's, and its repeats differ all the same."""
    text = _sampled(3, 2).replace("{ samples = 2 }", "{ samples = 2, seed = 1 }")

    assert 6 == len(set(_bodies(text)))
    assert not set(_bodies(text)) & set(_bodies(_sampled(3, 2)))


def test_35_without_a_seed_none_is_sent() -> None:
    """A model that takes no seed is sent none."""
    assert not [body for body in _bodies(_sampled(2, 2, seed="")) if '"seed"' in body]


def test_35_the_example_study_buys_every_sample_once() -> None:
    """Five repeats of five samples of each of its eight questions are 200 distinct requests."""
    Path("questions.csv").write_text(files.EXAMPLE_QUESTIONS.read_text("utf-8"))
    text = files.EXAMPLE.read_text("utf-8").replace("repeats = 1 ", "repeats = 5 ")
    arms = study(text, None).entered().arms
    sampled = next(arm.template for arm in arms if arm.arm == "self-consistency-small")
    inputs = [
        VoteInput.model_validate(merged(sampled, one.changes))
        for one in study(text, None).prepared()
        if one.arm == "self-consistency-small"
    ]
    bodies = [body_of(with_own_seed(prompts.answer(inp, seat)), provider()) for inp in inputs for seat in inp.seats]

    assert 8 * 5 * 5 == len(bodies) == len(set(bodies))
