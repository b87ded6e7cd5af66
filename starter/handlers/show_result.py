"""Following a deliberation to its end and showing its result: on a screen, as one JSON document, or in a file."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from parley.deliberations import Deliberation
from parley.errors import FAILED, VERDICT, DeliberationFailedError, RequestError
from parley.notices import notify
from parley.output_files import refuse_place
from parley.results import no_verdict
from parley.session import Session
from parley.watch import watch
from protocols.deliberation import DeliberationResult
from protocols.model_call import Spending
from protocols.visible_text import printable
from starter.terminal import as_json, console
from starter.views import verdict
from starter.views.live_text import TextPrinter
from starter.views.progress import ProgressScreen


async def follow(deliberation: Deliberation[DeliberationResult], to: Console) -> None:
    """Show the progress until it ends; an interruption ends the display, not the deliberation."""
    try:
        with ProgressScreen(to) as screen:
            async for sight in watch(deliberation.handle):
                screen.show(sight)
    except asyncio.CancelledError:
        notify(f"{deliberation.id} has not ended. It continues where a worker runs: parley watch {deliberation.id}")
        raise


async def follow_text(deliberation: Deliberation[DeliberationResult]) -> None:
    """Print the verdict to standard output as it is written, and the progress to standard error."""
    printer, screen = TextPrinter(), ProgressScreen(Console(stderr=True, force_terminal=False))
    async for sight in watch(deliberation.handle):
        screen.show(sight)
        click.echo(printer.new_text(sight.calls), nl=False)
    click.echo()


async def conclude(
    session: Session,
    deliberation: Deliberation[DeliberationResult],
    *,
    json: bool,
    transcript: bool = False,
    output: Path | None = None,
    force: bool = False,
) -> int:
    """Wait for the end, show the result, write its verdict to ``output``, and return the exit code."""
    try:
        result: DeliberationResult | None = await deliberation.result()
        error = no_verdict(result) if result is not None else None
    except DeliberationFailedError as failed:
        result, error = failed.result, str(failed)
    link = session.directions(deliberation.id)
    follow_ups = await session.parley.follow_ups(deliberation.id)
    code = print_result(
        deliberation.id, result, error, json=json, link=link, transcript=transcript, follow_ups=follow_ups
    )
    if output is not None:
        _write(output, result, force=force)
    return code


def print_result(
    deliberation_id: str,
    result: DeliberationResult | None,
    error: str | None,
    *,
    json: bool,
    link: str | None = None,
    transcript: bool = False,
    follow_ups: Sequence[str] = (),
) -> int:
    """Print ``result`` and ``error``, whichever there is, and return the exit code."""
    if json:
        found = document(deliberation_id, result, error, transcript=transcript)
        click.echo(as_json({**found, "continued_by": list(follow_ups)}))
    elif result is not None:
        shown = verdict.render(result, link=link, transcript=transcript, follow_ups=follow_ups)
        console().print(shown, crop=False)  # a link longer than a line is never cut
    if error is not None:
        notify(f"parley: {error}")
    return VERDICT if error is None else FAILED


def document(
    deliberation_id: str, result: DeliberationResult | None, error: str | None, *, transcript: bool = True
) -> dict[str, Any]:
    """Return the result as one JSON object with ``error``; without a result, the id and the error."""
    if result is None:
        return {"deliberation_id": deliberation_id, "error": error}
    whole = result.model_dump(mode="json", exclude=None if transcript else {"transcript"})
    return {**whole, "spent": spent_as_json(result.spent), "error": error}


def spent_as_json(spent: Spending) -> dict[str, Any]:
    """Return ``spent`` as JSON: unknown dollars are ``null``, never 0."""
    return {**spent.model_dump(mode="json"), "usd": spent.known_usd}


def check_output(path: Path | None, *, force: bool, detach: bool) -> None:
    """Refuse a file that could not be written later, while nothing is paid yet.

    Raises:
        RequestError: the folder is missing or closed, the file exists and may not be replaced, or the command
            does not wait for the verdict.
    """
    if path is None:
        if force:
            raise RequestError(
                "--force replaces the file of --output, and none is named; name one, or leave --force out"
            )
        return
    name = str(path)
    if detach:
        raise RequestError(f"--detach waits for no verdict, so {name!r} cannot be written; leave one of them out")
    refuse_place(path)
    if path.exists() and not force:
        raise RequestError(f"{name!r} is there already; name another file, or replace it with --force")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise RequestError(
            f"nothing may be written to {str(path.parent)!r}, so name another folder than that of {name!r}"
        )


def write_verdict(path: Path, verdict: str, *, force: bool) -> None:
    """Write ``verdict`` as the model wrote it, without characters that hide something."""
    from studies.exports.files import whole_file  # noqa: PLC0415 - it brings SQLAlchemy, and most verdicts are only shown

    with whole_file(path, force=force) as file:
        file.write(f"{printable(verdict).rstrip()}\n".encode())


def _write(output: Path, result: DeliberationResult | None, *, force: bool) -> None:
    if result is None or result.verdict is None:
        notify(f"there is no verdict, so {str(output)!r} was not written")
        return
    write_verdict(output, result.verdict, force=force)
    notify(f"the verdict was written to {output}")
