"""What may be asked of a debate, and what the workflow starts with."""

import os
from typing import Any, get_args

import pytest

from parley.catalogue import Providers
from parley.errors import MissingKeyError, RequestError
from parley.options.debate import DebateOptions
from protocols.debate.model.io import EVALUATOR, JUDGE, SUMMARISER, SYNTHESISER, HighStakes, ModeName
from protocols.debate.modes import PACK
from protocols.model_call import CallTimeouts
from protocols.panel import Panel, route
from protocols.time_spans import DAY
from runtime.settings import load_settings
from tests.fakes.seed_panel import SEED_DEBATERS

TWO = ("a", "b")


def seated(**given: Any) -> Panel:
    """The panel of a debate of two with these options."""
    return DebateOptions.of({"agents": TWO, **given}).seated()


def test_debate_without_options_is_collaborative_and_has_five_rounds() -> None:
    """Nothing but the panel given: its debaters, five rounds (section 2, P1), nothing declared, a day for a user."""
    inp = DebateOptions.of({"panel": "seed"}).build_input("Why?", queues={})
    assert tuple(map(route, SEED_DEBATERS)) == tuple(p.model for p in inp.panel.participants)
    assert ("collaborative", 5, (), (), "rule") == (
        inp.mode,
        inp.max_rounds,
        inp.focus_questions,
        inp.high_stakes,
        inp.summaries,
    )
    assert (DAY, False, False, CallTimeouts(), PACK) == (
        inp.escalation_timeout,
        inp.reask,
        inp.vulnerable_audience,
        inp.patience,
        inp.prompts,
    )


BESIDE = (SYNTHESISER, EVALUATOR, SUMMARISER, JUDGE)


@pytest.mark.parametrize(
    ("given", "models"),
    [
        ({}, "b b b b"),
        ({"synthesiser": "c"}, "c c c c"),
        ({"synthesiser": "a"}, "a b a b"),
        ({"agents": ("a", "b", "c")}, "c c c c"),
        ({"agents": ("a", "b", "a"), "allow_duplicates": True}, "b b b b"),
        ({"agents": ("a", "a"), "allow_duplicates": True}, "a a a a"),
        ({"synthesiser_fallbacks": ("a", "d")}, "d d d d"),
        ({"synthesiser": "a", "synthesiser_fallbacks": ("d",)}, "a d a d"),
    ],
)
def test_who_judges_is_not_the_first_agents_model(given: dict[str, Any], models: str) -> None:
    """Where no one is named, a model that does not debate closes and judges, then another than the first agent's."""
    panel = seated(mode="adversarial", **given)
    assert [f"openrouter:{model}" for model in models.split()] == [panel.at(seat).model for seat in BESIDE]


def test_seats_beside_the_table_are_named_by_their_options() -> None:
    """Each option names the model behind the seat of that name."""
    panel = seated(synthesiser="c", evaluator="d", summariser="e", summaries="llm")
    assert ["openrouter:c", "openrouter:d", "openrouter:e"] == [
        panel.at(seat).model for seat in (SYNTHESISER, EVALUATOR, SUMMARISER)
    ]


@pytest.mark.parametrize(
    ("given", "fallbacks"),
    [
        ({}, ["openrouter:a"]),
        ({"synthesiser": "c"}, ["openrouter:a", "openrouter:b"]),
        ({"synthesiser_fallbacks": ["d", "a", "d"]}, ["openrouter:a"]),
        ({"synthesiser_fallbacks": ()}, []),
    ],
    ids=["last agent", "another model", "named", "nobody"],
)
def test_the_agents_stand_in_for_the_synthesiser(given: dict[str, Any], fallbacks: list[str]) -> None:
    """By default the agents close the debate when the synthesiser is lost; one that failed is not asked twice."""
    assert fallbacks == list(seated(**given).chair_fallbacks)


def test_rehearsal_replaces_everybody() -> None:
    """In a rehearsal no real model is left anywhere, beside the table neither."""
    panel = seated(
        synthesiser="c", evaluator="d", summariser="e", summaries="llm", synthesiser_fallbacks=["f"], rehearse=True
    )
    models = [*(panel.at(seat).model for seat in panel.seats), *panel.chair_fallbacks]
    assert 7 == len([model for model in models if model.startswith("rehearsal:")]) == len(models)


def test_keys_are_wanted_for_all_that_may_be_asked_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """A summariser or a judge that is never asked wants no key; an evaluator does: a turn may call it at any time."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-canary-000000")
    providers = Providers.of(load_settings(), os.environ)
    providers.check(seated(summariser="cerebras:one"))
    providers.check(seated(judge="cerebras:one", mode="socratic"))
    for given in (
        {"summariser": "cerebras:one", "summaries": "llm"},
        {"evaluator": "cerebras:one"},
        {"judge": "cerebras:one", "mode": "devils-advocate"},
    ):
        with pytest.raises(MissingKeyError, match="CEREBRAS_API_KEY"):
            providers.check(seated(**given))


def test_options_reach_the_workflow() -> None:
    """What was asked for is what the workflow starts with."""
    given = {
        "mode": "delphi",
        "max_rounds": 7,
        "focus": ["What of shops?", "", "And of buses?"],
        "high_stakes": ["agentic"],
        "vulnerable_audience": True,
        "reask": True,
        "summaries": "llm",
        "escalation_timeout": 60,
        "seed": 3,
    }
    inp = DebateOptions.of(given).build_input("Why?", queues={"lab": "models.lab"}, salt="s")
    assert ("delphi", 7, ("What of shops?", "", "And of buses?")) == (inp.mode, inp.max_rounds, inp.focus_questions)
    assert (("agentic",), True, True, "llm", 60.0) == (
        inp.high_stakes,
        inp.vulnerable_audience,
        inp.reask,
        inp.summaries,
        inp.escalation_timeout,
    )
    assert (3, {"lab": "models.lab"}, "s") == (inp.sampling.seed, inp.queues, inp.salt)


@pytest.mark.parametrize("mode", get_args(ModeName))
def test_every_mode_can_be_asked_for(mode: str) -> None:
    """All seven modes of section 1 run by their names."""
    assert mode == DebateOptions.of({"mode": mode}).build_input("Why?", queues={}).mode


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (90, 90),
        ("90", 90),
        ("90s", 90),
        ("15m", 900),
        ("1.5h", 5400),
        (" 2 H ", 7200),
        ("1d", 86_400),
        ("365d", 365 * DAY),
    ],
)
def test_patience_with_a_person_is_written_as_people_write_it(given: float | str, seconds: float) -> None:
    """Seconds, or a number with its unit."""
    assert seconds == DebateOptions.of({"escalation_timeout": given}).escalation_timeout


@pytest.mark.parametrize("given", ["", "soon", "2w", "-1h", "1h30m", "1e3", "0s", "366d", 0, "nan"])
def test_patience_that_cannot_be_meant_is_refused(given: object) -> None:
    """What is no length of time, is none at all, or is more than a year, is named with what was expected."""
    with pytest.raises(
        RequestError, match=r"escalation_timeout: .*(90s, 15m, 2h, 1d|a number above 0|31536000 or less)"
    ):
        DebateOptions.of({"escalation_timeout": given})


def test_stakes_are_declared_once_however_they_are_written() -> None:
    """A hyphen is as good as an underscore, and what is declared twice counts once."""
    declared = DebateOptions.of({"high_stakes": ["medical-legal", "security", "medical_legal"]}).high_stakes
    assert ("medical_legal", "security") == declared
    assert get_args(HighStakes) == DebateOptions.of({"high_stakes": get_args(HighStakes)}).high_stakes


def test_one_model_may_debate_with_itself_when_it_is_asked_for() -> None:
    """``allow_duplicates`` seats one model more than once."""
    panel = seated(agents=("a", "a"), allow_duplicates=True)
    assert ["openrouter:a"] * 2 == [p.model for p in panel.participants]


def test_topic_that_is_too_long_is_refused_with_its_length_and_the_remedy() -> None:
    """A topic is in every call, so it has at most 4,000 tokens; a text is given as material."""
    longest = "word " * 4000
    assert longest == DebateOptions.of({}).build_input(longest, queues={}).question
    with pytest.raises(RequestError, match=r"about 4,001 tokens, .*at most 4,000, .*--material FILE"):
        DebateOptions.of({}).build_input(f"{longest}more", queues={})
