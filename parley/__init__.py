"""Durable deliberation between language models, from Python.

    from parley import Parley

    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?")
    result = await parley.debate("Should a city close its centre to cars?", mode="adversarial")

Importing this package loads nothing else: ``Parley`` is loaded when it is first used.
"""

from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parley.client import Parley as Parley

    __version__: str

__all__ = ["Parley"]


def __getattr__(name: str) -> Any:
    """Return ``Parley`` on its first use: the Temporal SDK behind it takes half a second to load."""
    if name == "Parley":
        from parley.client import Parley  # noqa: PLC0415 - on first use, see above

        return Parley
    if name == "__version__":
        from runtime.distribution import DISTRIBUTION  # noqa: PLC0415 - on first use, see above

        return metadata.version(DISTRIBUTION)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
