"""``parley replay``: a check before an upgrade that running deliberations can continue."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_session

if TYPE_CHECKING:
    from parley.session import Session


@click.command("replay")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@json_option
@with_session
async def command(session: "Session", *, ids: tuple[str, ...], json: bool) -> int:
    """Replay what runs with the code of this version, before its worker is started. Nothing is started or changed.

    Ends with 1 when this version cannot continue one of them. Without an ID, everything that runs is replayed.
    """
    from rich.text import Text

    from parley.errors import FAILED, VERDICT
    from parley.replay_check import replay_running
    from protocols.visible_text import printable
    from runtime.code_version import code_version
    from starter.terminal import print_result

    replays = [replay async for replay in replay_running(session.parley.client, ids)]
    able = sum(replay.ok for replay in replays)
    found = [{**replay.model_dump(mode="json"), "ok": replay.ok} for replay in replays]
    lines = [*(printable(replay.explanation) for replay in replays)]
    lines.append(f"{able} of {len(replays)} can go on with {code_version()}")
    is_ok = able == len(replays)
    print_result({"ok": is_ok, "code": code_version(), "replays": found}, Text("\n".join(lines)), json=json)
    return VERDICT if is_ok else FAILED
