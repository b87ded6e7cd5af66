"""What a person may ask of a council, and its translation into what the workflow starts with.

The same names are the keywords of ``Parley.council``, the keys of a configuration file and the options of the command
line. This is the human edge: an unknown key is an error here, and nowhere later.
"""

import difflib
from collections.abc import Mapping
from typing import Any, Literal, Self, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from protocols.council.model import DEFAULT_CHAIRMAN_MODEL, DEFAULT_COUNCIL_MODELS, CouncilInput
from protocols.council.prompts import PACK
from protocols.exchange import Patience, Sampling
from protocols.panel import FailureMode, Panel, name_of, route
from starter import names
from starter.errors import RequestError

Effort = Literal["minimal", "low", "medium", "high"]

_DEFAULT = Patience()


class CouncilKeywords(TypedDict, total=False):
    """The keywords of ``Parley.council``; what each means stands at ``CouncilOptions``."""

    models: tuple[str, ...] | list[str]
    chair: str
    chair_fallbacks: tuple[str, ...] | list[str]
    allow_duplicates: bool
    final_only: bool
    failure_mode: FailureMode
    exclude_self_votes: bool
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    reasoning_effort: Effort | None
    seed: int | None
    timeout: float
    id: str | None
    fresh: bool
    rehearse: bool


class CouncilOptions(BaseModel):
    """How a council is held; everything has the seed's default (seed 002, "Council Configuration")."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    models: tuple[str, ...] = DEFAULT_COUNCIL_MODELS
    """As people write them: ``provider:model``, or a bare id."""
    chair: str = DEFAULT_CHAIRMAN_MODEL
    chair_fallbacks: tuple[str, ...] = ()
    """Who concludes when the chair is lost, in order; by default the model of the best answer."""
    allow_duplicates: bool = False
    final_only: bool = False
    failure_mode: FailureMode = "resilient"
    exclude_self_votes: bool = False
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    reasoning_effort: Effort | None = None
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)
    timeout: float = Field(default=_DEFAULT.total, gt=0, le=86_400)
    """Seconds that one attempt of one call may take."""
    id: str | None = None
    """Of the deliberation; by default a fresh one that reads."""
    fresh: bool = False
    """Hold it again under an id that was used before, and pay for every answer again."""
    rehearse: bool = False
    """Ask scripted models in place of the real ones."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options in ``given``.

        Raises:
            RequestError: a name is not known or a value cannot be used; the message names it.
        """
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise RequestError(_explained(error)) from None

    def panel(self) -> Panel:
        """Who takes part, all of them scripted when this is a rehearsal.

        Raises:
            RequestError: a model's name cannot be routed, one sits twice, or there are none or too many.
        """
        rename = rehearsed if self.rehearse else str
        try:
            return Panel.of(
                tuple(rename(model) for model in self.models),
                rename(self.chair),
                fallbacks=tuple(rename(model) for model in self.chair_fallbacks),
                twice=self.allow_duplicates,
            )
        except ValidationError as error:
            raise RequestError(_explained(error)) from None
        except ValueError as error:
            raise RequestError(str(error)) from None

    def council_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> CouncilInput:
        """What the workflow starts with.

        Args:
            question: As the person asked it.
            queues: Provider to task queue, from the catalogue.
            private: Keep the question out of the title, which is stored readable even when payloads are encrypted.
            salt: Set when answers that were paid for before must not be used again.

        Raises:
            RequestError: the question is blank or is no text, or see ``panel``.
        """
        panel = self.panel()
        try:
            return CouncilInput(
                question=_text(question),
                title="a private question" if private else names.title_of(question),
                panel=panel,
                prompts=PACK,
                failure_mode=self.failure_mode,
                final_only=self.final_only,
                exclude_self_votes=self.exclude_self_votes,
                sampling=self._sampling(),
                patience=self._patience(),
                queues=dict(queues),
                salt=salt,
            )
        except ValidationError as error:
            raise RequestError(_explained(error)) from None

    def _sampling(self) -> Sampling:
        return Sampling(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            seed=self.seed,
            reasoning_effort=self.reasoning_effort,
        )

    def _patience(self) -> Patience:
        return Patience(
            total=self.timeout,
            first_token=min(_DEFAULT.first_token, self.timeout),
            between_chunks=min(_DEFAULT.between_chunks, self.timeout),
        )


def rehearsed(model: str) -> str:
    """The scripted model that stands in for ``model``: ``rehearsal:`` before the name without its provider."""
    return f"rehearsal:{name_of(route(model))}"


def _text(question: str) -> str:
    try:
        question.encode()
    except UnicodeEncodeError:
        raise RequestError("the question holds bytes that are no text; write it in UTF-8") from None
    return question


def _explained(error: ValidationError) -> str:
    return "\n".join(_one(dict(problem)) for problem in error.errors(include_url=False))


def _one(problem: Mapping[str, Any]) -> str:
    where = ".".join(map(str, problem["loc"]))
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where, CouncilOptions.model_fields, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(CouncilOptions.model_fields)}."
        return f"{where!r} is not an option of a council. {hint}"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {str(problem['input'])[:80]!r} cannot be used: {message}" if where else message
