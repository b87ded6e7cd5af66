"""The pattern bank on the screen: the real entries, and those of rehearsals under their label."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ledger.patterns import PatternEntry
from protocols.visible_text import one_line
from starter.views.rehearsal import rehearsal_label

_NAME_WIDTH = 60
_ID_WIDTH = 200
_TEXT_WIDTH = 400


def patterns(real: Sequence[PatternEntry], rehearsal: Sequence[PatternEntry] | None) -> RenderableType:
    """Return the real entries first; ``rehearsal`` is ``None`` when only those are wanted."""
    if rehearsal is None:
        return _listed(real)
    return Group(_listed(real), rehearsal_label(), _listed(rehearsal))


def _listed(entries: Sequence[PatternEntry]) -> RenderableType:
    if not entries:
        return Text("there is no such pattern in the ledger")
    return Group(*(line for entry in entries for line in _lines(entry)))


def _lines(entry: PatternEntry) -> list[RenderableType]:
    """Return the lines of an entry: type, agreement, description, quotes and origin.

    Long texts are cut here; the JSON document has them whole.
    """
    content = entry.content
    quoted = [Text(f'    "{one_line(example, width=_TEXT_WIDTH)}"', style="italic") for example in content.examples]
    seen_by = ", ".join(one_line(model, width=_NAME_WIDTH) for model in content.models)
    return [
        Text.assemble((one_line(entry.subcategory, width=_NAME_WIDTH), "bold"), f"  agreement {content.agreement:.2f}"),
        Text(f"    {one_line(content.description, width=_TEXT_WIDTH)}"),
        *quoted,
        Text(f"    {one_line(content.attack_id, width=_ID_WIDTH)} · {seen_by}", style="dim"),
        Text(
            f"    found by {one_line(entry.deliberation_id, width=_ID_WIDTH)}, {entry.recorded_at:%Y-%m-%d}",
            style="dim",
        ),
    ]
