"""The columns by which deliberations are listed and filtered: Temporal search attributes, each with one type.

The server allows ten keyword attributes and three of every other type, so a column is a decision. Names are words that
fit every protocol.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributePair, SearchAttributeUpdate, TypedSearchAttributes

from protocols.panel import Panel, name_of

PROTOCOL = SearchAttributeKey.for_keyword("Protocol")
STAGE = SearchAttributeKey.for_keyword("Stage")
TITLE = SearchAttributeKey.for_keyword("Title")
BATCH_ID = SearchAttributeKey.for_keyword("BatchId")
STOP_REASON = SearchAttributeKey.for_keyword("StopReason")
CONTINUES = SearchAttributeKey.for_keyword("Continues")
ROUND = SearchAttributeKey.for_int("Round")
TOKENS = SearchAttributeKey.for_int("Tokens")
PARTICIPANTS = SearchAttributeKey.for_int("Participants")
COST_USD = SearchAttributeKey.for_float("CostUsd")
FALSEHOOD = SearchAttributeKey.for_float("Falsehood")
AGREEMENT = SearchAttributeKey.for_float("Agreement")
MODELS = SearchAttributeKey.for_keyword_list("Models")
FAILED_MODELS = SearchAttributeKey.for_keyword_list("FailedModels")
REHEARSAL = SearchAttributeKey.for_bool("Rehearsal")
DEGRADED = SearchAttributeKey.for_bool("Degraded")

ALL: tuple[SearchAttributeKey[Any], ...] = (
    PROTOCOL,
    STAGE,
    TITLE,
    BATCH_ID,
    STOP_REASON,
    CONTINUES,
    ROUND,
    TOKENS,
    PARTICIPANTS,
    COST_USD,
    FALSEHOOD,
    AGREEMENT,
    MODELS,
    FAILED_MODELS,
    REHEARSAL,
    DEGRADED,
)
"""Every column, for the server to know before the first deliberation."""

_LONGEST_LIST = 2_000
"""Bytes. The server ends a run that writes 2,048 or more, and its result is lost."""


def columns_of(known: Mapping[SearchAttributeKey[Any], object]) -> TypedSearchAttributes:
    """Return the columns with which a run starts; those without a value are left out."""
    return TypedSearchAttributes([SearchAttributePair(key, value) for key, value in known.items() if value is not None])


def first_columns(
    protocol: str, title: str, panel: Panel, *, batch_id: str | None = None, continues: str | None = None
) -> TypedSearchAttributes:
    """Return the columns of a deliberation that are known before its first call."""
    return columns_of(
        {
            PROTOCOL: protocol,
            STAGE: "ready",
            TITLE: title,
            PARTICIPANTS: len(panel.participants),
            MODELS: names_that_fit(name_of(seat.model) for seat in panel.participants),
            REHEARSAL: panel.is_rehearsal,
            CONTINUES: continues,
            BATCH_ID: batch_id,
        }
    )


def names_that_fit(names: Iterable[str]) -> list[str]:
    """Return each of ``names`` once, in their order, as many as a column holds."""
    ordered = sorted(set(names))
    sizes = accumulate(len(json.dumps(name)) + len(", ") for name in ordered)
    return [name for name, size in zip(ordered, sizes, strict=True) if size <= _LONGEST_LIST]


class Columns:
    """The columns that a run has written: one is written again only with another value, for each is history.

    A first value that is blank is not written, as ``columns_of`` leaves out what has no value.
    """

    def __init__(self) -> None:
        self._written: dict[str, object] = {}

    def write(self, columns: Sequence[SearchAttributeUpdate[Any]]) -> None:
        """Write those of ``columns`` that have another value than before."""
        changed = [column for column in columns if self._written.get(column.key.name, "") != column.value]
        self._written |= {column.key.name: column.value for column in changed}
        if changed:
            workflow.upsert_search_attributes(changed)
