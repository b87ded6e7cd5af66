"""Counts by stage of requests and answers, and the source of the costs, from the rows of the calls.

They are counted by turns: a seat that was asked again in the same stage of the same round, with more room or with
another model behind it, was asked once.
"""

from collections.abc import Collection, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, Row, bindparam, select

from ledger.tables import CALLS

CostSources = Literal["provider", "price_list", "mixed", "unknown"]
"""Where the figures of one deliberation come from."""

_ANSWERED = "answered"
_COUNTED = ("key", "salt", "stage", "round", "participant", "outcome", "served_model", "upstream")
_PAID = ("cost_usd", "cost_source", "completion_tokens")
_OF_ONE = CALLS.c.deliberation_id == bindparam("deliberation")
_CALLS = select(*CALLS.c[*_COUNTED, *_PAID]).where(_OF_ONE).order_by(CALLS.c.recorded_at, CALLS.c.call_id)
"""Made once: to make it for each deliberation takes longer than to run it."""


def calls_of(connection: Connection, deliberation_id: str, salt: str | None = None) -> Sequence[Row[Any]]:
    """Return what is counted of a deliberation's calls, in the order of record; with ``salt`` of one use of its id."""
    return [row for row in connection.execute(_CALLS, {"deliberation": deliberation_id}) if salt in {None, row.salt}]


def quorum(calls: Sequence[Row[Any]], lost: Collection[str] = ()) -> dict[str, dict[str, int]]:
    """Count by stage the turns ``asked`` and ``answered``.

    ``lost`` are the keys of calls that the deliberation gave up: a later answer to one does not count.
    """
    asked: dict[str, set[tuple[int, str]]] = {}
    answered: dict[str, set[tuple[int, str]]] = {}
    for call in calls:
        turn = (call.round, call.participant)
        asked.setdefault(call.stage, set()).add(turn)
        if call.outcome == _ANSWERED and call.key not in lost:
            answered.setdefault(call.stage, set()).add(turn)
    return {stage: {"asked": len(turns), "answered": len(answered.get(stage, ()))} for stage, turns in asked.items()}


def cost_source(calls: Sequence[Row[Any]]) -> CostSources:
    """Return the source of the costs; a lost call without a cost and without output is ignored."""
    paid = (call for call in calls if call.outcome == _ANSWERED or call.cost_usd or call.completion_tokens)
    sources = {call.cost_source for call in paid}
    return "mixed" if len(sources) > 1 else next(iter(sources), "unknown")
