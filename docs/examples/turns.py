"""Ask a council a question of two turns, as MT-bench does, and read the verdict of each.

Needs a worker: run `parley up --rehearse` in another terminal.
"""

import asyncio

from parley import Parley


async def main() -> None:
    """Print the verdict of every turn."""
    parley = await Parley.connect()
    result = await parley.council(["Write a poem about rain.", "Now in one line."], rehearse=True)
    print([turn.verdict for turn in result.turns], result.verdict)


if __name__ == "__main__":
    asyncio.run(main())
