"""The verdict while it is written: its end below the progress, or all of it as it comes."""

from collections.abc import Mapping

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from parley.pending_calls import Call
from protocols.visible_text import printable

_LINES = 12
_NEXT = "\n\n"
_AGAIN = "\n\n[another attempt: the text begins again]\n\n"


def end_of_text(calls: Mapping[str, Call]) -> RenderableType | None:
    """Return the last lines of the verdict that is being written; ``None`` when none is."""
    written = [call.text for call in calls.values() if call.text]
    if not written:
        return None
    lines = printable(written[-1]).splitlines()[-_LINES:]
    return Padding(Text("\n".join(lines), style="italic"), (0, 0, 0, 2))


class TextPrinter:
    """The text of the verdict, piece by piece."""

    def __init__(self) -> None:
        self._shown: dict[str, int] = {}

    def new_text(self, calls: Mapping[str, Call]) -> str:
        """Return the part of the verdict in ``calls`` that was not returned before."""
        return "".join(self._new(call_id, call) for call_id, call in sorted(calls.items()) if call.text)

    def _new(self, call_id: str, call: Call) -> str:
        before, is_first = self._shown.get(call_id, 0), not self._shown
        is_known, self._shown[call_id] = call_id in self._shown, call.characters
        if call.characters < before:
            return _AGAIN + self._since(call, 0)
        return ("" if is_known or is_first else _NEXT) + self._since(call, before)

    def _since(self, call: Call, before: int) -> str:
        """Return the text behind character ``before``, with a mark where some of it is no longer there."""
        new = call.characters - before
        if new > len(call.text):
            return ("\n[…]\n" if before else "") + printable(call.text)
        return printable(call.text[len(call.text) - new :])
