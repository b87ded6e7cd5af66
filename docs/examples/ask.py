"""Ask a council and read its verdict.

Needs a worker: run `parley up --rehearse` in another terminal. For real models set OPENROUTER_API_KEY, run
`parley up`, and change REHEARSE to False.
"""

import asyncio

from parley import Parley

QUESTION = "Which is the better first language for a scientist, Python or Julia, and why?"
REHEARSE = True


async def main() -> None:
    """Print the verdict, who won the review, and what it took."""
    parley = await Parley.connect()
    result = await parley.council(QUESTION, rehearse=REHEARSE)
    print(result.verdict)
    if result.tally:
        print(f"\nBest answer by review: {result.tally.winner.model}; agreement {result.tally.agreement}")
    for loss in result.failed:
        print(f"Lost: {loss.model} in {loss.stage}: {loss.message}")
    paid = "invented cost" if result.rehearsal else "cost"
    print(f"{result.spent.calls} calls, {result.spent.tokens:,} tokens, {paid} ${result.spent.usd:.4f}")
    print(f"parley report {result.deliberation_id} --open")


if __name__ == "__main__":
    asyncio.run(main())
