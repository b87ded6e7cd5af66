"""The work of a chaos run: studies of every protocol one after another, and single deliberations between them.

Every start is tried again under the same id until it is accepted, as a user would who sees the server go away; an id
is used once, so a start that had been accepted without an answer attaches to its deliberation.
"""

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import structlog
from temporalio.service import RPCError

from bench.chaos.processes import Processes
from bench.peers.council import QUESTION
from bench.program import write_study
from parley.client import Parley
from parley.errors import ParleyError
from parley.options.ask import SharedKeywords
from runtime.errors import SetupError
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StudyRuns

_PAUSE = 1.0
_MODELS = ("openai/gpt-5.2", "google/gemini-3-flash-preview", "anthropic/claude-sonnet-4.5")
_PROTOCOLS = ("single", "council", "consensus", "fire-circle", "debate", "self-consistency", "majority", "mixture")
_ARMS = f"[grid]\nprotocols = {json.dumps(_PROTOCOLS)}\n"

Accepted = TypeVar("Accepted")

_log = structlog.get_logger(__name__)


class Workload:
    """Deliberations that are started until it is time to end; ``ids`` are all of them.

    Args:
        processes: Where they run.
        rows: Of one study.
        window: Deliberations of a study at once.
        every: Seconds between two single deliberations.
    """

    def __init__(self, processes: Processes, *, rows: int, window: int, every: float) -> None:
        self.ids: list[str] = []
        self.studies: list[str] = []
        self._processes = processes
        self._rows = rows
        self._window = window
        self._every = every
        self._parley: Parley | None = None

    async def run_studies(self) -> None:
        """Run one study after another until cancelled."""
        for number in itertools.count(1):
            name = f"night-{number}"
            home, rows = self._processes.settings.home, self._rows
            path = write_study(home, name, f"{QUESTION} ({name})", rows=rows, window=self._window, arms=_ARMS)
            await self._accepted(lambda: self._begin(path))  # noqa: B023 - awaited before the next round
            self.studies.append(name)
            arms = [f"{protocol}-lab" for protocol in _PROTOCOLS]
            self.ids += [f"{name}/q{row}.{arm}" for row in range(1, self._rows + 1) for arm in arms]
            await self.wait_for(name)

    async def run_singles(self) -> None:
        """Start one deliberation after another, of each protocol in turn, until cancelled."""
        for number in itertools.count(1):
            await asyncio.sleep(self._every)
            deliberation_id = f"single-{number}"
            await self._accepted(lambda: self._start(number, deliberation_id))  # noqa: B023 - as above
            self.ids.append(deliberation_id)

    async def wait_for(self, workflow_id: str) -> None:
        """Wait until a workflow has ended, by looking now and then: a server that is away is waited for."""
        while await self._accepted(lambda: self._is_running(workflow_id)):  # noqa: ASYNC110 - another process's work
            await asyncio.sleep(_PAUSE)

    async def statuses(self) -> Counter[str]:
        """Return how many deliberations have which workflow status; an id without a workflow counts as ``NEVER``."""
        parley = await self._connected()
        found = {one.id: one.status async for one in parley.client.list_workflows("Protocol IS NOT NULL")}
        return Counter(status.name if (status := found.get(one)) else "NEVER" for one in self.ids)

    async def _is_running(self, workflow_id: str) -> bool:
        parley = await self._connected()
        described = await parley.client.get_workflow_handle(workflow_id).describe()
        return described.status is not None and described.status.name == "RUNNING"

    async def _begin(self, path: Path) -> None:
        parley = await self._connected()
        study = await asyncio.to_thread(load_study, str(path), Overrides(), self._processes.settings)
        await StudyRuns(parley.client, self._processes.settings).begin(study)

    async def _start(self, number: int, deliberation_id: str) -> None:
        parley, question = await self._connected(), f"{QUESTION} (case {number})"
        prompt, chosen = {"user": question}, SharedKeywords(rehearse=True, id=deliberation_id)
        starts: Sequence[Callable[[], Awaitable[object]]] = (
            lambda: parley.start_council(question, models=_MODELS, chair=_MODELS[0], **chosen),
            lambda: parley.start_consensus(question, max_rounds=4, **chosen),
            lambda: parley.start_debate(question, agents=_MODELS, max_rounds=2, **chosen),
            lambda: parley.start_vote(question, models=_MODELS, samples=2, **chosen),
            lambda: parley.start_vote(question, preset="self-consistency", samples=3, **chosen),
            lambda: parley.start_mixture(question, models=_MODELS, **chosen),
            lambda: parley.start_fire_circle(prompt, models=_MODELS, **chosen),
            lambda: parley.start_fire_circle_baseline(prompt, models=_MODELS, mode="parallel", **chosen),
        )
        await starts[number % len(starts)]()

    async def _accepted(self, act: Callable[[], Awaitable[Accepted]]) -> Accepted:
        while True:
            try:
                return await act()
            except (ParleyError, SetupError, RPCError, OSError) as error:
                _log.info("tried_again", reason=str(error)[:200])
            await asyncio.sleep(_PAUSE)

    async def _connected(self) -> Parley:
        if self._parley is None:
            address = f"127.0.0.1:{self._processes.settings.server_port}"
            self._parley = await Parley.connect(self._processes.settings, address=address)
        return self._parley
