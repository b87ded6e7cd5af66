"""Fewer and shorter garbage collections in a process that serves for long.

The modules of a worker are some hundred thousand objects that stay. Python looked at all of them in every full
collection, for a tenth of a second in which nothing else ran, and every few calls at those of the calls in flight.
"""

import gc
from typing import Final

OBJECTS_BEFORE_A_LOOK: Final = 5_000
"""More objects than before after which the youngest are looked at: those of some 90 calls, in a few milliseconds."""
_LOOKS_BEFORE_THE_NEXT = (10, 5)
"""Looks at one generation before the next older one: cycles that outlive two looks stay for some 4,500 calls."""


def collect_less() -> None:
    """Take what exists now out of all later garbage collections, and have those after more objects than usual.

    A process that was started without garbage collections has them from here on.
    """
    gc.collect()  # what is garbage now would stay for ever
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_A_LOOK, *_LOOKS_BEFORE_THE_NEXT)
    gc.enable()
