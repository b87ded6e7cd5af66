"""The entry point of the program ``parley``: the command line, or a sentence about the package that it lacks."""

import gc
import sys
from typing import NoReturn

from runtime.distribution import missing_package

_USAGE, _INTERRUPTED = 2, 130


def main() -> NoReturn:
    """Run the command line; a worker's installation does not have all that it needs."""
    gc.disable()  # until the work of a command begins: what it imports stays
    try:
        from starter.cli import main as run  # noqa: PLC0415 - click itself may be missing

        run()
    except ModuleNotFoundError as error:
        sys.stderr.write(f"parley: {missing_package(error)}\n")
        sys.exit(_USAGE)
    except KeyboardInterrupt:  # while it still imports
        sys.exit(_INTERRUPTED)
