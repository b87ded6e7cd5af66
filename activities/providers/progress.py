"""The progress of a call: written by the call, read by its heartbeats.

The tokens are an estimate until the provider's own count arrives, so that a bar can move while a model writes.
"""

from dataclasses import dataclass, field
from typing import Literal

from activities.text_cleaning import clean_line
from protocols.secret_text import SecretScrubber

Phase = Literal["waiting", "queued", "connecting", "thinking", "writing", "reading"]
"""``waiting``: for another attempt's answer or the journal. ``queued``: for a free place at the provider."""

LONGEST_TAIL = 200
_CHARACTERS_PER_TOKEN = 4


@dataclass
class CallProgress:
    """One call's progress."""

    phase: Phase = "waiting"
    request_id: str | None = None
    counted_tokens: int | None = None
    """Completion tokens as the provider counted them."""
    is_paying: bool = False
    """This attempt made the request, rather than finding another's answer."""
    scrub: SecretScrubber | None = field(default=None, repr=False)
    """What takes the key out of the end that is shown."""
    _pieces: int = field(default=0, repr=False)
    _characters: int = field(default=0, repr=False)
    _tail: str = field(default="", repr=False)

    @property
    def tokens(self) -> int:
        """Completion tokens so far."""
        if self.counted_tokens is not None:
            return self.counted_tokens
        return max(self._pieces, self._characters // _CHARACTERS_PER_TOKEN)

    @property
    def tail(self) -> str:
        """The end of what was written, as one printable line without the key, also when it is half written."""
        shown = self._tail
        if self.scrub is not None:
            shown = self.scrub.without_cut_end(self.scrub.exactly(shown))
        return clean_line(shown[-LONGEST_TAIL:], LONGEST_TAIL)

    def wrote(self, piece: str, phase: Literal["thinking", "writing"]) -> None:
        """Record a piece of text that arrived."""
        self.phase = phase
        self._pieces += 1
        self._characters += len(piece)
        kept = LONGEST_TAIL + (self.scrub.longest if self.scrub is not None else 0)
        self._tail = (self._tail + piece[-kept:])[-kept:]
