"""Refusal of a budget that is too small for the first calls, before anything starts."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from parley.errors import RequestError
from protocols.cost_text import limit
from protocols.deliberation import DeliberationInput
from protocols.model_call import ModelCall
from protocols.plurals import counted
from protocols.spending_cap import CapUse, SpendingCap, total


def refuse_small_budget(
    inp: DeliberationInput, first_calls: Callable[[Any], Sequence[ModelCall]], *, is_divisible: bool
) -> None:
    """Refuse a deliberation whose budget ends it before its first stage.

    Args:
        inp: The deliberation; of several turns the first counts.
        first_calls: Returns the calls of the first stage.
        is_divisible: Whether as many of them are made as fit.

    Raises:
        RequestError: the budget is too small; names it, the cost of the stage and the remedy.
    """
    if inp.cap is None:
        return
    cap, first = inp.cap, inp.on_turn(1, inp.earlier[0]) if inp.earlier else inp
    wanted = [cap.most(cap.bounded(call)) for call in first_calls(first)]
    if is_divisible:
        wanted = [min(wanted, key=lambda one: (one.usd, one.tokens))]
    if not cap.fits(total(wanted)):
        raise RequestError(_too_small(cap, total(wanted), counted(len(wanted), "call")))


def _too_small(cap: SpendingCap, needed: CapUse, calls: str) -> str:
    if not cap.model_copy(update={"tokens": None}).fits(needed):
        given, most = limit(cap.usd or 0), f"cost up to ${needed.usd:.4f}"
        option = f"--budget-usd {ceil(needed.usd * 100) / 100:.2f}"
    else:
        given, most = counted(cap.tokens or 0, "token"), f"take up to {needed.tokens:,} tokens"
        option = f"--budget-tokens {needed.tokens}"
    return (
        f"the budget of {given} is too small to begin: the first stage ({calls}) may {most}; raise it ({option}), or "
        "shorten the replies (--max-tokens)"
    )
