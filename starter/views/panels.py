"""Named panels: a list of all, and the roles of one."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from protocols.named_panel import NamedPanel
from starter.terminal import printable

_HINT = "Who takes part in each protocol: parley panels NAME. Whether the models exist: parley models --check NAME"


def all_panels(panels: Mapping[str, NamedPanel], missing: Mapping[str, Sequence[str]]) -> RenderableType:
    """Return a few lines per panel: models, who concludes, and the key variables that are ``missing`` for it."""
    return Group(*(_summary(name, panel, missing[name]) for name, panel in panels.items()), Text(_HINT))


def one_panel(name: str, panel: NamedPanel) -> RenderableType:
    """Return the roles of one panel, protocol by protocol."""
    table = Table(box=box.SIMPLE)
    for heading in ("protocol", "role", "model"):
        table.add_column(heading, overflow="fold")
    before = ("", "")
    for seat in panel.seated():
        here = (seat.protocol, seat.role)
        shown = ("" if here[0] == before[0] else here[0], "" if here == before else here[1].replace("_", " "))
        table.add_row(*shown, Text(printable(seat.model)))
        before = here
    return Group(_heading(name, panel), table)


def _summary(name: str, panel: NamedPanel, missing: Sequence[str]) -> RenderableType:
    keys = Text(f"missing: {', '.join(missing)}", "red") if missing else Text("all there", "green")
    return Group(
        _heading(name, panel),
        Text(f"    models     {printable(', '.join(panel.models))}"),
        Text(f"    concludes  {printable(panel.chairing)}"),
        Text.assemble("    keys       ", keys),
        "",
    )


def _heading(name: str, panel: NamedPanel) -> Text:
    return Text.assemble((printable(name), "bold"), "  ", (printable(panel.description), "dim"))
