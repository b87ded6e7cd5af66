"""The price of a model."""

from pydantic import Field

from protocols.model_call import FrozenModel

MILLION = 1_000_000


class TokenPrice(FrozenModel):
    """Dollars for a million tokens of a model, read and written."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the dollars for so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION
