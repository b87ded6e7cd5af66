"""The work of a command that asks by a protocol: check, start, follow, and show the result."""

import asyncio
import sys
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from parley.catalogue import Providers
from parley.deliberations import Deliberation
from parley.errors import FLAGGED, VERDICT, RequestError
from parley.follow_ups import Earlier, is_timed, read_earlier
from parley.model_warnings import model_warnings_printed
from parley.notices import notify
from parley.prompts import first_prompts
from parley.questions import read_argument, read_question
from parley.recordings import Recording
from parley.seat_abilities import refuse_unable_seats
from parley.session import Session, Worker, open_session
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec, Asked, Means
from parley.workers import pollers
from protocols.deliberation import DeliberationResult
from protocols.named_panel import PanelLibrary
from protocols.task_queues import TASK_QUEUE
from runtime.errors import PortInUseError
from runtime.settings import Settings
from runtime.shutdown import interruptible
from starter.handlers.preparation import check_providers, with_config
from starter.handlers.show_result import check_output, conclude, follow
from starter.terminal import as_json, console
from starter.views.prompts import print_prompts


class Prepared(NamedTuple):
    """A deliberation that can be started."""

    spec: AnySpec
    asked: Asked
    options: Any
    inp: Any


_WAITS_FOR_NOTHING = {
    "show_prompts": ("--show-prompts asks nothing", ("detach", "output", "stay", "exit_code")),
    "detach": ("--detach waits for no verdict", ("stay", "exit_code")),
}
"""Options that end a command before there is a verdict, and those that have nothing to do then."""


@dataclass(frozen=True)
class OutputOptions:
    """The options of a command beside those of its protocol, with their help in ``commands``."""

    json: bool
    key_check: bool
    allow_provider: tuple[str, ...]
    output: Path | None
    force: bool
    detach: bool = False
    stay: bool = False
    show_prompts: bool = False
    exit_code: bool = False

    @classmethod
    def taken_from(cls, given: dict[str, Any]) -> "OutputOptions":
        """Take these options out of ``given``.

        Raises:
            RequestError: two of them contradict each other.
        """
        found = cls(**{name: given.pop(name) for name in cls.__dataclass_fields__ if name in given})
        for name, (why, waiting) in _WAITS_FOR_NOTHING.items():
            if idle := next((other for other in waiting if getattr(found, name) and getattr(found, other)), None):
                raise RequestError(f"{why}, so there is no --{idle.replace('_', '-')}; leave one of them out")
        check_output(found.output, force=found.force, detach=found.detach)
        return found


async def ask(settings: Settings, protocol: str, given: dict[str, Any]) -> int:
    """Ask by ``protocol``, follow the deliberation, show its result, and return the exit code."""
    output = OutputOptions.taken_from(given)
    providers = Providers.of(settings)
    spec, wanted, options, inp = await prepare(settings, providers, protocol, given)
    if inp.continues and inp.continues.left_out:
        notify(f"the conversation is long: {inp.continues.as_text}")
    if output.show_prompts:
        print_prompts(first_prompts(spec, inp), json=output.json)
        return VERDICT
    await check_providers(providers, options, output.allow_provider, keys=output.key_check, may_ask=not output.json)
    refuse_unable_seats(providers, spec, inp)
    worker: Worker = "none" if output.detach else "needed"
    async with open_session(settings, notify, worker=worker, rehearse=options.rehearse) as session:
        with model_warnings_printed():
            deliberation = await session.parley.start(protocol, wanted, **vars(options))
        if output.detach:
            return await detached(session, deliberation, json=output.json)
        notify(f"deliberation {deliberation.id}")
        await follow(deliberation, console(to_stderr=True))
        code = await conclude(session, deliberation, json=output.json, output=output.output, force=output.force)
        if code == VERDICT and output.exit_code:
            code = flagged_code(await deliberation.result())
        if output.stay and sys.stdout.isatty():
            await _stay(settings, session, deliberation)
        return code


async def prepare(settings: Settings, providers: Providers, protocol: str, given: dict[str, Any]) -> Prepared:
    """Return what is asked by ``protocol``, with options of the command line, its files and an earlier deliberation."""
    spec, earlier = PROTOCOLS[protocol], None
    line, keys = with_config(given)
    if isinstance(named := {**keys, **line}.get("continues"), str):
        async with open_session(settings, notify, worker="none") as session:
            earlier = await read_earlier(session.parley.client, named, spec)
    with interruptible():
        asked, options = read_asked(given, spec, providers.panels, earlier)
    options = options.limited(settings.max_usd)
    means = Means(queues={}, private=False, salt="", token_price=providers.token_price)
    inp = spec.to_input(options, asked, means)
    if earlier:
        inp = earlier.continued(inp, options.context, is_timed=is_timed(given))
    return Prepared(spec, asked, options, inp)


def read_asked(
    given: dict[str, Any], spec: AnySpec, panels: PanelLibrary | None = None, earlier: Earlier | None = None
) -> tuple[Asked, Any]:
    """Return the question and the options: of the command line, its files, and the deliberation ``earlier``."""
    line, keys = with_config(given)
    if spec.judges:
        from starter.handlers.prompt_layers import read_layers  # noqa: PLC0415 - the other protocols do not need it

        wanted = read_layers(line, keys)
    else:
        wanted = {spec.question_keys[-1]: _question(line, keys, spec.name)}
    own = {**keys, **line}
    return wanted, spec.options.of(earlier.options_with(own) if earlier else own, panels)


def flagged_code(result: DeliberationResult) -> int:
    """Return the exit code of a result with a verdict: that of a flagged prompt has its own."""
    return FLAGGED if getattr(result, "flagged", False) else VERDICT


def _question(line: dict[str, Any], keys: dict[str, Any], protocol: str) -> str | list[Any]:
    in_config, words, file = keys.pop("question", None), line.pop("question", None), line.pop("file", None)
    if words is not None and file is not None:
        raise RequestError("the question is given twice: as words and as --file; leave one out")
    if file is not None:
        return read_question(file)
    if words is None and in_config is None and "playback" in line:
        in_config = Recording.read(line["playback"]).head.question
    question = read_argument(words) if words is not None else in_config
    is_asked = bool(question.strip()) if isinstance(question, str) else isinstance(question, list) and bool(question)
    if not is_asked:
        why = "standard input is empty, or another option read it" if words == "-" else "there is no question"
        raise RequestError(f'{why}. Write: parley {protocol} "Why is the sky blue?"')
    return question


async def detached(session: Session, deliberation: Deliberation[DeliberationResult], *, json: bool) -> int:
    """Print the id of a deliberation that is not waited for."""
    if session.address.embedded:
        notify(f"the server ends with this command; continue it with: parley watch {deliberation.id}, or parley up")
    elif not await pollers(session.parley.client, TASK_QUEUE):
        notify("no worker runs; it continues when one is started, for example by: parley up")
    found = {"deliberation_id": deliberation.id, "link": session.link(deliberation.id)}
    click.echo(as_json(found) if json else deliberation.id)
    return VERDICT


async def _stay(settings: Settings, session: Session, deliberation: Deliberation[DeliberationResult]) -> None:
    """Keep server, worker and Web UI until Ctrl-C."""
    from runtime.codec_endpoint import codec_endpoint  # noqa: PLC0415 - imports an HTTP server, which few commands need

    async with AsyncExitStack() as stack:
        with suppress(PortInUseError):  # another process serves the Web UI's texts already
            await stack.enter_async_context(codec_endpoint(settings))
        notify(f"Web UI: {session.link(deliberation.id)}   (Ctrl-C ends it)")
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
