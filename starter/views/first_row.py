"""The first row of a study on a screen: its question and the right answer."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from protocols.visible_text import one_line, printable
from studies.definition.first_row import FirstRow

_MOST_LINES = 12
_WIDEST = 100


def first_row(row: FirstRow) -> RenderableType:
    """Return what the first row asks, shortened, and how its answer is read."""
    lines = [line for line in row.asked.strip().splitlines() if line.strip()]
    shown = lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES // 2], "…", *lines[-_MOST_LINES // 2 :]]
    asked = Text("\n".join(one_line(line, width=_WIDEST) for line in shown), style="dim")
    heading = Text(f"first row, line {row.line}, id {one_line(row.id, width=60)}, is asked:")
    return Group(heading, Padding(asked, (0, 0, 0, 2)), *_label(row))


def _label(row: FirstRow) -> list[Text]:
    if row.expected is None or row.read is None:
        return []
    label = one_line(printable(row.expected), width=40)
    return [Text(f"its label {label!r} is right where {row.right!r} is read (read = {one_line(row.read, width=60)})")]
