"""The check for a worker before a running deliberation is changed."""

from parley.errors import UpdateRefusedError
from parley.session import Session
from parley.worker_status import pollers
from protocols.task_queues import TASK_QUEUE


async def require_worker(session: Session) -> None:
    """Refuse a change while no worker runs: the update would wait for one without a message.

    Raises:
        UpdateRefusedError: no worker runs.
    """
    if not await pollers(session.parley.client, TASK_QUEUE):
        raise UpdateRefusedError(
            "no worker runs, so the change would not be applied. Start one with `parley up`, or follow the "
            "deliberation with `parley watch` in another window, and give the command again."
        )
