"""Options of a council (seed 002, "Council Configuration")."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, ValidationError

from parley.errors import RequestError
from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords, first_of
from parley.options.written import Names
from protocols.council.model import CouncilInput
from protocols.council.prompts import PACK
from protocols.model_call import CallTimeouts
from protocols.panel import Panel

_USUAL = CallTimeouts()


class CouncilKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.council``, described in ``CouncilOptions``."""

    models: tuple[str, ...] | list[str]
    chair: str | None
    chair_fallbacks: tuple[str, ...] | list[str]
    final_only: bool
    exclude_self_votes: bool
    answer: str | None


class CouncilOptions(AnswerOptions):
    """Options of a council.

    Every model answers, every model ranks all answers without knowing whose they are, and the chair concludes.
    """

    PROTOCOL: ClassVar[str] = "council"
    ROLES: ClassVar[str] = "council"
    SEATED_BY: ClassVar[tuple[str, ...]] = ("models",)

    models: Names = ()
    """Models that answer: provider:model, or a bare id; by default the panel's."""
    chair: str | None = None
    """Model that concludes; by default the panel's, or the first of the models where no panel is named."""
    chair_fallbacks: Names = ()
    """Models that conclude when the chair is lost, in order; by default the model of the best answer."""
    final_only: bool = False
    """Skip the review."""
    exclude_self_votes: bool = False
    """Leave its own answer out of each model's ranking."""
    timeout: float | None = Field(default=_USUAL.total, gt=0, le=86_400)
    """Most seconds for one attempt of one call."""

    def council_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> CouncilInput:
        """Build the workflow's input.

        Args:
            question: As the person asked it.
            queues: Provider to task queue, from the catalogue.
            private: Keep the question out of the title, which is stored readable even when payloads are encrypted.
            salt: Set when answers that were paid for before must not be used again.

        Raises:
            RequestError: the question is blank or is no text, or see ``seated``.
        """
        asked = self._asked(question, _USUAL, private=private)
        try:
            return CouncilInput(
                **asked,
                prompts=PACK,
                answer=self.form,
                final_only=self.final_only,
                exclude_self_votes=self.exclude_self_votes,
                queues=dict(queues),
                salt=salt,
            )
        except ValidationError as error:
            raise RequestError(self._explained(error)) from None

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        return Panel.of(
            models,
            first_of(models) if self.chair is None else rename(self.chair),
            fallbacks=tuple(map(rename, self.chair_fallbacks)),
            twice=self.allow_duplicates,
        )
