"""Named panels: a list of all, and the roles of one."""

import json
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from parley.catalogue import Known
from parley.model_lists import State
from parley.options.roles import Seat
from parley.panel_check import CheckedModel, role_seats
from protocols.named_panel import NamedPanel
from protocols.plurals import counted
from protocols.visible_text import one_line, printable
from protocols.written_seat import SeatTable, names_of
from starter.views.tables import plain

_WORDS: Mapping[State, str] = {
    "listed": "listed",
    "expiring": "retires",
    "retired": "retired",
    "unlisted": "not listed.",
    "unchecked": "not checked:",
}
_STYLES: Mapping[State, str] = {
    "listed": "green",
    "expiring": "yellow",
    "retired": "red",
    "unlisted": "red",
    "unchecked": "yellow",
}
_SOURCES: Mapping[Known, str] = {
    "refused": "it refused one",
    "providers file": "providers file",
    "model list": "its provider's list",
    "kind of provider": "its kind of provider",
    "nothing": "nothing is known",
}
_NO_SETTINGS = {"name", "model", "models"}
_SETTING = 300
"""Characters that are shown of one setting; --json has all of them."""
_HINT = "Who takes part in each protocol: parley panels show NAME. Whether the models exist: parley panels check NAME"


def all_panels(panels: Mapping[str, NamedPanel], missing: Mapping[str, Sequence[str]]) -> RenderableType:
    """Return a few lines per panel: models, chair, and the key variables ``missing`` for it."""
    return Group(*(_summary(name, panel, missing[name]) for name, panel in panels.items()), Text(_HINT))


def one_panel(name: str, panel: NamedPanel) -> RenderableType:
    """Return the roles of one panel, protocol by protocol, and the settings of its seats."""
    before, body, settings = ("", ""), [], dict[str, None]()
    for one in role_seats(panel):
        here = (one.protocol, one.role)
        shown = ("" if here[0] == before[0] else here[0], "" if here == before else here[1].replace("_", " "))
        body.append((*shown, _written(one.seat)))
        before = here
        settings |= dict.fromkeys(_settings(one.seat))
    return Group(_heading(name, panel), plain(("protocol", "role", "seat"), body), *map(Text, settings))


def model_checks(what: str, checked: Sequence[CheckedModel]) -> RenderableType:
    """Return a few lines per model of ``what`` was checked: status, price, limits and seats."""
    lost = sum(line.status.is_lost for line in checked)
    unchecked = sum(line.status.state == "unchecked" for line in checked)
    said = f"{printable(what)}: {counted(len(checked), 'model')}, {lost} not there, {unchecked} not checked"
    return Group(*map(_checked, checked), Text(said))


def _checked(line: CheckedModel) -> RenderableType:
    status = line.status
    state = " ".join(filter(None, (_WORDS[status.state], printable(status.note))))
    return Group(
        Text.assemble((printable(status.model), "bold"), "  ", (state, _STYLES[status.state])),
        Text(f"    {_facts(line)}"),
        Text(f"    {_by_protocol(line.seats)}", "dim"),
    )


def _facts(line: CheckedModel) -> str:
    context = line.status.context_tokens
    return " · ".join(
        (
            f"{_dollars(line.input_usd)} in, {_dollars(line.output_usd)} out per million tokens",
            "context unknown" if context is None else f"context {context:,} tokens",
            f"{'JSON schema' if line.has_schema else 'no JSON schema'} ({_SOURCES[line.schema_known_from]})",
        )
    )


def _by_protocol(seats: Sequence[str]) -> str:
    roles: dict[str, list[str]] = {}
    for seat in seats:
        protocol, _, role = seat.partition(" ")
        roles.setdefault(protocol, []).append(role)
    return "; ".join(f"{protocol} {', '.join(found)}" for protocol, found in roles.items())


def _dollars(usd: float | None) -> str:
    return "price unknown" if usd is None else f"${usd:g}"


def _summary(name: str, panel: NamedPanel, missing: Sequence[str]) -> RenderableType:
    keys = Text(f"missing: {', '.join(missing)}", "red") if missing else Text("all there", "green")
    return Group(
        _heading(name, panel),
        Text(f"    models     {', '.join(map(_written, panel.models))}"),
        Text(f"    concludes  {_written(panel.concluding)}"),
        Text.assemble("    keys       ", keys),
        "",
    )


def _written(seat: Seat) -> str:
    named = f"{seat.name}: " if isinstance(seat, SeatTable) and seat.name else ""
    return printable(f"{named}{', then '.join(names_of(seat))}")


def _settings(seat: Seat) -> Iterator[str]:
    """Yield the settings of a seat in the words of a panels file, if it has some."""
    sent = seat.model_dump(mode="json", by_alias=True, exclude=_NO_SETTINGS) if isinstance(seat, SeatTable) else {}
    if sent:
        values = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in sent.items())
        lines = (f"    {one_line(value, width=_SETTING)}" for value in values)
        yield "\n".join((_written(seat), *lines))


def _heading(name: str, panel: NamedPanel) -> Text:
    return Text.assemble((printable(name), "bold"), "  ", (printable(panel.description), "dim"))
