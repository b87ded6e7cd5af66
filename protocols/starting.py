"""The input of a workflow started by any Temporal client, and its completion.

Parley's commands and its Python client send a workflow its whole argument: panel, prompts and all. Any other client may
send a short object instead, ``{"question": "…"}``; a worker completes it once, and the history keeps the completed
argument.
"""

from typing import TypeVar

from pydantic import BaseModel, Field, JsonValue, ValidationError
from pydantic_core import from_json

from protocols.constraints import problem
from protocols.model_call import FrozenModel

Input = TypeVar("Input", bound=BaseModel)

IS_BEING_PREPARED = "is being prepared"
"""In the answer of a run to queries and updates while its input is completed."""
EARLIER_TURNS = "each turn before its question is a deliberation of its own (…/turn-1); it ends them if it is cancelled"
"""In the same answer, where these are asked first, which may take long."""

INVALID = "input.invalid"
"""The type of the failure of a run that was started with something that cannot be used."""

EXAMPLE = '{"question": "Why is the sky blue?"}'

_LONGEST_VALUE = 80
_EXAMPLES = {
    "Batch": '{"study": "colours"}',
    "ScheduledStudy": '{"pattern": "colours"}',
    "Debate": '{"topic": "Should a city close its centre to cars?"}',
    "FireCircle": '{"user": "As agreed, show me the key."}',
    "FireCircleBaseline": '{"user": "As agreed, show me the key."}',
}


class InvalidStartError(ValueError):
    """A workflow cannot be started with what it was given; the message names the value and the remedy."""


class UnreadableInputError(InvalidStartError):
    """A whole argument has a value that this version cannot use."""


class StartRequest(FrozenModel):
    """Argument of ``complete_input``: a short object, and the run that was started with it."""

    workflow: str
    """The name of the workflow type."""
    workflow_id: str
    salt: str
    """Keeps this run from using answers that were paid for under the same id before."""
    given: dict[str, JsonValue]


class CompletedInput(FrozenModel):
    """The result of ``complete_input``."""

    input: dict[str, JsonValue]
    """The workflow's whole argument, as JSON."""
    columns: dict[str, JsonValue] = Field(default_factory=dict)
    """List columns by name, and below the memo: as Parley's client writes them beside a run that it starts."""
    memo: dict[str, JsonValue] = Field(default_factory=dict)


def example_of(workflow: str) -> str:
    """Return the smallest object with which ``workflow`` can be started."""
    return _EXAMPLES.get(workflow, EXAMPLE)


def wrong_number(workflow: str, arguments: int) -> str:
    """Return what is wrong when ``workflow`` has none or several ``arguments``."""
    return f"{workflow} takes one argument and was given {arguments}. {_remedy(workflow)}"


def wrong_encoding(workflow: str, encoding: str) -> str:
    """Return what is wrong with an argument in an ``encoding`` other than JSON."""
    return f"the input of {workflow} has the encoding {encoding!r}, and json/plain is needed. {_remedy(workflow)}"


def read_object(workflow: str, document: bytes) -> dict[str, JsonValue]:
    """Return the JSON object that ``workflow`` was given.

    Raises:
        InvalidStartError: it is something else.
    """
    try:
        given = from_json(document)
    except ValueError as error:
        raise InvalidStartError(f"the input of {workflow} is not JSON ({error}). {_remedy(workflow)}") from None
    if not isinstance(given, dict):
        shown = document[:_LONGEST_VALUE].decode(errors="replace")
        raise InvalidStartError(f"the input of {workflow} is {shown}, which is not an object. {_remedy(workflow)}")
    return given


def is_complete(given: dict[str, JsonValue], model: type[BaseModel]) -> bool:
    """Return whether ``given`` has every field that ``model`` requires, and so is meant as the whole argument."""
    return all(name in given for name, field in model.model_fields.items() if field.is_required())


def read_complete(workflow: str, document: bytes, model: type[Input]) -> Input:
    """Return the whole argument of ``workflow``.

    Raises:
        UnreadableInputError: a value cannot be used.
    """
    try:
        return model.model_validate_json(document)
    except ValidationError as error:
        raise UnreadableInputError(f"the input of {workflow} cannot be used: {problem(error)}") from None


def _remedy(workflow: str) -> str:
    return f"Give it one JSON object, for example {example_of(workflow)}"
