"""The calls of a deliberation for estimates, computed by a module that is imported when it is needed."""

from typing import TYPE_CHECKING, Any

from protocols.panel import Panel

if TYPE_CHECKING:  # the help of a command needs no estimate, and its modules import all protocols
    from parley.call_plans import Estimated, Planned
    from parley.ranges import Span


def calls_of(protocol: "Estimated", panel: Panel, prompt: "Span", **chosen: Any) -> "list[Planned]":
    """Return the calls that ``panel`` may make on a question of so many tokens; ``chosen`` are fields of ``Wish``."""
    from parley.call_plans import Wish, planned  # noqa: PLC0415 - see above

    return planned(Wish(protocol, tuple(one.model for one in panel.participants), prompt=prompt, **chosen))
