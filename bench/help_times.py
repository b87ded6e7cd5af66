"""The time of every command's help and the processor time of it: the best of three runs each, in seconds.

.venv/bin/python -m bench.help_times
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

import click

from starter.cli import parley

_RUNS = 3
_PROGRAM = Path(sys.executable).with_name("parley")


def seconds(words: list[str]) -> tuple[float, float]:
    """Return how long ``parley WORDS --help`` takes at best, and how long it computes."""
    runs = []
    for _ in range(_RUNS):
        started, computed = time.perf_counter(), _computed()
        subprocess.run([_PROGRAM, *words, "--help"], stdout=subprocess.DEVNULL, check=True)
        runs.append((time.perf_counter() - started, _computed() - computed))
    return min(waited for waited, _ in runs), min(spent for _, spent in runs)


def _computed() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print one line per command: the time and the processor time."""
    for words in [[], *([name] for name in parley.list_commands(click.Context(parley)))]:
        waited, spent = seconds(words)
        print(f"{' '.join(['parley', *words]):28} {waited:.2f} {spent:.2f}", flush=True)


if __name__ == "__main__":
    main()
