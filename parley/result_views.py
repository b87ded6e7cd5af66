"""The view of a result, by its protocol."""

from parley.results import AnyResult
from parley.specs import PROTOCOLS
from protocols.tables import ResultView


def view_of(result: AnyResult) -> ResultView:
    """Return what is shown of ``result``."""
    view: ResultView = PROTOCOLS[result.protocol.replace("_", "-")].view(result)
    return view
