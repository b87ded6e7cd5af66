"""What all commands that change a running deliberation have in common."""

from collections.abc import Awaitable, Callable

from runtime.settings import Settings
from starter.changes import work_is_done
from starter.client import Parley
from starter.errors import VERDICT
from starter.exits import run, say
from starter.session import open_session


def change(make: Callable[[Parley], Awaitable[object]], told: str) -> None:
    """``make`` the change and say what was ``told``; ends the command."""

    async def work(settings: Settings) -> int:
        async with open_session(settings, say, worker="none") as session:
            await work_is_done(session)
            await make(session.parley)
        say(told)
        return VERDICT

    run(work)
