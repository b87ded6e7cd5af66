"""The rehearsal server as a separate process: ``python -m rehearsal``.

It listens on the loopback address unless two options change that, writes its address to the ready file once it listens,
and leaves with exit code 0 on SIGTERM or SIGINT. Exit code 2: the arguments or the script cannot be used, or the
address cannot be taken.
"""

import argparse
import asyncio
import os
import signal
import sys
from ipaddress import ip_address
from pathlib import Path

import structlog

from rehearsal.api.server import Rehearsal
from rehearsal.faults.script import LONGEST_MS, Script, ScriptError, load_script

DEFAULT_PORT = 8399


_log = structlog.get_logger()


def main(argv: list[str] | None = None) -> int:
    """Run until a signal ends it; return the exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    for option, value, most in (("--port", args.port, 65_535), ("--latency-ms", args.latency_ms or 0, LONGEST_MS)):
        if not 0 <= value <= most:
            parser.error(f"{option} {value:g} cannot be used; write 0 to {most}")
    if not is_loopback(args.host) and not args.allow_remote:
        parser.error(f"--host {args.host} is not a loopback address; add --allow-remote if others shall reach it")
    if args.recordings and args.recordings.exists() and not args.recordings.is_dir():
        parser.error(f"--recordings {args.recordings} is no folder; name one, or one that is to be made")
    try:
        script = load_script(args.script) if args.script else Script()
        return asyncio.run(_serve(args, script))
    except (ScriptError, OSError) as problem:
        parser.error(str(problem))


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is a loopback address in its usual form."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


async def _serve(args: argparse.Namespace, script: Script) -> int:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    rehearsal = Rehearsal(
        args.seed, host=args.host, port=args.port, latency_ms=args.latency_ms, script=script, recordings=args.recordings
    )
    async with rehearsal:
        _log.info("rehearsal_started", url=rehearsal.url)
        if args.ready_file:
            _announce(args.ready_file, rehearsal.url)
        watch = asyncio.create_task(_end_with_parent(ended))
        await ended.wait()
        watch.cancel()
    _log.info("rehearsal_ended", arrivals=len(rehearsal.ledger.arrivals))
    return 0


async def _end_with_parent(ended: asyncio.Event) -> None:
    """Leave when the process that started this one for its own use is gone."""
    parent = os.environ.get("PARLEY_PARENT_PID")
    while parent is not None:
        if str(os.getppid()) != parent:
            _log.warning("rehearsal_orphaned", parent=parent)
            ended.set()
            return
        await asyncio.sleep(1.0)


def _announce(path: Path, url: str) -> None:
    """Write the address atomically, so readers of the file see all of it."""
    draft = path.with_name(f"{path.name}.part")
    draft.write_text(f"{url}\n", encoding="utf-8")
    draft.replace(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rehearsal", description="A local model API with scripted models and faults.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--allow-remote", action="store_true", help="allow an address that others can reach")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 takes any free port")
    parser.add_argument("--seed", type=int, help="what everything said follows from (default: the script's, else 7)")
    parser.add_argument("--script", type=Path, help="TOML file with faults, latencies, places and budgets")
    parser.add_argument("--latency-ms", type=float, help="from the request to the last byte of each answer")
    parser.add_argument("--recordings", type=Path, help="folder in which recorded deliberations are kept")
    parser.add_argument("--ready-file", type=Path, help="file to write the address to once it listens")
    return parser


if __name__ == "__main__":
    sys.exit(main())
