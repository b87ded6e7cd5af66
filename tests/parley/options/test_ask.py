"""What may be asked of a council, and of every protocol, and what the workflow starts with."""

from typing import Any

import pytest

from parley.errors import RequestError
from parley.options.ask import Options
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from parley.options.equal_cost import VoteOptions
from parley.options.roles import rehearsed
from protocols.model_call import CallTimeouts
from protocols.panel import route
from tests.fakes.seed_panel import SEED_CHAIR, SEED_COUNCIL


def test_council_without_options_is_the_seeds() -> None:
    """The panel ``seed`` is the default council of seed 002, "Council Configuration"."""
    panel = CouncilOptions.of({"panel": "seed"}).seated()
    assert [p.model for p in panel.participants] == [route(m) for m in SEED_COUNCIL]
    assert panel.chair.model == route(SEED_CHAIR)


@pytest.mark.parametrize("name", ["choices", "repeats", "options"])
def test_an_option_that_is_like_none_is_answered_with_all(name: str) -> None:
    """A name with some of the same letters is not what was meant; the message lists those that are known."""
    with pytest.raises(RequestError, match=rf"'{name}' is not an option of a vote\. Known are: .*samples"):
        VoteOptions.of({name: 3})


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("name", ["temperature", "max_tokens", "seed", "timeout", "patience", "budget_usd"])
def test_a_switch_is_no_number(name: str, value: bool) -> None:
    """A ``true`` in a configuration file is not 1, and ``false`` is not 0: the message names the option."""
    with pytest.raises(RequestError, match=f"{name}: '{value}' cannot be used: this is no switch"):
        CouncilOptions.of({name: value})


@pytest.mark.parametrize("value", ["yes", "no", 1, "true"])
@pytest.mark.parametrize("name", ["rehearse", "web", "schema", "final_only"])
def test_a_switch_is_true_or_false(name: str, value: object) -> None:
    """No word and no number is taken for a switch: the message names the option."""
    with pytest.raises(RequestError, match=f"{name}: '{value}' cannot be used: write true or false"):
        CouncilOptions.of({name: value})


@pytest.mark.parametrize("model", ["maker/one", "openrouter:maker/one", "rehearsal:maker/one", "lab:maker/one"])
def test_rehearsed_model_keeps_its_name_without_its_provider(model: str) -> None:
    """A scripted model is named as the model that it replaces, except where it serves the real one."""
    assert rehearsed(model) == "rehearsal:maker/one"


def test_rehearsal_replaces_the_chair_and_its_fallbacks_too() -> None:
    """In a rehearsal no real model is left anywhere."""
    options = CouncilOptions.of(
        {"models": ["a", "zai-glm-4.7"], "chair": "c", "chair_fallbacks": ["d"], "rehearse": True}
    )
    panel = options.seated()
    models = (*(p.model for p in panel.participants), panel.chair.model, *panel.chair_fallbacks)
    assert models == ("rehearsal:a", "rehearsal:zai-glm-4.7", "rehearsal:c", "rehearsal:d")


def test_short_timeout_shortens_every_wait() -> None:
    """No part of an attempt waits longer than the attempt may take."""
    inp = CouncilOptions.of({"timeout": 20}).build_input("Why?", queues={})
    assert inp.patience == CallTimeouts(total=20, first_token=20, between_chunks=20)


@pytest.mark.parametrize("options", [CouncilOptions, DebateOptions])
@pytest.mark.parametrize(("timeout", "silence"), [(120, (90, 60)), (600, (570, 540))])
def test_a_longer_timeout_lengthens_every_wait(
    options: type[Options], timeout: float, silence: tuple[float, float]
) -> None:
    """Silence before and in an answer, as of a model that is being loaded, may be longer by as much as the attempt."""
    inp = options.of({"timeout": timeout}).build_input("Why?", queues={})
    assert (timeout, *silence) == (inp.patience.total, inp.patience.first_token, inp.patience.between_chunks)


@pytest.mark.parametrize(("given", "seconds"), [(None, 900), (30, 30), ("15m", 900), ("2h", 7200), (0, 0)])
@pytest.mark.parametrize("timeout", [None, 20])
def test_patience_states_how_long_a_provider_is_waited_for(
    given: float | str | None, seconds: float, timeout: float | None
) -> None:
    """Seconds or a text with a unit, with and without a limit on an attempt; 15 minutes when nothing is given."""
    council = CouncilOptions.of({"patience": given, "timeout": timeout}).build_input("Why?", queues={})
    assert seconds == council.patience.away


@pytest.mark.parametrize("given", ["soon", -1, "31d"])
def test_a_patience_that_is_none_is_refused(given: Any) -> None:
    """What is no span of time, negative or beyond thirty days is an error that names the option."""
    with pytest.raises(RequestError, match="patience"):
        CouncilOptions.of({"patience": given})


def test_options_reach_the_workflow() -> None:
    """What was asked for is what the workflow starts with."""
    options = CouncilOptions.of({"final_only": True, "exclude_self_votes": True, "temperature": 0.5, "seed": 3})
    inp = options.build_input("Why?", queues={"lab": "models.lab"}, salt="s")
    assert (inp.final_only, inp.exclude_self_votes, inp.sampling.temperature, inp.sampling.seed) == (True, True, 0.5, 3)
    assert (inp.queues, inp.salt) == ({"lab": "models.lab"}, "s")
