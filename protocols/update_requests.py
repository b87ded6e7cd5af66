"""Arguments of the updates of a running deliberation, the same for every protocol."""

from pydantic import Field

from protocols.model_call import FrozenModel, ModelId, ParticipantId

MILLION = 1_000_000


class TokenPrice(FrozenModel):
    """Dollars for a million tokens of a model, read and written."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the dollars for so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION


MOST_ROUNDS = 50
"""Rounds that a deliberation may be allowed after it was started."""


class ReplaceParticipant(FrozenModel):
    """Argument of the update ``replace_participant``: put another model behind a seat."""

    participant: ParticipantId
    model: ModelId
    price: TokenPrice | None = None
    """What counts against a limit in dollars where the deliberation does not know the price of ``model``."""


class StopRequest(FrozenModel):
    """Argument of the update ``stop``: end now with the result so far; no further call is made."""

    reason: str = Field(default="stopped by a user", max_length=500)


class StopAfterRound(FrozenModel):
    """Argument of the update ``stop_after_round``: finish this round and start no other."""

    reason: str = Field(default="stopped by a user after the round", max_length=500)


class AcceptDraft(FrozenModel):
    """Argument of the update ``accept_draft``: a user takes the present draft for the verdict."""

    reason: str = Field(default="accepted by a user", max_length=500)


class BudgetChange(FrozenModel):
    """Argument of the update ``set_budget`` of a deliberation or a study: other limits; those not named stay."""

    usd: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    any_usd: bool = False
    """Whether the limit in dollars is taken away."""
    any_tokens: bool = False
    """Whether the limit in tokens is taken away."""

    def apply(self, usd: float | None, tokens: int | None) -> tuple[float | None, int | None]:
        """Return the limits in dollars and in tokens after the change."""
        return None if self.any_usd else self.usd or usd, None if self.any_tokens else self.tokens or tokens

    def refuse_contradiction(self) -> None:
        """Refuse a change of nothing, and one that sets a limit and takes it away.

        Raises:
            ValueError: it is one of them.
        """
        if self == BudgetChange():
            raise ValueError("nothing is to be changed: name a limit in dollars (--usd) or in tokens (--tokens)")
        if (self.usd and self.any_usd) or (self.tokens and self.any_tokens):
            raise ValueError("a limit cannot be set and taken away at once")


class AddRounds(FrozenModel):
    """Argument of the update ``add_rounds``: allow more rounds."""

    rounds: int = Field(default=1, ge=1, le=MOST_ROUNDS)
    """How many more than are allowed now."""
    focus: str = Field(default="", max_length=500)
    """A question for the first of them, where the protocol's rounds have one."""


def refuse_rounds(limit: int, request: AddRounds) -> None:
    """Refuse more rounds than a deliberation may have.

    Raises:
        ValueError: there would be more than 50.
    """
    if limit + request.rounds > MOST_ROUNDS:
        rest = f"ask for {MOST_ROUNDS - limit} or fewer" if limit < MOST_ROUNDS else "no more can be added"
        raise ValueError(f"there are at most {MOST_ROUNDS} rounds, and {limit} are allowed already; {rest}")
