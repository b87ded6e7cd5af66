"""Commands that watch and steer a deliberation by its id."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parley.errors import RequestError
from parley.notices import notify
from starter.commands.parameters import (
    budget_change,
    deliberation_id,
    detach_option,
    force_option,
    json_option,
    key_check_option,
    limit_options,
    note_option,
    output_option,
    split,
)
from starter.handlers.command_runner import with_session, with_settings, with_worker
from starter.terminal import console, print_result

if TYPE_CHECKING:
    from parley.session import Session
    from runtime.settings import Settings


@click.command("watch")
@deliberation_id
@json_option
@click.option("--text", "shows_text", is_flag=True, help="Print the verdict as it is written.")
@with_settings
async def watch_command(settings: "Settings", *, deliberation_id: str, json: bool, shows_text: bool) -> int:
    """Follow the deliberation ID until it ends, then show its result.

    On this machine a worker is started for it when none runs. With --json or --text the progress goes to standard
    error. With --text the verdict is printed about once a second while a model writes it, without its reasoning;
    verdicts that are counted, as those of a vote, have no such text.
    """
    from parley.session import open_session
    from starter.handlers.show_result import conclude, follow, follow_text

    if shows_text and json:
        raise RequestError("--text prints the verdict as it is written, --json one document; leave one of them out")
    async with open_session(settings, notify, worker="while it runs", of=deliberation_id) as session:
        deliberation = session.parley.deliberation(deliberation_id)
        if (await session.parley.about(deliberation_id)).status == "running":
            await (follow_text(deliberation) if shows_text else follow(deliberation, console(to_stderr=json)))
        return await conclude(session, deliberation, json=json)


@click.command("stop")
@deliberation_id
@click.option("--after-round", is_flag=True, help="Finish the present round first (consensus).")
@click.option("--reason", default="stopped by a user", help="Kept in the history.")
@with_worker
async def stop_command(session: "Session", *, deliberation_id: str, after_round: bool, reason: str) -> None:
    """Stop the deliberation ID and keep the result so far; nothing more is asked or paid."""
    if after_round:
        await session.parley.stop_after_round(deliberation_id, reason)
        notify(f"{deliberation_id} ends after this round. Follow it: parley watch {deliberation_id}")
    else:
        await session.parley.stop(deliberation_id, reason)
        notify(f"{deliberation_id} is stopped. Its result so far: parley show {deliberation_id}")


@click.command("cancel")
@deliberation_id
@with_session
async def cancel_command(session: "Session", *, deliberation_id: str) -> None:
    """End the deliberation ID without a verdict. It takes effect as soon as a worker runs."""
    await session.parley.cancel(deliberation_id)
    notify(f"{deliberation_id} was asked to end")


@click.command("rounds")
@deliberation_id
@click.argument("more", metavar="+N", type=click.IntRange(1, 50))
@click.option(
    "--focus", default="", show_default=False, help="The question for the first of them (debate); by default none."
)
@with_worker
async def rounds_command(session: "Session", *, deliberation_id: str, more: int, focus: str) -> None:
    """Allow the consensus or debate ID that many more rounds, as in +2, and at most 50 in all."""
    progress = await session.parley.add_rounds(deliberation_id, more, focus=focus)
    notify(f"{deliberation_id} may have {progress.rounds} rounds now")


@click.command("replace")
@deliberation_id
@click.argument("seat")
@click.argument("model")
@with_worker
async def replace_command(session: "Session", *, deliberation_id: str, seat: str, model: str) -> None:
    """Put MODEL behind SEAT of the running deliberation ID.

    The seats of a council are p1, p2 … and chair; those of a consensus generator, refiner, validator and curator; those
    of a debate p1, p2 …, evaluator, summariser, judge and synthesiser. A call in flight there is closed and
    sent to the new model.
    """
    await session.parley.replace_participant(deliberation_id, seat, model)
    notify(f"{model} sits at {seat} of {deliberation_id} now")


@click.command("rewind")
@deliberation_id
@click.option("--to-round", type=int, required=True, help="The last round that both have in common, 1 or more.")
@click.option(
    "--set", "sets", multiple=True, metavar="SEAT=MODEL", help="The model there from then on; by default the old."
)
@click.option("--id", "new_id", help="The new id; by default the old one with -rewind- and six random characters.")
@detach_option
@json_option
@output_option
@force_option
@key_check_option
@with_settings
async def rewind_command(
    settings: "Settings",
    *,
    deliberation_id: str,
    to_round: int,
    sets: tuple[str, ...],
    new_id: str | None,
    detach: bool,
    json: bool,
    output: Path | None,
    force: bool,
    key_check: bool,
) -> int:
    """Start a deliberation that shares the rounds of ID up to one, and continues differently from there.

    No call of the shared rounds is paid again. ID may be over or still run; nothing of it changes. The stages of a
    council are its rounds: 1 opinions, 2 review, 3 synthesis. The seats are those of parley replace; models.a, models.b
    … are the participants in their order.
    """
    from parley.model_warnings import model_warnings_as_lines
    from parley.rewind import assignments, rewind
    from parley.session import open_session
    from starter.handlers.ask import detached
    from starter.handlers.show_result import check_output, conclude, follow

    check_output(output, force=force, detach=detach)
    seats = assignments(sets)
    async with open_session(settings, notify, worker="none" if detach else "needed", of=deliberation_id) as session:
        with model_warnings_as_lines():
            parley = session.parley
            branch = await rewind(parley, deliberation_id, to_round, seats, new_id=new_id, check_keys=key_check)
        if detach:
            return await detached(session, branch, json=json)
        notify(f"deliberation {branch.id}: {deliberation_id} up to round {to_round}, and on from there")
        await follow(branch, console(to_stderr=True))
        return await conclude(session, branch, json=json, output=output, force=force)


@click.command("escalations")
@json_option
@with_session
async def escalations_command(session: "Session", *, json: bool) -> None:
    """List the deliberations that wait for a user, with their answering commands.

    The reason and the deadline come from a worker; without one they are left out.
    """
    from starter.views.escalations import standstills

    found = await session.parley.escalations()
    print_result({"escalations": found}, standstills(found), json=json)


@click.command("accept")
@deliberation_id
@note_option
@with_worker
async def accept_command(session: "Session", *, deliberation_id: str, note: str) -> None:
    """Accept the result so far of the deliberation ID; parley escalations lists those that wait.

    The present draft of a consensus becomes its verdict, and no further call is made or paid. In a debate that waits
    after a failed objection round, the present positions count; before the high-stakes synthesis it is written.
    """
    await session.parley.accept(deliberation_id, _text(note))
    notify(f"{deliberation_id} is accepted. Follow it: parley watch {deliberation_id}")


@click.command("reject")
@deliberation_id
@note_option
@with_worker
async def reject_command(session: "Session", *, deliberation_id: str, note: str) -> None:
    """Reject the result so far of the debate ID; parley escalations lists those that wait.

    After a failed objection round it is concluded without agreement; before a high-stakes synthesis, none is written.
    """
    await session.parley.reject(deliberation_id, _text(note))
    notify(f"{deliberation_id} is rejected. Follow it: parley watch {deliberation_id}")


@click.command("continue")
@deliberation_id
@note_option
@with_worker
async def continue_command(session: "Session", *, deliberation_id: str, note: str) -> None:
    """Continue the debate ID for at least one round after a failed objection round.

    The note binds all debaters as a decision. parley escalations lists the debates that wait.
    """
    await session.parley.resolve_escalation(deliberation_id, "continue", _text(note))
    notify(f"{deliberation_id} continues. Follow it: parley watch {deliberation_id}")


@click.command("release")
@deliberation_id
@click.argument("agent", metavar="DEBATER")
@click.option(
    "--round", "round_number", type=click.IntRange(1), help="By default the latest round with a withheld turn."
)
@note_option
@with_worker
async def release_command(
    session: "Session", *, deliberation_id: str, agent: str, round_number: int | None, note: str
) -> None:
    """Show a turn of DEBATER (p1, p2 …) in the debate ID that the safety evaluator withheld.

    Every turn from now on sees it, and its claims enter the registries. The withheld turns, with the reasons, are
    listed by: parley show ID. A debate of which no turn may be shown waits for this command.
    """
    reason = _text(note)
    turn = await session.parley.release_turn(deliberation_id, agent, round_number=round_number, note=reason)
    claims = ", ".join(turn.claims_touched.introduced)
    entered = f"; its claims are {claims}" if claims else ""
    notify(f"{deliberation_id}: the turn of {turn.agent} in round {turn.round} is shown from now on{entered}")


@click.command("evidence")
@deliberation_id
@click.option("--fact", required=True, help="The fact, as text or @FILE; at most 500 characters.")
@click.option("--source", required=True, help="Its source: a title or a citation.")
@click.option("--url", default="", show_default=False, help="The address of the source; by default none.")
@click.option("--supports", multiple=True, callback=split, help="Claims that it supports: C1,C2; by default none.")
@with_worker
async def evidence_command(
    session: "Session", *, deliberation_id: str, fact: str, source: str, url: str, supports: tuple[str, ...]
) -> None:
    """Add a fact with its source to the debate ID; every turn from now on sees it.

    It gets an id, E1 and so on, by which the debaters cite it. The claims are listed by: parley claims ID.
    """
    added = await session.parley.inject_evidence(deliberation_id, _text(fact), source, url=url, supports=supports)
    notify(f"{deliberation_id} has it as {added.id}")


@click.command("budget")
@deliberation_id
@limit_options
@with_worker
async def budget_command(session: "Session", *, deliberation_id: str, usd: str | None, tokens: str | None) -> None:
    """Set the budget of the running deliberation ID; one that waits for a higher budget continues.

    The limits are for the whole deliberation: what it used so far counts. Only one that was started with a budget has
    one.
    """
    progress = await session.parley.set_budget(deliberation_id, budget_change(usd, tokens))
    line = progress.budget.line if progress.budget else "budget: no limit"
    notify(f"{deliberation_id}: {line}. Follow it: parley watch {deliberation_id}")


def _text(written: str) -> str:
    from parley.questions import read_argument

    return read_argument(written)
