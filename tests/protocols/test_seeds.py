"""The seeds of requests: derived, so that no two of what is meant to be a sample are one request."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.model_call import Sampling
from protocols.seeds import MOST_SEED, derived_seed, with_own_seed
from tests.fakes.calls import model_call

SEEDS = st.integers(0, MOST_SEED)


@given(SEEDS, st.lists(st.one_of(st.text(max_size=20), st.integers()), max_size=5))
def test_a_derived_seed_is_one_that_providers_take(seed: int, names: list[str | int]) -> None:
    """It has 31 bits, and the same seed and names have the same."""
    found = derived_seed(seed, *names)

    assert 0 <= found <= MOST_SEED
    assert found == derived_seed(seed, *names)


@given(SEEDS, st.integers(1, 5), st.integers(1, 20))
def test_every_sample_of_every_repeat_has_a_seed_of_its_own(seed: int, repeats: int, samples: int) -> None:
    """Repeats buy no sample twice, whatever the numbers of repeats and samples are."""
    runs = [derived_seed(seed, "row", "arm", repeat) for repeat in range(1, repeats + 1)]
    found = {derived_seed(run, f"sample-s{sample:02}") for run, sample in product(runs, range(1, samples + 1))}

    assert repeats * samples == len(found)


def test_counting_up_would_have_bought_samples_again() -> None:
    """Five repeats of five samples are 25 seeds; added up they were nine."""
    added = {7 + repeat + sample for repeat, sample in product(range(5), range(5))}
    derived = {
        derived_seed(derived_seed(7, "row", "arm", repeat), f"sample-s{sample:02}")
        for repeat, sample in product(range(1, 6), range(1, 6))
    }

    assert (9, 25) == (len(added), len(derived))


def test_names_are_reported_apart() -> None:
    """Where one name ends and the next begins matters, and so do the order and the kind of a name."""
    named = [("ab", "c"), ("a", "bc"), ("abc",), ("c", "ab"), ("1",), (1,)]

    assert len(named) == len({derived_seed(7, *names) for names in named})


def test_a_call_has_a_seed_of_its_own() -> None:
    """It follows from the deliberation's seed and the call's id, and changes nothing else of the call."""
    sampling = Sampling(seed=7, temperature=0.3)
    calls = [model_call(call_id=name, sampling=sampling) for name in ("answer-p1", "answer-p2")]
    own = [with_own_seed(call) for call in calls]

    assert [derived_seed(7, "answer-p1"), derived_seed(7, "answer-p2")] == [call.sampling.seed for call in own]
    assert calls == [call.model_copy(update={"sampling": call.sampling.model_copy(update={"seed": 7})}) for call in own]


@pytest.mark.parametrize("suffix", ["-again", "-longer", "-2"])
def test_a_further_call_of_a_turn_has_another_seed(suffix: str) -> None:
    """The same seed could bring the same reply, which could not be used."""
    first, further = (
        with_own_seed(model_call(call_id=name, sampling=Sampling(seed=7))) for name in ("turn", f"turn{suffix}")
    )

    assert first.sampling.seed != further.sampling.seed


def test_without_a_seed_none_is_sent() -> None:
    """A provider that takes no seed is sent none unless a user gave one."""
    call = model_call(sampling=Sampling(temperature=0.3))

    assert call == with_own_seed(call)
