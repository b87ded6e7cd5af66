"""The council on DBOS with SQLite: ``python -m bench.peers.dbos_council BASE_URL HOME``.

Every call is a step, so a crash repeats the calls in flight.
"""

import asyncio
import sys
from pathlib import Path

from dbos import DBOS, DBOSConfig

from bench.peers import council
from bench.peers.process import Models, run_as_requested

models = Models(sys.argv[1])


@DBOS.step()
async def ask(model: str, prompt: str) -> str:
    """Ask one model."""
    return await models.ask(council.Ask(model, prompt))


@DBOS.workflow()
async def run() -> str:
    """Run one council and return its verdict."""
    answers = await asyncio.gather(*(ask(*one) for one in council.opinions()))
    judged = await asyncio.gather(*(ask(*one) for one in council.reviews(answers)))
    verdict: str = await ask(*council.synthesis(answers, judged))
    return verdict


async def serve(home: Path) -> None:
    """Run councils as the standard input says."""
    config: DBOSConfig = {
        "name": "council",
        "system_database_url": f"sqlite:///{home}/dbos.db",
        "run_admin_server": False,
        "log_level": "ERROR",
    }
    DBOS(config=config)
    DBOS.launch()
    await run_as_requested(run)
    DBOS.destroy()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[2])))
