"""A worker that is killed as it records a deliberation: ``python -m tests.fakes.dying_worker before|after``.

It dies before the row is written, or after that and before the server knows of it.
"""

import os
import signal
import sys

from temporalio import activity

from activities.ledger import DeliberationRecord, LedgerActivities
from worker import main

_write = LedgerActivities.record_deliberation


class _Dying(LedgerActivities):
    @activity.defn(name="record_deliberation")
    async def record_deliberation(self, entry: DeliberationRecord) -> None:
        """Write the record if it is to die after that, and die."""
        if sys.argv[1] == "after":
            await _write(self, entry)
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    setattr(LedgerActivities, _write.__name__, _Dying.record_deliberation)
    main()
