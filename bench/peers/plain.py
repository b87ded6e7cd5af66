"""The council in asyncio and httpx alone, which keeps nothing: ``python -m bench.peers.plain BASE_URL``."""

import asyncio
import sys

from bench.peers import council
from bench.peers.process import Models, run_as_requested


async def serve(base_url: str) -> None:
    """Run councils as the standard input says."""
    models = Models(base_url)

    async def run() -> str:
        answers = await models.ask_all(council.opinions())
        judged = await models.ask_all(council.reviews(answers))
        return await models.ask(council.synthesis(answers, judged))

    await run_as_requested(run)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
