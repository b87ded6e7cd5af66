"""A ledger that keeps its entries in memory."""

import asyncio
from datetime import timedelta

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.ledger import ChapterRecord, DeliberationRecord, RecallRequest
from protocols.transcript import Transcript, Turn


class FakeLedger:
    """The activities of ``LedgerActivities`` over lists; a chapter recorded twice is read once."""

    def __init__(self) -> None:
        self.entries: list[DeliberationRecord] = []
        self.chapters: list[ChapterRecord] = []
        self.is_closed = False
        """Nothing can be written for now: every attempt fails and can be retried."""
        self.refuses_for = ""
        """The reason for which every record is refused without another attempt."""
        self.refused = 0
        """Attempts to record a deliberation while the ledger was closed."""
        self.refuses_chapters = False
        """No chapter can be written at all."""
        self.holds_chapters = False
        """No chapter is written until this has ended."""
        self.has_held_chapter = False
        """Whether a chapter waits for that."""
        self.recalls_nothing = False
        """Nothing can be read for now."""

    @activity.defn(name="record_deliberation")
    async def record_deliberation(self, entry: DeliberationRecord) -> None:
        """Keep the entry."""
        if self.is_closed:
            self.refused += 1
            raise ApplicationError("the ledger is closed", type="store.busy", next_retry_delay=timedelta(seconds=0.2))
        if self.refuses_for:
            raise ApplicationError(self.refuses_for, type="store.rejected", non_retryable=True)
        self.entries.append(entry)

    @activity.defn(name="record_chapter")
    async def record_chapter(self, entry: ChapterRecord) -> None:
        """Keep the chapter."""
        if self.refuses_chapters:
            raise ApplicationError("no such column", type="store.refused", non_retryable=True)
        while self.holds_chapters:
            self.has_held_chapter = True
            await asyncio.sleep(0.05)
        self.chapters.append(entry)

    @activity.defn(name="recall_turns")
    async def recall_turns(self, request: RecallRequest) -> Transcript:
        """The turns of all chapters under the key."""
        if self.recalls_nothing:
            raise ApplicationError("the ledger is closed", type="store.busy", next_retry_delay=timedelta(seconds=0.2))
        told: dict[int, Turn] = {}
        for chapter in self.chapters:
            if chapter.chapter_key == request.chapter_key:
                told |= dict(enumerate(chapter.turns, start=chapter.first))
        return Transcript(turns=tuple(told[number] for number in sorted(told) if number < request.count))
