"""The input of every protocol, made from its options."""

from typing import Any

import pytest

from parley.errors import RequestError
from parley.options.ask import Options
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec, Means


def asked(spec: AnySpec, text: Any) -> Any:
    """Return the question, or a prompt of one layer."""
    return {"user": text} if spec.judges else text


@pytest.mark.parametrize("spec", PROTOCOLS.values(), ids=PROTOCOLS)
@pytest.mark.parametrize("text", ["", "  \n", "\udcff", 3, None])
def test_a_question_that_states_nothing_is_refused(spec: AnySpec, text: Any) -> None:
    """A blank question, or one that is no text, is refused before anything starts."""
    with pytest.raises(RequestError):
        spec.options.of({}).build_input(asked(spec, text), queues={})


@pytest.mark.parametrize("spec", PROTOCOLS.values(), ids=PROTOCOLS)
def test_a_private_question_is_not_in_the_title(spec: AnySpec) -> None:
    """A title is stored readable, so an encrypted question leaves no word in it."""
    assert "Why" not in spec.options.of({}).build_input(asked(spec, "Why?"), queues={}, private=True).title


@pytest.mark.parametrize("spec", PROTOCOLS.values(), ids=PROTOCOLS)
def test_an_option_reaches_the_field_of_its_name(spec: AnySpec) -> None:
    """Queues and salt are in the input, and a field that an option has by its name has the option's value."""
    options = spec.options.of({"failure_mode": "strict", "clarify": False, "temperature": 0.5})
    inp = options.build_input(asked(spec, "Why?"), queues={"lab": "models.lab"}, salt="s")

    assert ({"lab": "models.lab"}, "s") == (inp.queues, inp.salt)
    assert ("strict", False, 0.5) == (inp.failure_mode, inp.clarify, inp.sampling.temperature)


@pytest.mark.parametrize("spec", PROTOCOLS.values(), ids=PROTOCOLS)
def test_what_is_asked_has_no_other_keys(spec: AnySpec) -> None:
    """A layer of a prompt, or a part of a question, whose name is misspelt is not left out silently."""
    given, means = {spec.question_keys[-1]: "Why?", "sytem": "Be brief."}, Means(queues={}, private=False, salt="")
    with pytest.raises(RequestError, match=f"'sytem' is no part .* known are .*{spec.question_keys[-1]}"):
        spec.to_input(spec.options.of({"rehearse": True}), given, means)


@pytest.mark.parametrize(
    ("options", "name", "near"),
    [
        (CouncilOptions, "temprature", "a council.*'temperature'"),
        (ConsensusOptions, "max_round", "a consensus.*'max_rounds'"),
        (ConsensusOptions, "refinr", "a consensus.*'refiner"),
        (ConsensusOptions, "models", "a consensus.*Known are: .*generator"),
        (DebateOptions, "max_round", "a debate.*'max_rounds'"),
        (DebateOptions, "sumaries", "a debate.*'summaries'"),
    ],
)
def test_an_unknown_option_is_refused_with_the_nearest_name(options: type[Options], name: str, near: str) -> None:
    """A misspelt key, or one of another protocol, is an error that names it and what was probably meant."""
    with pytest.raises(RequestError, match=f"'{name}' is not an option of {near}"):
        options.of({name: 1})


@pytest.mark.parametrize(
    ("options", "name", "value"),
    [
        (CouncilOptions, "temperature", 3),
        (CouncilOptions, "temperature", float("nan")),
        (CouncilOptions, "timeout", 0),
        (CouncilOptions, "max_tokens", 0),
        (CouncilOptions, "failure_mode", "lax"),
        (CouncilOptions, "models", {"a": "b"}),
        (ConsensusOptions, "max_rounds", 0),
        (ConsensusOptions, "max_rounds", 51),
        (ConsensusOptions, "majority_after", 0),
        (ConsensusOptions, "majority_after", 51),
        (ConsensusOptions, "deadlock_after", 1),
        (ConsensusOptions, "generator", 1),
        (DebateOptions, "mode", "loud"),
        (DebateOptions, "max_rounds", 0),
        (DebateOptions, "max_rounds", 51),
        (DebateOptions, "agents", ("a",)),
        (DebateOptions, "agents", tuple("abcdefghijk")),
        (DebateOptions, "high_stakes", ("gambling",)),
        (DebateOptions, "high_stakes", "gambling"),
        (DebateOptions, "high_stakes", (1,)),
        (DebateOptions, "focus", ("x" * 501,)),
        (DebateOptions, "focus", ("x",) * 51),
        (DebateOptions, "summaries", "poetry"),
        (DebateOptions, "synthesiser", 1),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(options: type[Options], name: str, value: object) -> None:
    """A value that cannot be used is an error that names its option."""
    with pytest.raises(RequestError, match=name):
        options.of({name: value})


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (CouncilOptions, {"models": ()}),
        (CouncilOptions, {"models": ("a", "a")}),
        (CouncilOptions, {"models": ("a b",)}),
        (CouncilOptions, {"chair": ""}),
        (CouncilOptions, {"models": tuple(map(str, range(27)))}),
        (ConsensusOptions, {"generator": "a", "refiner": "a"}),
        (ConsensusOptions, {"validator": "a b"}),
        (ConsensusOptions, {"curator": ""}),
        (ConsensusOptions, {"generator": ""}),
        (DebateOptions, {"agents": ("a", "a")}),
        (DebateOptions, {"agents": ("a", "b c")}),
        (DebateOptions, {"synthesiser": ""}),
        (DebateOptions, {"evaluator": "a b"}),
        (DebateOptions, {"synthesiser": " "}),
    ],
)
def test_a_panel_that_cannot_sit_is_refused(options: type[Options], given: dict[str, Any]) -> None:
    """No model, one twice, more than there are labels, or a name that cannot be routed: no one is asked."""
    with pytest.raises(RequestError):
        options.of(given).seated()
