"""A ledger that keeps its entries in memory."""

from temporalio import activity

from activities.ledger import DeliberationRecord


class FakeBooks:
    """The ``record_deliberation`` activity over a list."""

    def __init__(self) -> None:
        self.entries: list[DeliberationRecord] = []

    @activity.defn(name="record_deliberation")
    async def record_deliberation(self, entry: DeliberationRecord) -> None:
        """Keep the entry."""
        self.entries.append(entry)
