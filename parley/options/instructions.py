"""The options that instruct the models of every protocol, and those for material from outside."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from parley.attached import AttachedFile, files_of
from parley.errors import RequestError
from parley.options.written import Written
from parley.questions import read_argument, read_examples
from protocols.instructions import LONGEST_SYSTEM, MOST_EXAMPLES, ContextKind, Example

System = Annotated[str | None, Written("TEXT|@FILE", read_argument)]


class InstructionKeywords(TypedDict, total=False):
    """The keywords, described in ``InstructionOptions``; the system message of a judge has another name."""

    continues: str | None
    context: ContextKind
    examples: Sequence[Example | Mapping[str, str] | tuple[str, str] | Path]


class InstructionOptions(BaseModel):
    """The options that instruct models, the same in every protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)

    system: System = Field(default=None, max_length=LONGEST_SYSTEM)
    """System message of every call, before the protocol's own; by default none."""
    examples: Annotated[tuple[Example, ...], Written("FILE", read_examples)] = Field(
        default=(), max_length=MOST_EXAMPLES
    )
    """Questions with their answers, shown where the question is answered: TOML or JSON lines; by default none."""

    continues: Annotated[str | None, Written("ID", flag="continue")] = Field(default=None, min_length=1)
    """Deliberation whose question and verdict precede the question, panel and options too; by default none."""
    context: ContextKind = "verdict"
    """Answer to the earlier question, with --continue: its verdict, or the whole transcript."""

    @model_validator(mode="after")
    def _has_a_context(self) -> Self:
        if self.context != "verdict" and self.continues is None:
            raise ValueError(
                "context says what a follow-up is shown; name the deliberation with --continue (continues=)"
            )
        return self

    @field_validator("system")
    @classmethod
    def _is_text(cls, given: str | None) -> str | None:
        if given is None:
            return None
        if given.startswith("@") and len(given.split()) == 1:
            raise ValueError(f"it names a file; give the text itself, or pathlib.Path({given[1:]!r}).read_text()")
        if not given.strip():
            raise ValueError("it is blank; leave it out")
        return given

    @field_validator("examples", mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        match given:
            case str():
                raise ValueError("give a list of examples, each with 'user' and 'assistant', or pathlib.Path of a file")
            case _:
                return _examples(given)


def _read(given: Any) -> Any:
    try:
        return files_of(given)
    except RequestError as error:
        raise ValueError(str(error)) from None


class MaterialOptions(InstructionOptions):
    """The options for material, the same in every protocol."""

    attach: Annotated[tuple[AttachedFile, ...], BeforeValidator(_read), Written("FILE")] = ()
    """File that is shown to all who answer, review or conclude: text, PDF, or an image; by default none."""
    web: bool = False
    """Let OpenRouter search the web for the answers of the participants, at a price for each."""


def _examples(given: Any) -> Any:
    """Return the examples in one value: a file, what was read from one, a pair, or an example."""
    match given:
        case Path():
            return _examples(read_examples(str(given)))
        case (str(user), str(assistant)):
            return ({"user": user, "assistant": assistant},)
        case list() | tuple():
            return tuple(example for one in given for example in _examples(one))
        case Mapping() if unknown := sorted(set(given) - set(Example.model_fields)):
            raise ValueError(f"{unknown[0]!r} is no part of an example; it has 'user' and 'assistant'")
        case _:
            return (given,)
