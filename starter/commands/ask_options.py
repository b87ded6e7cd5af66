"""What all commands that ask a question have in common: their options, and the way from the question to the verdict.

A command adds its protocol's own options between ``question_options`` and ``usual_options``, and hands everything that
was given to ``ask``.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from parley.catalogue import Providers, models_of
from parley.client import Parley
from parley.deliberations import Deliberation
from parley.errors import VERDICT, RequestError
from parley.missing_keys import leaving_out
from parley.model_warnings import model_warnings_printed, print_model_warnings
from parley.notices import notify
from parley.options.ask import Options
from parley.questions import read_argument, read_config, read_question
from parley.recordings import Recording
from parley.results import AnyResult
from parley.session import Session, Worker, open_session
from parley.start import TASK_QUEUE
from parley.worker_status import pollers
from protocols.named_panel import PanelLibrary
from runtime.errors import PortInUseError
from runtime.settings import Settings
from starter.agreements import agree
from starter.command_runner import run
from starter.show_result import conclude, follow
from starter.terminal import as_json, console
from starter.verdict_file import check_output

Chosen = TypeVar("Chosen", bound=Options)
Asked = TypeVar("Asked")
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class AskCommand(Generic[Asked, Chosen]):
    """A protocol as its command knows it; what is asked is a question, or the layers of a prompt."""

    options: type[Chosen]
    start: Callable[[Parley, Asked, Chosen], Awaitable[Deliberation[AnyResult]]]
    asked: Callable[[dict[str, Any], type[Chosen], PanelLibrary], tuple[Asked, Chosen]]
    """Reads what is asked, and the options, from the command line and the files that it names."""
    exit_code: Callable[[AnyResult], int] | None = None
    """Makes the exit code of a result with a verdict; by default 0."""


@dataclass(frozen=True)
class OutputOptions:
    """How the command behaves, beside what it asks for."""

    detach: bool
    json: bool
    stay: bool
    check_keys: bool
    allowed: tuple[str, ...]
    """Providers whose addresses the command line agrees to."""
    output: Path | None
    """The file that the verdict is written to."""
    force: bool
    """Whether that file may be replaced."""


OUTPUT = (
    click.option(
        "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the verdict to this file, too."
    ),
    click.option("--force", is_flag=True, help="Let --output replace a file that is there."),
)
"""Options of a command that ends with a verdict."""


def question_options(command: Command) -> Command:
    """Where the question comes from."""
    return _with(
        command,
        click.argument("question", required=False, metavar="[QUESTION|@FILE|-]"),
        click.option("--file", "file", help="Read the question from this file; - is standard input."),
        click.option("--config", help="Read options from this TOML file; options given here win."),
    )


def answer_option(command: Command) -> Command:
    """In which form the answer is to be given."""
    said = "Form of the final answer: free, number, exact, contains, yes_no or choice:A,B,C,D."
    return click.option("--answer", metavar="FORM", help=said)(command)


def usual_options(command: Command) -> Command:
    """What every protocol takes, and how the command behaves."""
    return _with(command, *_PROTOCOL, *_IDENTITY, *_MANNER)


def protocol_options(command: Command) -> Command:
    """Add what every protocol takes, but for the id of one deliberation, to a command that holds many."""
    return _with(command, *_PROTOCOL)


def ask(given: dict[str, Any], kind: AskCommand[Asked, Chosen]) -> None:
    """Ask, follow, and show the verdict; ends the command."""
    manner = OutputOptions(
        detach=given.pop("detach"),
        json=given.pop("json_"),
        stay=given.pop("stay"),
        check_keys=given.pop("key_check"),
        allowed=given.pop("allow_provider"),
        output=given.pop("output"),
        force=given.pop("force"),
    )

    async def work(settings: Settings) -> int:
        check_output(manner.output, force=manner.force, detach=manner.detach)
        providers = Providers.of(settings, os.environ)
        wanted, options = kind.asked(given, kind.options, providers.panels)
        await check_providers(providers, options, manner.allowed, keys=manner.check_keys, may_ask=not manner.json)
        return await _hold(settings, wanted, options, kind, manner)

    run(work, json=manner.json)


async def check_providers(
    providers: Providers, options: Options, allowed: Sequence[str], *, keys: bool, may_ask: bool
) -> None:
    """Check addresses, keys and models of a panel before anything is asked of it; scripted models need none.

    Raises:
        RequestError: an address is not agreed to, or a key is missing while ``keys`` are checked.
    """
    if options.rehearse:
        return
    panel = options.seated()
    agree(providers, [panel], tuple(allowed), may_ask=may_ask)
    if keys:
        providers.check(panel, leaving_out=leaving_out(options, providers.without_key(panel)))
    await print_model_warnings(providers, models_of(panel))


def asked(given: dict[str, Any], options: type[Chosen], panels: PanelLibrary | None = None) -> tuple[str, Chosen]:
    """The question and the options, from the command line and the files that it names.

    Raises:
        RequestError: there is no question or more than one, or see ``read_config`` and ``Options.of``.
    """
    line, keys = settled(given)
    in_config = keys.pop("question", None)
    recorded = None if in_config or "playback" not in line else Recording.read(line["playback"]).head.question
    words, file = line.pop("question", None), line.pop("file", None)
    question = _question(words, file, in_config or recorded, options.PROTOCOL)
    return question, options.of({**keys, **line}, panels)


def settled(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was given on the command line, and the keys of the configuration file that it names.

    Raises:
        RequestError: see ``read_config``.
    """
    line = {("id" if name == "id_" else name): value for name, value in given.items() if value not in {None, ()}}
    config = line.pop("config", None)
    return line, read_config(config) if config else {}


def split(ctx: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG001 - the signature of a callback of click
    """The names in ``a,b`` and ``c``, for an option that may be repeated."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


_PROTOCOL = (
    click.option("--panel", metavar="NAME", help="Who takes part, by a panel's name; see parley panels."),
    click.option("--allow-duplicates/--no-allow-duplicates", default=None, help="Let one model sit more than once."),
    click.option("--failure-mode", type=click.Choice(["strict", "resilient"]), help="What a lost model means."),
    click.option("--temperature", type=float, help="0 to 2."),
    click.option("--top-p", type=float, help="Above 0, to 1."),
    click.option("--max-tokens", type=int, help="Longest answer in tokens, reasoning included."),
    click.option("--reasoning-effort", type=click.Choice(["minimal", "low", "medium", "high"])),
    click.option("--seed", type=int, help="Every call is sent a seed derived from it."),
    click.option(
        "--clarify/--no-clarify",
        default=None,
        help="Ask once more if a reply is unreadable or cut; on by default.",
    ),
    click.option("--schema/--no-schema", default=None, help="Send the JSON schema of a reply to models that take one."),
    click.option("--timeout", type=float, help="Seconds that one attempt of one call may take."),
    click.option("--patience", help="How long a provider that is away is waited for: 90s, 15m, 2h; 15m by default."),
    click.option("--rehearse/--no-rehearse", default=None, help="Ask scripted models in place of the real ones."),
)

_IDENTITY = (
    click.option("--id", "id_", help="The deliberation's id; by default a fresh one that reads."),
    click.option("--fresh/--no-fresh", default=None, help="Hold it again under an id that was used, and pay again."),
    click.option("--playback", metavar="FILE", help="Have the scripted models give the answers of this recording."),
)

_MANNER = (
    click.option("--detach", is_flag=True, help="Print the id and do not wait. Somebody else must run a worker."),
    click.option("--json", "json_", is_flag=True, help="Print one JSON document and nothing else on standard output."),
    *OUTPUT,
    click.option("--stay", is_flag=True, help="Keep server, worker and Web UI until Ctrl-C (on a terminal)."),
    click.option("--key-check/--no-key-check", default=True, help="Look for the providers' keys before starting."),
    click.option("--allow-provider", multiple=True, metavar="NAME", help="Agree to the address of this provider."),
)


def _with(command: Command, *options: Callable[[Command], Command]) -> Command:
    """``command`` with ``options``, which the help shows in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def _question(words: str | None, file: str | None, in_config: Any, protocol: str) -> str:
    if words is not None and file is not None:
        raise RequestError("the question is given twice: as words and as --file; leave one out")
    if file is not None:
        return read_question(file)
    question = read_argument(words) if words is not None else in_config
    if not isinstance(question, str) or not question.strip():
        raise RequestError(f'there is no question. Write: parley {protocol} "Why is the sky blue?"')
    return question


async def _hold(
    settings: Settings, wanted: Asked, options: Chosen, kind: AskCommand[Asked, Chosen], manner: OutputOptions
) -> int:
    worker: Worker = "none" if manner.detach else "needed"
    async with open_session(settings, notify, worker=worker, rehearse=options.rehearse) as session:
        with model_warnings_printed():
            deliberation = await kind.start(session.parley, wanted, options)
        if manner.detach:
            return await _detached(session, deliberation, manner)
        notify(f"deliberation {deliberation.id}")
        await follow(deliberation, console(to_stderr=True))
        code = await conclude(session, deliberation, json=manner.json, output=manner.output, force=manner.force)
        if code == VERDICT and kind.exit_code is not None:
            code = kind.exit_code(await deliberation.result())
        if manner.stay and sys.stdout.isatty():
            await _stay(settings, session, deliberation)
        return code


async def _detached(session: Session, deliberation: Deliberation[AnyResult], manner: OutputOptions) -> int:
    if session.address.embedded:
        notify(f"the server ends with this command; it goes on with: parley watch {deliberation.id}, or parley up")
    elif not await pollers(session.parley.client, TASK_QUEUE):
        notify("nobody works on it now; it goes on when a worker is started, for example by: parley up")
    found = {"deliberation_id": deliberation.id, "link": session.link(deliberation.id)}
    click.echo(as_json(found) if manner.json else deliberation.id)
    return VERDICT


async def _stay(settings: Settings, session: Session, deliberation: Deliberation[AnyResult]) -> None:
    """Keep everything for whoever wants to look around; ends by Ctrl-C."""
    from runtime.codec_endpoint import codec_endpoint

    async with AsyncExitStack() as stack:
        with suppress(PortInUseError):  # another process serves the Web UI's texts already
            await stack.enter_async_context(codec_endpoint(settings))
        notify(f"Web UI: {session.link(deliberation.id)}   (Ctrl-C ends it)")
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
