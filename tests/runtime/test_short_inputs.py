"""Inputs of workflows in histories: short, plain, and read as they were."""

import json

import pytest
from temporalio.api.common.v1 import Payload

from protocols.council import prompts
from protocols.council.model import CouncilInput
from protocols.deliberation import DeliberationInput
from protocols.instructions import AnsweredTurn, Example
from protocols.model_call import Message, Sampling
from protocols.panel import Panel
from runtime.payloads import data_converter
from runtime.settings import Settings
from runtime.short_inputs import short_input
from tests.fakes.circles import circle_of
from tests.fakes.consensuses import consensus_input
from tests.fakes.councils import council_input
from tests.fakes.debates import debate_of

PLAIN = council_input()
FULL = PLAIN.model_copy(
    update={
        "system": "Be short.",
        "examples": (Example(user="2 + 2?", assistant="4"),),
        "context_messages": (Message(role="user", content="Earlier?"), Message(role="assistant", content="Yes.")),
        "turns": (AnsweredTurn(question="First?", verdict=None, stop_reason="completed", deliberation_id="d"),),
        "sampling": Sampling(temperature=0.0, structured_output=False),
        "clarify": False,
        "queues": {"lab": "models.lab"},
    }
)


def payload_of(given: DeliberationInput) -> Payload:
    """The payload of an input."""
    return data_converter(Settings()).payload_converter.to_payload(given)


@pytest.mark.parametrize(
    "given",
    [PLAIN, FULL, consensus_input(), circle_of(2), debate_of()],
    ids=lambda one: type(one).__name__,
)
def test_an_input_is_read_as_it_was(given: DeliberationInput) -> None:
    """What is left out was empty, also in values within it; a default that was set to something else is written."""
    payload = payload_of(given)

    assert given == data_converter(Settings()).payload_converter.from_payload(payload, type(given))
    assert given == type(given).model_validate_json(payload.data)


def test_an_input_is_plain_json_for_other_clients() -> None:
    """Question, panel and every default with a value can be read; what is empty takes no byte."""
    payload = payload_of(PLAIN)
    written = json.loads(payload.data)

    assert {"encoding": b"json/plain"} == dict(payload.metadata)
    assert (PLAIN.question, PLAIN.patience.total) == (written["question"], written["patience"]["total"])
    assert {"id": "p1", "model": PLAIN.panel.participants[0].model} == written["panel"]["participants"][0]
    assert not {"turns", "answer", "batch_id", "salt", "web"} & written.keys()


def test_a_field_that_is_required_is_written_when_it_is_empty() -> None:
    """A turn without a verdict has none, and is no turn whose verdict is missing."""
    assert [None] == [turn["verdict"] for turn in json.loads(short_input(FULL))["turns"]]


def test_the_templates_of_parley_take_a_few_bytes() -> None:
    """They are in the dictionary; an input of a study of thousands is in three histories each time."""
    council = CouncilInput(question="Why?", title="t", panel=Panel.of(("a/b", "c/d"), "a/b"), prompts=prompts.PACK)

    assert len(short_input(council)) < 800 < len(json.dumps(prompts.PACK.templates))


def test_templates_of_others_travel_with_their_input() -> None:
    """A pack that no dictionary knows is as long as it is, and is read as it was."""
    own = prompts.PACK.model_copy(update={"templates": {"review": "Écris ⟨ceci⟩ {{answers}} " * 30}})
    changed = PLAIN.model_copy(update={"prompts": own})

    assert own == type(changed).model_validate_json(short_input(changed)).prompts
