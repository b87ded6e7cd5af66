"""What a user reads of a value that breaks a constraint: never pydantic's words."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError
from pydantic_core import core_schema
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DefaultPayloadConverter

from activities.providers.catalogue import _File as ProvidersFile
from parley.errors import RequestError
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from parley.options.equal_cost import MixtureOptions, VoteOptions
from parley.options.fire_circle import FireCircleBaselineOptions, FireCircleOptions
from parley.panel_files import _File as PanelsFile
from protocols import update_requests
from protocols.consensus.model import ConsensusInput
from protocols.constraints import problem, quoted, sentence_of
from protocols.council.model import CouncilInput
from protocols.debate.model.io import Approve, DebateInput, InjectEvidence, ResolveEscalation
from protocols.fire_circle.io import FireCircleBaselineInput, FireCircleInput
from protocols.fire_circle.model import Layers, SessionMemory
from protocols.mixture.model import MixtureInput
from protocols.named_panel import PANEL_NAME
from protocols.panel import Panel
from protocols.study.model import STUDY_NAME, BatchInput, Extension, PauseRequest, RunSettings, WindowChange
from protocols.update_requests import BudgetChange
from protocols.vote.model import VoteInput
from runtime.payloads import PlainFailureConverter
from studies.definition.study_file import StudyFile
from studies.scores.scorer_file import SCORER_NAME

MODELS: tuple[type[BaseModel], ...] = (
    *(CouncilInput, ConsensusInput, FireCircleInput, FireCircleBaselineInput, DebateInput),
    *(VoteInput, MixtureInput, BatchInput, RunSettings, Panel, Layers, SessionMemory),
    *(CouncilOptions, ConsensusOptions, FireCircleOptions, FireCircleBaselineOptions, DebateOptions),
    *(VoteOptions, MixtureOptions, StudyFile, ProvidersFile, PanelsFile),
    *(
        update_requests.ReplaceParticipant,
        update_requests.StopRequest,
        update_requests.AddRounds,
        ResolveEscalation,
        Approve,
        InjectEvidence,
    ),
    *(BudgetChange, Extension, PauseRequest, WindowChange),
)
VALUES: tuple[Any, ...] = (
    *(None, "", " ", "?!", "x" * 2_000, 0, -1, 1.5, 10**12, float("nan"), True, [], [""], ["a"] * 300),
    *({}, {"a": 1}, {1: 2}, {"a": {"b": []}}, {"models": ["a"] * 300}, {"x y": {"models": [], "n": -1}}),
)
PYDANTIC = re.compile(
    r"\b(?:Input should|should (?:be|have|match)|after validation|Value error|Field required|Extra inputs"
    r"|valid (?:integer|number|string|boolean|tuple|list|dictionary|datetime)|ensure this|pydantic|type=)"
)


def errors_of(model: type[BaseModel]) -> Iterator[Any]:
    """Every error that some value in some field of ``model`` meets."""
    for given in (*({name: value} for name in model.model_fields for value in VALUES), {"no such": 1}):
        try:
            model.model_validate(given)
        except ValidationError as error:
            yield from error.errors(include_url=False)
            yield {"type": "value_error", "loc": (), "input": None, "ctx": {"error": problem(error)}}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_message_of_an_input_holds_the_words_of_pydantic(model: type[BaseModel]) -> None:
    """Every constraint of every field has a sentence of ours."""
    said = [sentence_of(error) for error in errors_of(model)]
    assert said
    assert not [sentence for sentence in said if PYDANTIC.search(sentence)]


@pytest.mark.parametrize("kind", get_args(core_schema.ErrorType))
def test_every_type_of_error_has_a_sentence(kind: str) -> None:
    """A constraint that is added later falls back on a sentence of ours, whatever figures come with it."""
    figures = ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern", "expected")
    ctx = dict.fromkeys((*figures, "discriminator", "expected_tags", "error"), "7")
    assert sentence_of({"type": kind, "loc": ("models",), "ctx": ctx, "msg": "Input should be"})


def test_the_search_for_the_words_of_pydantic_finds_them() -> None:
    """The messages that are replaced are recognised by the test above."""
    with pytest.raises(ValidationError) as broken:
        RunSettings.model_validate({"window": "many", "priority": 9, "cap": 3})
    assert all(PYDANTIC.search(error["msg"]) for error in broken.value.errors())


def test_too_many_models_are_counted_in_models() -> None:
    """The largest panel is named as a number of models."""
    with pytest.raises(RequestError, match=r"participants: at most 26 models$"):
        VoteOptions.of({"models": [f"maker/m{n}" for n in range(27)]}).seated()


def test_an_option_states_what_to_write() -> None:
    """The name, the value and the remedy are in one line."""
    with pytest.raises(RequestError, match=r"^temperature: '3' cannot be used: write 2 or less$"):
        CouncilOptions.of({"temperature": "3"})


def test_a_validator_of_ours_is_quoted_as_it_is() -> None:
    """What our own code says of a value is not paraphrased."""
    with pytest.raises(ValidationError) as broken:
        update_requests.ReplaceParticipant.model_validate({"participant": "p1"})
    assert "model: it is missing" == problem(broken.value)


def test_an_update_that_cannot_be_decoded_is_refused_in_our_words() -> None:
    """Any Temporal client that sends a wrong argument reads the field and the remedy, not the text of pydantic."""
    failure = Failure()
    try:
        update_requests.AddRounds.model_validate({"rounds": "many"})
    except ValidationError as cause:
        undecodable = RuntimeError("Failed decoding arguments")
        undecodable.__cause__ = cause
        PlainFailureConverter().to_failure(undecodable, DefaultPayloadConverter(), failure)
    assert "the argument cannot be used: rounds is 'many': write a whole number" == failure.message
    assert not failure.HasField("cause")


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (STUDY_NAME, "write 1 to 60 small letters, digits or hyphens, beginning with a letter or digit"),
        (PANEL_NAME, "write 1 to 20 small letters, digits or hyphens, beginning with a letter or digit"),
        (SCORER_NAME, "write 1 to 40 small letters, digits, low lines or hyphens, beginning with a letter or digit"),
        ("^C[1-9]$", "write it in the form ^C[1-9]$"),
    ],
)
def test_the_form_of_a_name_is_said_in_words(pattern: str, said: str) -> None:
    """A study can be named without reading a regular expression."""
    assert sentence_of({"type": "string_pattern_mismatch", "loc": ("name",), "ctx": {"pattern": pattern}}) == said


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a b", "'a b'"), (5, "'5'"), ("it's", '"it\'s"'), ("x" * 200, f"'{'x' * 200}'"), ("x" * 201, f"'{'x' * 199}…'")],
)
def test_a_value_that_is_cut_shows_it(value: object, shown: str) -> None:
    """A value is in quotes as it was given; a long one ends with a mark."""
    assert quoted(value) == shown
