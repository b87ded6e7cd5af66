"""The process in which a scorer's Python function runs: one line of JSON in, one line of JSON out.

It is started with the file and the function's name. What the function prints goes to standard error, so that it
cannot be taken for a result.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from typing import Any

_LONGEST = 500


def main(file: str, function: str) -> None:
    """Answer every line of standard input until it ends."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as replies:
        os.dup2(2, 1)
        call = _loaded(file, function)
        replies.write("ready\n")
        replies.flush()
        for line in sys.stdin:
            replies.write(json.dumps(_called(call, json.loads(line))) + "\n")
            replies.flush()


def _loaded(file: str, function: str) -> Callable[..., Any]:
    sys.path.insert(0, os.path.dirname(file))  # noqa: PTH120 - the function's file imports its neighbours
    spec = importlib.util.spec_from_file_location("scorers_of_the_user", file)
    if spec is None or spec.loader is None:
        sys.exit(f"{file!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        sys.exit(f"{file!r} has no function {function!r}")
    call: Callable[..., Any] = found
    return call


def _called(call: Callable[..., Any], asked: dict[str, Any]) -> dict[str, Any]:
    try:
        said = call(asked["row"], asked["result"])
        said = said.item() if hasattr(said, "item") else said  # NumPy's numbers, and its true and false
        said = float(said) if isinstance(said, int) and not isinstance(said, bool) else said
    except Exception as error:  # noqa: BLE001 - the edge of a process: any error of the user's code is a result
        return {"error": f"{type(error).__name__}: {error}"[:_LONGEST]}
    if said is None or isinstance(said, str | bool | int | float):
        return {"said": said}
    return {"error": f"it returned {type(said).__name__}; return a number, a text, True, False or None"}


if __name__ == "__main__":
    main(*sys.argv[1:])
