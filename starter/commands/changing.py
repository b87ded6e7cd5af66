"""What all commands that change a running deliberation have in common."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from runtime.settings import Settings
from starter.changes import work_is_done
from starter.client import Parley
from starter.errors import VERDICT
from starter.exits import run
from starter.notices import say
from starter.session import open_session

Answer = TypeVar("Answer")


def change(make: Callable[[Parley], Awaitable[Answer]], told: str | Callable[[Answer], str]) -> None:
    """``make`` the change and say what is ``told`` of it, or of what came back; ends the command."""

    async def work(settings: Settings) -> int:
        async with open_session(settings, say, worker="none") as session:
            await work_is_done(session)
            answer = await make(session.parley)
        say(told if isinstance(told, str) else told(answer))
        return VERDICT

    run(work)
