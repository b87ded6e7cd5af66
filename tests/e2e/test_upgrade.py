"""The drill of docs/operating.md, "Upgrading while deliberations run", step by step with two versions of the code."""

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from parley.client import Parley
from tests.fakes.accounts import per_call
from tests.fakes.installation import Installation, installation
from tests.fakes.programs import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

PACKAGES = (
    *("protocols", "ledger", "activities", "workflows", "parley", "studies", "report", "starter"),
    *("runtime", "rehearsal"),
)
RUN = "        return await self._run_to_end()"
SEATS = ["a", "b"]
SLOW, QUICK = 10_000, {"latency_ms": 100}
"""While commands look at what runs, and when they have."""
PATIENT = {"PARLEY_GRACEFUL_SHUTDOWN_SECONDS": "20"}
"""A worker that is asked to end waits for the calls in flight."""


class Said(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def version_in(directory: Path, before: str = "") -> Path:
    """Another version of the code, whose council does something ``before`` it begins."""
    directory.mkdir()
    for package in PACKAGES:
        shutil.copytree(ROOT / package, directory / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "worker.py", directory)
    council = directory / "workflows" / "council.py"
    text = council.read_text("utf-8")
    assert text.count(RUN) == 1
    council.write_text(text.replace(RUN, f"{before}{RUN}") + "\n# another version\n", "utf-8")
    return directory


async def parley(installed: Installation, code: Path, *arguments: str) -> Said:
    """Run a command of the version in the directory ``code``."""
    command = [sys.executable, "-m", "starter.cli", *arguments]
    told = {**installed.environment, "PYTHONPATH": str(code)}
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=code, env=told, capture_output=True, text=True, check=False
    )
    return Said(done.returncode, done.stdout, done.stderr)


async def asked(installed: Installation, stage: str) -> None:
    """Wait until a model is being asked in ``stage``."""
    async with asyncio.timeout(60):
        while stage not in {one["stage"] for one in await installed.arrivals()}:  # noqa: ASYNC110 - another process's call
            await asyncio.sleep(0.05)


async def in_log(installed: Installation, event: str) -> dict[str, str]:
    """Wait for an event in the worker's log."""
    log = installed.settings.home / "worker.out"
    async with asyncio.timeout(60):
        while True:
            lines = [line for line in log.read_text("utf-8").splitlines() if f'"{event}"' in line]
            if lines:
                found: dict[str, str] = json.loads(lines[-1])
                return found
            await asyncio.sleep(0.05)


async def check(installed: Installation, code: Path, name: str) -> dict[str, str]:
    """What doctor finds under that name."""
    found = json.loads((await parley(installed, code, "doctor", "--json")).out)
    return next(one for one in found["checks"] if one["name"] == name)


async def test_code_that_breaks_replay_is_named_and_the_old_code_put_back(tmp_path: Path) -> None:
    """A replay names what new code cannot continue, started all the same it is named too, and the old code ends it."""
    new = version_in(tmp_path / "new", "        await workflow.sleep(1)\n")
    async with installation(tmp_path / "home", latency_ms=SLOW, extra=PATIENT) as installed:
        client = await Parley.connect(installed.settings, address=f"127.0.0.1:{installed.settings.server_port}")
        sky = await client.start_council("Why is the sky blue?", id="sky", models=SEATS, chair="a", rehearse=True)
        # Of its own: the server keeps a refused stop, and the old code may carry it out.
        await client.start_council("Why is the lake blue?", id="lake", models=SEATS, chair="a", rehearse=True)
        await asked(installed, "opinion")

        before = await parley(installed, new, "replay")
        assert (before.code, "0 of 2 can continue" in before.out) == (1, True), before

        await installed.play(QUICK)
        await installed.end("worker")
        await installed.start_worker(new)
        logged = await in_log(installed, "deliberation_cannot_continue")
        shown = await parley(installed, new, "show", "sky")
        code = await check(installed, new, "code")
        stopped = await parley(installed, new, "stop", "lake")
        sea = await client.council("Why is the sea blue?", id="sea", models=SEATS, chair="a", rehearse=True)
        await installed.end("worker")
        await installed.start_worker()
        verdict = await sky.result()
        calls = per_call([one for one in await installed.arrivals() if "sky" in json.dumps(one)])

    assert logged["workflow_id"] in {"sky", "lake"}
    assert "[TMPRL1100]" in logged["reason"]
    assert "cannot continue it" in shown.out or "cannot continue with this code" in shown.out
    assert "no worker answers" not in shown.out
    assert ("sky" in code["found"], "Put the old code back" in code["remedy"]) == (True, True)
    assert (stopped.code, "cannot continue it" in stopped.err) == (3, True), stopped
    assert (sea.stop_reason, verdict.stop_reason) == ("verdict", "verdict")
    assert set(calls.values()) <= {1}


async def test_code_that_fits_goes_on(tmp_path: Path) -> None:
    """A version that makes the same commands passes the replay and takes over what runs."""
    new = version_in(tmp_path / "new")
    async with installation(tmp_path / "home", latency_ms=SLOW, extra=PATIENT) as installed:
        client = await Parley.connect(installed.settings, address=f"127.0.0.1:{installed.settings.server_port}")
        sky = await client.start_council("Why is the sky blue?", id="sky", models=SEATS, chair="a", rehearse=True)
        await asked(installed, "opinion")
        before = await parley(installed, new, "replay")
        await installed.play(QUICK)
        await installed.end("worker")
        await installed.start_worker(new)
        verdict = await sky.result()

    assert (before.code, "1 of 1 can continue" in before.out) == (0, True), before
    assert verdict.stop_reason == "verdict"
