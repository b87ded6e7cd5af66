"""Ask a council, follow a consensus event by event, and hold a debate.

Needs a worker: run `parley up --rehearse` in another terminal. Without `rehearse=True` real models are asked.
"""

import asyncio

from parley import Parley


async def council() -> None:
    """Print the verdict, the model whose answer won the review, and the cost."""
    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?", panel="small", rehearse=True)
    print(result.verdict, result.tally.winner.model, result.spent.usd)


async def consensus() -> None:
    """Print each event of a consensus as it happens, then the verdict."""
    parley = await Parley.connect()
    deliberation = await parley.start_consensus("Why is the sky blue?", max_rounds=10, rehearse=True)
    async for moment in deliberation.events():  # every start and completion, in order, over restarts
        print(moment.point, moment.state.phase, moment.state.stage_progress)
    result = await deliberation.result()
    print(result.verdict, result.conversation.rounds_completed, result.stop_reason)


async def debate() -> None:
    """Print the verdict of a debate and the claims that all accepted."""
    parley = await Parley.connect()
    agents = ["a/x", "b/y", "c/z"]
    result = await parley.debate("Should the library open on Sundays?", mode="delphi", agents=agents, rehearse=True)
    accepted = [claim.text for claim in result.state.claims if claim.status == "accepted"]
    print(result.verdict, result.stop_reason, accepted)


async def main() -> None:
    """Hold the three, one after the other."""
    for protocol in (council, consensus, debate):
        await protocol()


if __name__ == "__main__":
    asyncio.run(main())
