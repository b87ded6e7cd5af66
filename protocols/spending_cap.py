"""The cap of one deliberation, and the highest cost of its next calls.

A call is counted before it is made: its prompt as ``protocols.tokens`` counts it, and as many tokens of reply as it may
write. So every reply has a limit where there is a cap. The price list is part of the cap: a workflow reads no file, and
a price that changes later must not change what a replayed run decided.
"""

from collections.abc import Iterable, Sequence
from math import ceil, fsum, inf
from typing import Literal, Self, TypeGuard

from pydantic import Field, model_validator

from protocols import tokens
from protocols.attachments import attached_tokens
from protocols.cost_text import in_dollars, limit
from protocols.model_call import Answered, Failed, FrozenModel, ModelCall, ModelId
from protocols.plurals import counted
from protocols.sources import SEARCH_USD
from protocols.spending import Reported
from protocols.update_requests import BudgetChange, TokenPrice

OnBudget = Literal["end", "wait"]
"""What happens where the next calls do not fit: it ends with the result so far, or waits for a user."""

REPLY_TOKENS = 4096
"""Most tokens of a reply in a deliberation with a cap, where ``max_tokens`` sets no other limit."""

_DECIMALS = 12
_DUST = 1e-9
"""Of a dollar: what adding up binary fractions may leave over is no reason to end."""
_PER_MESSAGE = 8
"""Tokens that a provider adds to each message."""
_ACCEPTED = {"provider.broken_off", "provider.bad_response", "provider.too_large"}  # and may be billed


class CapUse(FrozenModel):
    """Dollars and tokens that count against a cap."""

    usd: float = 0.0
    tokens: int = 0


UNUSED = CapUse()


class SpendingCap(FrozenModel):
    """The limits of one deliberation, and the prices by which its calls are counted before they are made."""

    usd: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    on_budget: OnBudget = "end"
    prices: dict[ModelId, TokenPrice] = Field(default_factory=dict)
    """Of every model that is asked; empty without a limit in dollars."""
    assumed: TokenPrice | None = None
    """The price of the models that the price list does not have."""
    reply_tokens: int = Field(default=REPLY_TOKENS, ge=1)

    @model_validator(mode="after")
    def _has_prices(self) -> Self:
        if self.usd is not None and not self.prices and self.assumed is None:
            raise ValueError("a limit in dollars needs the prices of the models, or an assumed price")
        return self

    def changed(self, change: BudgetChange) -> "SpendingCap":
        """Return the cap with other limits; those not named stay."""
        usd, count = change.apply(self.usd, self.tokens)
        return self.model_copy(update={"usd": usd, "tokens": count})

    def priced(self, model: ModelId, price: TokenPrice | None) -> "SpendingCap":
        """Return the cap with the price of one more model, where it is known."""
        return self if price is None else self.model_copy(update={"prices": {**self.prices, model: price}})

    def price_of(self, model: ModelId) -> TokenPrice | None:
        """Return the price by which calls of ``model`` are counted."""
        return self.prices.get(model, self.assumed)

    def bounded(self, call: ModelCall) -> ModelCall:
        """Return ``call`` with a limit on its reply."""
        if call.sampling.max_tokens is not None:
            return call
        sampling = call.sampling.model_copy(update={"max_tokens": self.reply_tokens})
        return call.model_copy(update={"sampling": sampling})

    def most(self, call: ModelCall) -> CapUse:
        """Return the most that ``call`` may use; a model without any price counts as the dearest of the others."""
        texts = (*(message.content for message in call.messages), call.schema_instruction)
        files = sum(attached_tokens(message.attachments) for message in call.messages)
        prompt = files + sum(tokens.count(text) + _PER_MESSAGE for text in texts if text)
        reply = call.sampling.max_tokens or self.reply_tokens
        if self.usd is None:
            return CapUse(tokens=prompt + reply)
        price = self.price_of(call.model)
        usd = max(one.of(prompt, reply) for one in ([price] if price else self.prices.values()))
        return CapUse(usd=usd + (SEARCH_USD if call.web else 0.0), tokens=prompt + reply)

    def used_by(self, call: ModelCall, reply: Answered | Failed | None) -> CapUse:
        """Return the use of a call that has ended; an unknown part of it counts as the most.

        Nothing counts where the provider refused the request, but what earlier attempts took; ``None`` is a call that
        was given up in the middle.
        """
        most = self.most(call)
        if reply is None:
            return most
        if is_refused(reply) and reply.error_type not in _ACCEPTED and not Reported.of(reply).is_known:
            return UNUSED
        usage, price = reply.usage, self.price_of(call.model)
        is_counted = usage.prompt_tokens is not None and usage.completion_tokens is not None
        if reply.cost.usd is not None:
            usd = reply.cost.usd
        elif is_counted and price is not None:
            usd = price.of(usage.prompt_tokens or 0, usage.completion_tokens or 0)
        else:
            usd = most.usd
        return CapUse(usd=usd, tokens=(usage.total_tokens or 0) if is_counted else most.tokens)

    def fits(self, use: CapUse) -> bool:
        """Return whether ``use`` is within the limits."""
        return use.usd <= (inf if self.usd is None else self.usd + _DUST) and use.tokens <= (self.tokens or inf)

    def report(self, used: CapUse, left_out: str = "", needed: CapUse | None = None) -> "CapReport":
        """Return the limits, their use, and the calls that were left out or wait."""
        return CapReport(
            usd=self.usd,
            tokens=self.tokens,
            used_usd=used.usd,
            used_tokens=used.tokens,
            left_out=left_out,
            needed=needed,
        )

    def shortage(self, stage: str, wanted: Sequence[CapUse], used: CapUse) -> str:
        """Return in one sentence why the ``wanted`` calls of a stage do not fit."""
        most, calls = total((*wanted, used)), counted(len(wanted), "call")
        if self.usd is not None and most.usd > self.usd + _DUST:
            asked, there = total(wanted).usd, max(0.0, self.usd - used.usd)
            digits = 4 if f"{asked:.4f}" != f"{there:.4f}" else 8  # equal figures would contradict the sentence
            needs = f"may cost up to ${asked:.{digits}f}"
            return f"{stage} ({calls}) {needs}, and ${there:.{digits}f} of {limit(self.usd)} is left"
        most_tokens = self.tokens or 0
        left = f"{max(0, most_tokens - used.tokens):,} of {most_tokens:,}"
        return f"{stage} ({calls}) may take up to {total(wanted).tokens:,} tokens, and {left} are left"


class CapReport(FrozenModel):
    """The limits of a deliberation, and what counts against them so far."""

    usd: float | None = None
    tokens: int | None = None
    used_usd: float = 0.0
    """Calls in flight count as the most that they may cost."""
    used_tokens: int = 0
    left_out: str = ""
    """The calls that were not made because they did not fit, and why, in one sentence."""
    needed: CapUse | None = None
    """The limits that would be enough for the waiting calls."""

    @property
    def remedy(self) -> str:
        """The options of ``parley budget`` with which the waiting calls fit; blank when none waits."""
        if self.needed is None:
            return ""
        usd, count = self.needed.usd, self.needed.tokens
        dollars = [f"--usd {ceil(usd * 100) / 100:.2f}"] if self.usd is not None and usd > self.usd else []
        more = [f"--tokens {count}"] if self.tokens is not None and count > self.tokens else []
        return " ".join((*dollars, *more))

    @property
    def line(self) -> str:
        """The limits and their use in one line."""
        usd = [] if self.usd is None else [f"{in_dollars(self.used_usd)} of {limit(self.usd)}"]
        count = [] if self.tokens is None else [f"{self.used_tokens:,} of {self.tokens:,} tokens"]
        left = f"; not asked: {self.left_out}" if self.left_out else ""
        return f"budget: {' and '.join((*usd, *count)) or 'no limit'}{left}"


def is_refused(reply: Answered | Failed | None) -> TypeGuard[Failed]:
    """Return whether the provider answered the last attempt with an error, or broke off without a word that is kept."""
    return isinstance(reply, Failed) and reply.status is not None and not reply.text


def total(uses: Iterable[CapUse]) -> CapUse:
    """Return the sum of ``uses``."""
    each = tuple(uses)
    return CapUse(usd=round(fsum(one.usd for one in each), _DECIMALS), tokens=sum(one.tokens for one in each))
