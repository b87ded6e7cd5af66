"""The columns by which deliberations are listed and filtered: Temporal search attributes, each with one type.

The server allows ten keyword attributes and three of every other type, so a column is a decision. Names are words that
fit every protocol.
"""

from collections.abc import Sequence
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributeUpdate

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


class Columns:
    """The columns that a run has written: one is written again only with another value, for each is history."""

    def __init__(self) -> None:
        self._written: dict[str, object] = {}

    def write(self, columns: Sequence[SearchAttributeUpdate[Any]]) -> None:
        """Write those of ``columns`` that have another value than before."""
        changed = [column for column in columns if self._written.get(column.key.name, "") != column.value]
        self._written |= {column.key.name: column.value for column in changed}
        if changed:
            workflow.upsert_search_attributes(changed)
