"""The progress of a call: written by the call, read by its heartbeats.

The tokens are an estimate until the provider's own count arrives, so that a bar can move while a model writes.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Literal

from activities.text_cleaning import clean_line
from protocols.secret_text import SecretScrubber
from protocols.thinking import split_thinking

Phase = Literal["waiting", "queued", "connecting", "thinking", "writing", "reading"]
"""``waiting``: for another attempt's answer or the journal. ``queued``: for a free place at the provider."""
ANSWERING: frozenset[Phase] = frozenset({"thinking", "writing", "reading"})
"""Phases in which the provider has started to answer."""

LONGEST_TAIL = 200
LONGEST_TEXT = 4000
"""Characters of a verdict that a heartbeat carries: its end."""
_CHARACTERS_PER_TOKEN = 4
_OF_REASONING = ("<", "assistantfinal")
"""Text without one of them marks no reasoning; a search for them costs far less than to split it."""


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
    _written: list[str] = field(default_factory=list, repr=False)
    """The text without reasoning that was sent apart from it."""

    @property
    def tokens(self) -> int:
        """Completion tokens so far."""
        if self.counted_tokens is not None:
            return self.counted_tokens
        return max(self._pieces, self._characters // _CHARACTERS_PER_TOKEN)

    @property
    def tail(self) -> str:
        """The end of the text, as one printable line without reasoning and without the key."""
        return clean_line(self._end(self._answer(), LONGEST_TAIL), LONGEST_TAIL)

    def text_so_far(self, field_name: str = "") -> tuple[str, int]:
        """Return the end of the text without reasoning and key, and the number of characters that it has in all.

        ``field_name`` is the field of a JSON object that has the text, where it is not the whole reply.
        """
        answer = self._answer()
        text = partial_field(answer, field_name) if field_name else answer
        return self._end(text, LONGEST_TEXT), len(text)

    def wrote(self, text: str, phase: Literal["thinking", "writing"], pieces: int = 1) -> None:
        """Record text that arrived in so many pieces."""
        self.phase = phase
        self._pieces += pieces
        self._characters += len(text)
        if phase == "writing":
            self._written.append(text)

    def begin_text(self) -> None:
        """Forget the text of an earlier request of this attempt."""
        self._written.clear()

    def _answer(self) -> str:
        whole = "".join(self._written)
        self._written = [whole]
        return split_thinking(whole)[1] if any(mark in whole for mark in _OF_REASONING) else whole

    def _end(self, text: str, longest: int) -> str:
        """Return the end of ``text`` without the key, also when that is half written."""
        if self.scrub is None:
            return text[-longest:]
        kept = text[-longest - self.scrub.longest :]
        return self.scrub.without_cut_end(self.scrub.exactly(kept))[-longest:]


def partial_field(written: str, name: str) -> str:
    """Return the text of the field ``name`` in the beginning of a JSON object; blank before it begins."""
    opening = re.search(rf'"{re.escape(name)}"\s*:\s*"((?:[^"\\]|\\.)*)', written)
    text = opening[1] if opening else ""
    try:
        read = json.loads(f'"{text}"', strict=False)
    except ValueError:  # it ends in the middle of an escape
        read = json.loads(f'"{text[: text.rfind(chr(92))]}"', strict=False)
    return str(read).encode("utf-8", "ignore").decode()  # half of a character is no text yet
