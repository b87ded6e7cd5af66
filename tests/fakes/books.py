"""A ledger that keeps its entries in memory."""

from temporalio import activity

from activities.ledger import ChapterRecord, DeliberationRecord, RecallRequest
from protocols.transcript import Transcript, Turn


class FakeBooks:
    """The activities of ``Books`` over lists; the same chapter twice is there once when it is recalled."""

    def __init__(self) -> None:
        self.entries: list[DeliberationRecord] = []
        self.chapters: list[ChapterRecord] = []

    @activity.defn(name="record_deliberation")
    async def record_deliberation(self, entry: DeliberationRecord) -> None:
        """Keep the entry."""
        self.entries.append(entry)

    @activity.defn(name="record_chapter")
    async def record_chapter(self, entry: ChapterRecord) -> None:
        """Keep the chapter."""
        self.chapters.append(entry)

    @activity.defn(name="recall_turns")
    async def recall_turns(self, request: RecallRequest) -> Transcript:
        """What was said in all chapters under the key."""
        told: dict[int, Turn] = {}
        for chapter in self.chapters:
            if chapter.chapter_key == request.chapter_key:
                told |= dict(enumerate(chapter.turns, start=chapter.first))
        return Transcript(turns=tuple(told[number] for number in sorted(told)))
