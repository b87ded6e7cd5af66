"""Following a deliberation to its end and showing its result, on a screen or as one JSON document."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from parley.deliberations import Deliberation
from parley.errors import FAILED, VERDICT, DeliberationFailedError
from parley.failures import no_verdict
from parley.notices import notify
from parley.session import Session
from parley.watch import watch
from protocols.deliberation import DeliberationResult
from protocols.model_call import Spending
from starter.handlers.verdict_file import write_verdict
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
        shown = document(deliberation_id, result, error, transcript=transcript)
        click.echo(as_json({**shown, "continued_by": list(follow_ups)}))
    elif result is not None:
        verdict.print_result(console(), result, link=link, transcript=transcript, follow_ups=follow_ups)
    if error is not None:
        notify(f"parley: {error}")
    return VERDICT if error is None else FAILED


def _write(output: Path, result: DeliberationResult | None, *, force: bool) -> None:
    if result is None or result.verdict is None:
        notify(f"there is no verdict, so {str(output)!r} was not written")
        return
    write_verdict(output, result.verdict, force=force)
    notify(f"the verdict was written to {output}")


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
