"""``parley replay``: whether this version can continue what runs."""

import click

from parley.errors import FAILED, VERDICT
from parley.notices import notify
from parley.replay_check import Replay, replay_running
from parley.session import open_session
from protocols.visible_text import printable
from runtime.code_version import code_version
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json


@click.command("replay")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(ids: tuple[str, ...], json_: bool) -> None:
    """Replay what runs with the code of this version, before its worker is started. Nothing is started or changed.

    Ends with 1 when this version cannot continue one of them. Without an ID, everything that runs is replayed.
    """

    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            replays = [replay async for replay in replay_running(session.parley.client, ids)]
        ok = all(replay.ok for replay in replays)
        if json_:
            found = [{**replay.model_dump(mode="json"), "ok": replay.ok} for replay in replays]
            click.echo(as_json({"ok": ok, "code": code_version(), "replays": found}))
        else:
            _print(replays)
        return VERDICT if ok else FAILED

    run(work, json=json_)


def _print(replays: list[Replay]) -> None:
    for replay in replays:
        click.echo(printable(replay.explanation))
    able = sum(replay.ok for replay in replays)
    click.echo(f"{able} of {len(replays)} can go on with {code_version()}")
