"""The view of a result, by its protocol."""

from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationResult
from protocols.tables import ResultView


def view_of(result: DeliberationResult) -> ResultView:
    """Return what is shown of ``result``."""
    view: ResultView = PROTOCOLS[result.protocol].view(result)
    return view
