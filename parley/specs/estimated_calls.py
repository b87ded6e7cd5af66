"""The calls of a deliberation for estimates, computed by a module that is imported when it is needed."""

from typing import TYPE_CHECKING, Any

from protocols.panel import Panel

if TYPE_CHECKING:  # the help of a command needs no estimate, and its modules import all protocols
    from parley.call_plans import Estimated, PlannedCalls
    from parley.ranges import Range


def calls_of(protocol: "Estimated", panel: Panel, prompt: "Range", **chosen: Any) -> "list[PlannedCalls]":
    """Return the calls of ``panel`` on a question of so many tokens; ``chosen``: fields of ``EstimateRequest``."""
    from parley.call_plans import EstimateRequest, planned  # noqa: PLC0415 - see above

    return planned(EstimateRequest(protocol, tuple(one.model for one in panel.participants), prompt=prompt, **chosen))
