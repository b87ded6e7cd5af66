"""What must be there before a running deliberation can be changed."""

from parley.errors import UpdateRefusedError
from parley.session import Session
from parley.start import TASK_QUEUE
from parley.worker_status import pollers


async def require_worker(session: Session) -> None:
    """Make sure that somebody will take the change: an update waits for a worker, without a word.

    Raises:
        UpdateRefusedError: no worker runs.
    """
    if not await pollers(session.parley.client, TASK_QUEUE):
        raise UpdateRefusedError(
            "no worker runs, so nobody would take the change. Start one with `parley up`, or follow the deliberation "
            "with `parley watch` in another window, and say it again."
        )
