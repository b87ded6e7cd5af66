"""Costs in words. One place decides them, so that no screen shows a free rehearsal as a bill."""

from decimal import Decimal

from protocols.model_call import Spending
from protocols.plurals import counted

UNKNOWN_COST = "cost unknown"
"""In place of a cost of which no part is known."""
_LEAST_SHOWN = 0.00095
"""Less has a single digit, or none, with four decimals: $0.0001 is up to half as much, or as little."""


def in_dollars(usd: float) -> str:
    """Return ``usd`` with four decimals, or with two digits where those would show one or none of it."""
    return f"${Decimal(f'{usd:.2g}'):f}" if 0 < usd < _LEAST_SHOWN else f"${usd:,.4f}"


def cost(amount: str, *, rehearsal: bool) -> str:
    """Return ``amount`` as a cost; scripted models charge prices that are invented."""
    return f"invented cost {amount}" if rehearsal else amount


def with_unknown(amount: str, calls: int) -> str:
    """Return ``amount`` with the number of calls whose cost is not known."""
    return f"{amount} and the unknown cost of {counted(calls, 'call')}" if calls else amount


def limit(usd: float) -> str:
    """Return a limit of dollars as it was given."""
    if usd == round(usd, 2):
        return f"${usd:,.2f}"
    return f"${Decimal(f'{usd:.6g}'):f}" if usd < 1 else f"${usd:,.6f}".rstrip("0").rstrip(".")


def cost_heading(*, rehearsal: bool) -> str:
    """Return the heading of a column of costs."""
    return "invented cost" if rehearsal else "cost"


def known_tokens(tokens: int, *, uncounted: int) -> str:
    """Return the number of ``tokens``; it is the least where answers are ``uncounted``."""
    least = "at least " if uncounted else ""
    return "tokens unknown" if uncounted and not tokens else f"{least}{counted(tokens, 'token')}"


def unanswered(requests: int) -> str:
    """Return the number of ``requests`` without an answer in words; blank for 0."""
    return f"; up to {counted(requests, 'request')} without an answer may be billed too" if requests else ""


def spending(spent: Spending, *, rehearsal: bool) -> str:
    """Return calls, tokens and cost in one line, with what is not known of tokens and cost."""
    amount = with_unknown(in_dollars(spent.usd), spent.calls_of_unknown_cost)
    priced = UNKNOWN_COST if spent.known_usd is None else cost(amount, rehearsal=rehearsal)
    shared = f"; {counted(spent.shared_calls, 'answer')} shared, not paid again" if spent.shared_calls else ""
    tokens = known_tokens(spent.tokens, uncounted=spent.calls_of_unknown_tokens)
    return f"{counted(spent.calls, 'call')}, {tokens}, {priced}{unanswered(spent.unanswered_requests)}{shared}"
