"""The time of every command's help: the best of three runs each, in seconds.

.venv/bin/python -m bench.help_times
"""

import subprocess
import sys
import time

import click

from starter.cli import parley

_RUNS = 3


def seconds(words: list[str]) -> float:
    """Return how long ``parley WORDS --help`` takes at best."""
    best = float("inf")
    for _ in range(_RUNS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "starter.cli", *words, "--help"], stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.perf_counter() - started)
    return best


def main() -> None:
    """Print one line per command."""
    for words in [[], *([name] for name in parley.list_commands(click.Context(parley)))]:
        print(f"{' '.join(['parley', *words]):28} {seconds(words):.2f}")


if __name__ == "__main__":
    main()
