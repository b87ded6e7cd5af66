"""The input of every protocol, made from its options."""

from typing import Any

import pytest

from parley.errors import RequestError
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
