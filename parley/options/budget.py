"""Options of the budget of one deliberation."""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Self, TypedDict

from pydantic import BaseModel, Field, field_validator

from parley.errors import RequestError
from parley.options.written import Written
from protocols.cost_text import limit
from protocols.model_call import ModelId
from protocols.spending_cap import OnBudget, SpendingCap
from protocols.update_requests import TokenPrice

PriceOf = Callable[[ModelId], TokenPrice | None]
"""The price of a model by the price list; ``None`` when it is unknown."""


class BudgetKeywords(TypedDict, total=False):
    """The keywords, described in ``BudgetOptions``."""

    budget_usd: float | None
    budget_tokens: int | None
    on_budget: OnBudget
    assume_price: TokenPrice | str | Mapping[str, float] | None


class BudgetOptions(BaseModel):
    """The limits of one deliberation."""

    budget_usd: float | None = Field(default=None, gt=0)
    """Most dollars for one deliberation, prices by the price list; by default PARLEY_MAX_USD."""
    budget_tokens: int | None = Field(default=None, gt=0)
    """Most tokens for one deliberation, read and written; by default no limit."""
    on_budget: OnBudget = "end"
    """Where the next calls do not fit: end with the result so far, or wait for parley budget."""
    assume_price: Annotated[TokenPrice | None, Written("IN/OUT")] = None
    """Dollars per million tokens, read and written, that models without a price count as; by default none."""

    @field_validator("assume_price", mode="before")
    @classmethod
    def _two_numbers(cls, given: Any) -> Any:
        return _read_price(given) if isinstance(given, str) else given

    def limited(self, most_usd: float | None) -> Self:
        """Return the options with ``most_usd`` as the limit in dollars, where they have none of their own."""
        is_given = most_usd is None or self.budget_usd is not None
        return self if is_given else self.model_copy(update={"budget_usd": most_usd})

    @property
    def is_limited(self) -> bool:
        """True where dollars or tokens are limited."""
        return self.budget_usd is not None or self.budget_tokens is not None

    def spending_cap(self, models: Iterable[ModelId], price_of: PriceOf) -> SpendingCap | None:
        """Return the limits with the prices of ``models``; ``None`` without a limit.

        Raises:
            RequestError: dollars are limited, and the price of a model is unknown.
        """
        if not self.is_limited:
            return None
        listed = {model: price_of(model) for model in models} if self.budget_usd is not None else {}
        known = {model: price for model, price in listed.items() if price is not None}
        unknown = [model for model in listed if model not in known]
        if unknown and self.assume_price is None and self.budget_usd is not None:
            raise RequestError(unpriced_message(unknown, self.budget_usd))
        return SpendingCap(
            usd=self.budget_usd,
            tokens=self.budget_tokens,
            on_budget=self.on_budget,
            prices=known,
            assumed=self.assume_price,
        )


def unpriced_message(models: Iterable[ModelId], usd: float) -> str:
    """Return the message of a limit in dollars for models of unknown price, with its remedies."""
    return (
        f"the price of {', '.join(map(repr, models))} is not known, so a limit of {limit(usd)} cannot be kept: assume "
        "a price in dollars per million tokens (--assume-price 3/15), or limit the tokens instead (--budget-tokens)"
    )


def _read_price(written: str) -> TokenPrice:
    try:
        read, write = (float(part.strip().removeprefix("$")) for part in written.split("/"))
        return TokenPrice(input=read, output=write)
    except ValueError:
        said = "write dollars per million tokens, read and written, as in 3/15; 0/0 is a model that costs nothing"
        raise ValueError(said) from None
