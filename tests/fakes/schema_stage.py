"""Deliberations of scripted models that deal with JSON schemas in every way, asked by the real activity."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from activities.call_model import ModelCalls
from activities.providers.catalogue import Catalogue, Provider
from activities.providers.structured_output import StructuredOutput
from rehearsal.api.billing import Arrival
from rehearsal.api.server import Rehearsal
from tests.fakes.journal import FakeJournal
from tests.fakes.readers import InlineReaders
from tests.rehearsal.listening import PREFIXES

DIALECTS = ("openrouter", "cerebras", "generic")


class SchemaStage:
    """The activity, and the rehearsal server whose dialects are in its catalogue as providers of those names."""

    def __init__(self, stage: Rehearsal) -> None:
        self._stage = stage
        providers = {name: _provider(stage, name) for name in DIALECTS}
        self.journal = FakeJournal()
        self.calls = ModelCalls(
            Catalogue(providers=providers),
            {"STAGE_KEY": "sk-stage"},
            self.journal,
            readers=InlineReaders(),
            structured_output=StructuredOutput(),
        )

    @property
    def arrivals(self) -> list[Arrival]:
        """What arrived in, in order."""
        return self._stage.ledger.arrivals

    def refused(self) -> Counter[str]:
        """By model, how many requests were turned down for their schema."""
        return Counter(arrival.model for arrival in self.arrivals if arrival.fault == "no-schema")


@asynccontextmanager
async def schema_stage(seed: int = 7) -> AsyncIterator[SchemaStage]:
    """A running server and the activity that asks it."""
    async with Rehearsal(seed=seed) as stage:
        found = SchemaStage(stage)
        try:
            yield found
        finally:
            await found.calls.aclose()


def _provider(stage: Rehearsal, dialect: str) -> Provider:
    limit = "max_tokens" if dialect == "generic" else "max_completion_tokens"
    return Provider.model_validate(
        {
            "name": dialect,
            "dialect": dialect,
            "base_url": f"{stage.url}{PREFIXES[dialect]}",
            "key_variable": "STAGE_KEY",
            "max_tokens_field": limit,
            "structured_output": True,
        }
    )
