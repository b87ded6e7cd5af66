"""How a process ends."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.shutdown import stop_on_signals

ROOT = Path(__file__).parents[2]

LEAVE = """
import atexit, sys
from runtime.shutdown import before_leaving, called_on_leaving, leave
atexit.register(lambda: print("never said"))
with called_on_leaving(lambda: print("over")):
    before_leaving(lambda: print("second"))
before_leaving(lambda: 1 / 0)
before_leaving(lambda: print("first"))
sys.stdout.write("no newline ")
leave(3)
"""

TWICE = """
import asyncio, os, signal
from runtime.shutdown import stop_on_signals
async def main():
    asked = stop_on_signals()
    os.kill(os.getpid(), signal.SIGTERM)
    await asked.wait()
    print("asked once", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(30)
asyncio.run(main())
"""


def ended(program: str) -> subprocess.CompletedProcess[str]:
    """What happened to a process that ran ``program``."""
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)


def test_leaving_states_the_last_words_and_keeps_the_code() -> None:
    """What is buffered and registered is written, one failure among it does no harm, and the code is the given one."""
    left = ended(LEAVE)

    assert (left.returncode, left.stdout) == (3, "no newline first\nsecond\n")


def test_leaving_keeps_the_code_without_a_standard_output() -> None:
    """A process that a daemon started with a closed standard output ends with its code, and without a traceback."""
    program = [sys.executable, "-c", "from runtime.shutdown import leave; leave(0)"]
    left = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *program], cwd=ROOT, capture_output=True, check=False)

    assert (left.returncode, left.stderr) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signal_requests_to_stop(number: signal.Signals) -> None:
    """SIGTERM and Ctrl-C set an event instead of ending the process."""
    asked = stop_on_signals()
    os.kill(os.getpid(), number)
    await asyncio.wait_for(asked.wait(), 5)
    for handled in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().remove_signal_handler(handled)

    assert asked.is_set()


IN_A_TERMINAL = """
import asyncio, os, signal
from runtime.shutdown import stop_on_signals
async def main():
    stop_on_signals()
    os.kill(os.getpid(), signal.SIGHUP)
    await asyncio.sleep(0.3)
    print("goes on", flush=True)
asyncio.run(main())
"""


def test_the_end_of_the_terminal_ends_the_process_in_order() -> None:
    """A process whose terminal is closed leaves with the shell's code; one under nohup continues."""
    left = ended(IN_A_TERMINAL)
    kept = ended(f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{IN_A_TERMINAL}")

    assert (left.returncode, left.stdout) == (128 + signal.SIGHUP, "")
    assert (kept.returncode, kept.stdout) == (0, "goes on\n")


def test_second_signal_leaves_at_once() -> None:
    """A second interrupt ends the process at once."""
    left = ended(TWICE)

    assert (left.returncode, left.stdout) == (128 + signal.SIGTERM, "asked once\n")
