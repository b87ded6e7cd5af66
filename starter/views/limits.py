"""The rates that the server keeps, as a table."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from parley.limits import LimitLine
from starter.views.tables import plain


def limits_table(lines: Sequence[LimitLine]) -> RenderableType:
    """Return one row per provider, its single models under it."""
    if not lines:
        return Text("no provider has a limit; give one requests_per_second in the providers file")
    body = []
    for line in lines:
        body.append((line.provider, line.queue, _rate(line.per_second), _rate(line.per_model), line.reason))
        body += [("", f"· {name}", "", _rate(rate), "") for name, rate in sorted(line.models.items())]
    return plain(("provider", "queue", "requests/s", "each model", "why"), body)


def _rate(value: float | None) -> str:
    return "no limit" if value is None else f"{value:g}"
