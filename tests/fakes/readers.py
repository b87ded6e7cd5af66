"""Readers without a process, for tests that are about something else."""

from pydantic import JsonValue

from activities.reply_readers import read
from protocols.model_call import ReaderRef


class InlineReaders:
    """The port ``Readers``, read where it is called."""

    async def read(self, text: str, read_as: ReaderRef) -> JsonValue:
        """Return the reading, as a process would."""
        return read(text, read_as)

    async def aclose(self) -> None:
        """Release nothing."""
