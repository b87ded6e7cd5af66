"""Studies in a whole installation: started as the command line begins them, and what is known of one afterwards."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Row, select

from ledger.store import Store
from ledger.studies.reading import Progress, StudyReader
from ledger.tables import CALLS
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StartedRun, StudyRuns
from studies.runs.status import StudyStatus, follow
from tests.fakes.installation import Installation
from tests.fakes.programs import PARLEY, run_program


def write_study(folder: Path, study: str, questions: Sequence[str]) -> Path:
    """The study file ``study`` beside a dataset ``questions.jsonl`` of ``questions``, with the ids q1, q2 and so on."""
    rows = [json.dumps({"id": f"q{n}", "prompt": asked}) for n, asked in enumerate(questions, 1)]
    (folder / "questions.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    path = folder / "study.toml"
    path.write_text(study, "utf-8")
    return path


async def begin(installed: Installation, study: Path) -> StartedRun:
    """Check the study file, enter it in the ledger and start its batch."""
    checked = await asyncio.to_thread(load_study, str(study), Overrides(), installed.settings)
    return await StudyRuns(await installed.client(), installed.settings).begin(checked)


async def ended(installed: Installation, name: str) -> StudyStatus:
    """How a study is now when its batch has ended; a server that is away meanwhile is waited for."""
    client = await installed.client()
    sights = [sight async for sight in follow(client, installed.settings, name, every=0.5)]
    return sights[-1]


async def progress(installed: Installation, name: str) -> Progress:
    """How many instances gave what, by the ledger."""
    async with StudyReader(installed.settings.database_url) as reader:
        return await reader.progress(name)


async def calls(installed: Installation, name: str) -> Sequence[Row[Any]]:
    """The ledger's lines of the calls of a study, or of a deliberation of that id."""
    store, of = Store(installed.settings.database_url, read_only=True), CALLS.c.deliberation_id
    try:
        return await store.rows(select(CALLS).where((of == name) | of.startswith(f"{name}/", autoescape=True)))
    finally:
        await store.close()


async def parley(installed: Installation, *arguments: str, within: float = 60) -> str:
    """Run the command line in this installation; what it wrote to standard output.

    Raises:
        AssertionError: it did not end well; says what it wrote to standard error.
    """
    command = [PARLEY, *arguments]
    done = await asyncio.to_thread(run_program, command, installed.environment, timeout=within)
    assert done.returncode == 0, f"parley {' '.join(arguments)}: {done.stderr}"
    return done.stdout
