"""The comparison of a study's arms on a screen of a hundred columns.

A name that is too long for its column is cut in the middle, and the legend has the whole of it.
"""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from protocols.plurals import counted
from protocols.visible_text import one_line
from starter.views import tables
from starter.views.tables import rehearsal_label
from studies.comparison.model import StudyComparison
from studies.comparison.tables import comparison_tables, remarks

WIDTH = 100
"""Columns that every table fits."""

_NAME = 18
_SHORT_NAME = 8
"""Where deliberations are missing, the tables have more columns."""
_WHOLE = 10_000


def comparison(compared: StudyComparison, notes: Sequence[str]) -> RenderableType:
    """Return every table that has rows, and ``notes`` below; a rehearsal is labelled above them."""
    is_whole = compared.n == compared.planned and not any(one.missing for one in compared.arms)
    names = short([one.arm for one in compared.arms], _NAME if is_whole else _SHORT_NAME)
    parts: list[RenderableType] = [rehearsal_label()] if compared.rehearsals else []
    parts.append(Text(one_line(_headline(compared), width=WIDTH), style="bold"))
    parts.append(tables.render(comparison_tables(compared, names), is_dense=True))
    parts += [Text(line) for line in remarks(compared, names)]
    cut = {label: one_line(name, width=_WHOLE) for name, label in names.items()}
    parts += [Text(f"{label} = {name}", style="dim") for label, name in cut.items() if label != name]
    parts += [Text(f"· {note}", style="dim") for note in notes]
    return Group(*parts)


def short(names: Sequence[str], width: int = _NAME) -> dict[str, str]:
    """Return each name in at most ``width`` characters, cut in the middle, no two alike."""
    found: dict[str, str] = {}
    for name in names:
        plain = one_line(name, width=_WHOLE)
        shortened, number = _cut(plain, width), 2
        while shortened in found.values():
            shortened, number = f"{_cut(plain, width - len(f'~{number}'))}~{number}", number + 1
        found[name] = shortened
    return found


def _cut(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    head = (width - 1) // 2
    return f"{name[:head]}…{name[head + 1 - width :]}"


def _headline(compared: StudyComparison) -> str:
    some = f"{compared.n:,} of " * (compared.n != compared.planned)
    size = f"{counted(len(compared.arms), 'arm')}, {counted(compared.rows, 'row')}"
    return f"{compared.study}: {size}, {some}{counted(compared.planned, 'deliberation')} ended"
