"""What all commands that change a running deliberation have in common."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from parley.client import Parley
from parley.errors import VERDICT
from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.command_runner import run
from starter.worker_check import require_worker

Answer = TypeVar("Answer")


def change(make: Callable[[Parley], Awaitable[Answer]], told: str | Callable[[Answer], str]) -> None:
    """``make`` the change and say what is ``told`` of it, or of what came back; ends the command."""

    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            await require_worker(session)
            answer = await make(session.parley)
        notify(told if isinstance(told, str) else told(answer))
        return VERDICT

    run(work)
