"""Read the deliberations, calls and scores of a study as tables; `study.py` runs the study.

The ledger has them, so no worker is needed. docs/data.md describes every column.
"""

import asyncio

from parley import Parley


async def main() -> None:
    """Print the accuracy of each arm, and what the first call was asked."""
    parley = await Parley.connect()
    study = parley.study("sums")

    rows = (await study.deliberations()).to_pandas()
    print(rows.groupby("arm")[["correct", "tokens", "seconds"]].mean())

    calls = await study.calls()  # a pyarrow.Table; study.scores() and study.pairs() too
    print(calls.num_rows, "calls, the first of which asked:", calls.column("messages")[0].as_py()[-1]["content"])


if __name__ == "__main__":
    asyncio.run(main())
