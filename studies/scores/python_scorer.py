"""Scores by a Python function of the user's, called in a separate process.

The function takes two dictionaries, the row and the result, and returns a number, a text, true, false or ``None``. It
gets no secret: of the environment a few names are passed on. One that takes longer than its time is stopped, counted
as failed, and the process is started again for the next deliberation.
"""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from typing import Any

from ledger.studies.results import ResultRow
from parley.errors import RequestError
from protocols.text_cleaning import storable
from studies.scores.answer_scorers import Finding
from studies.scores.scorers import PythonScorer

_PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "HOME", "VIRTUAL_ENV")
_LOADING_SECONDS = 120.0
_LARGEST = 64_000_000
_ROW = ("row_id", "arm", "repeat", "question", "expected", "extra", "protocol", "models")


class FunctionProcess:
    """The process of one function; started when first needed, and again after it was stopped."""

    def __init__(self, scorer: PythonScorer) -> None:
        self._scorer = scorer
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def find(self, row: ResultRow, accepted: Sequence[str]) -> Finding:
        """Return what the function says of ``row``, read with its whole result."""
        process = await self._running()
        values = row.model_dump(mode="json")
        asked = {"row": {name: values[name] for name in _ROW} | {"accepted": list(accepted)}, "result": values}
        try:
            async with asyncio.timeout(self._scorer.timeout):
                said = await _exchange(process, asked)
        except TimeoutError:
            await self.aclose()
            return Finding("failed", reason=f"the function took longer than {self._scorer.timeout:g} s")
        except (asyncio.IncompleteReadError, OSError, ValueError):
            await self.aclose()
            return Finding("failed", reason="the function ended its process")
        return _finding(said)

    async def aclose(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is not None:
            return self._process
        file, function = self._scorer.file, self._scorer.function
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", f"{__package__}.python_process", str(file), function),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LARGEST,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        )
        self._process = process
        try:
            async with asyncio.timeout(_LOADING_SECONDS):
                ready = await _output(process).readline()
        except TimeoutError:
            ready = b"late"
        if ready != b"ready\n":
            said = await _last_words(process, has_ended=not ready)
            await self.aclose()
            raise RequestError(f"the scorer's file {str(file)!r} cannot be used: {said}")
        self._reading = asyncio.create_task(_drain(process))
        return process


async def _drain(process: asyncio.subprocess.Process) -> None:
    """Read the output of the function, so that it never waits for a full pipe."""
    while process.stderr is not None and await process.stderr.read(1 << 16):
        pass


async def _last_words(process: asyncio.subprocess.Process, *, has_ended: bool) -> str:
    """Return the last printed line of the process; one that has ended is given the time to print it."""
    if not has_ended:
        with suppress(ProcessLookupError):
            process.kill()
    said = b"" if process.stderr is None else await process.stderr.read()
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else "it printed nothing"


def _output(process: asyncio.subprocess.Process) -> asyncio.StreamReader:
    if process.stdout is None:
        raise OSError("the process has no output")
    return process.stdout


async def _exchange(process: asyncio.subprocess.Process, asked: dict[str, Any]) -> dict[str, Any]:
    if process.stdin is None:
        raise OSError("the process has no input")
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    await process.stdin.drain()
    line = await _output(process).readline()
    if not line.endswith(b"\n"):
        raise asyncio.IncompleteReadError(line, None)
    said: dict[str, Any] = json.loads(line)
    return said


def _finding(values: dict[str, Any]) -> Finding:
    if "error" in values:
        return Finding("failed", reason=storable(values["error"]))
    said = values["said"]
    if said is None:
        return Finding("unanswered", reason="the function returned None")
    if isinstance(said, bool):
        return Finding.right(is_right=said, label=None)
    if isinstance(said, str):
        return Finding("scored", label=storable(said)[:2_000])
    if not isfinite(said):
        return Finding("failed", reason=f"the function returned {said}, which is no finite number")
    return Finding("scored", float(said))
