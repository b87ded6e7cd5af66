"""The specification of a protocol: everything that the rest of the program must know about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypedDict, TypeVar

from pydantic import BaseModel

from parley.options.ask import Options
from protocols.tables import ResultView
from workflows.by_protocol import class_of, wire_name

Input = TypeVar("Input", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)
Chosen = TypeVar("Chosen", bound=Options)

Asked = Mapping[str, Any]
"""What is asked, by the keys that ``ProtocolSpec.asks`` lists."""


class Means(TypedDict):
    """What an input needs beside options and question."""

    queues: Mapping[str, str]
    """Provider to task queue."""
    private: bool
    """Whether the question must be kept out of the title, which is stored readable."""
    salt: str
    """Set when answers that were paid for before must not be used again."""


@dataclass(frozen=True, kw_only=True)
class ProtocolSpec(Generic[Input, Result, Chosen]):
    """One protocol."""

    name: str
    """Its name everywhere: command, study file, result, column and ids."""
    input: type[Input]
    result: type[Result]
    options: type[Chosen]
    """What a user can choose."""
    to_input: Callable[[Chosen, Asked, Means], Input]
    """Make the argument of the workflow.

    Raises:
        RequestError: the options or the question cannot be used.
    """
    view: Callable[[Result], ResultView]
    """Return what the terminal and the report show of a result."""
    asks: tuple[str, ...] = ("question",)
    """The keys that say what is asked; ``question`` is accepted in place of the last of them."""

    stages: tuple[str, ...] = ()
    """Its stages, where a branch counts them as rounds."""
    has_rounds: bool = False
    """Whether another deliberation can branch off from one of its rounds."""

    @property
    def workflow_type(self) -> str:
        """The name of the workflow on the wire."""
        return wire_name(self.name)

    @cached_property
    def workflow(self) -> type[Any]:
        """The workflow class; importing it imports Temporal's SDK."""
        return class_of(self.name)


AnySpec = ProtocolSpec[Any, Any, Any]
