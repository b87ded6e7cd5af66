"""Commands that answer for a person: accept, reject, continue."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id, note_option
from starter.handlers.command_runner import with_worker

if TYPE_CHECKING:
    from parley.session import Session


@click.command("accept")
@deliberation_id
@note_option
@with_worker
async def accept(session: "Session", *, deliberation_id: str, note: str) -> None:
    """Accept the result so far of the deliberation ID; parley escalations lists those that wait.

    The present draft of a consensus becomes its verdict, and nothing more is asked or paid. In a debate that waits
    after a failed objection round, what there is counts as agreed; before a high-stakes synthesis, it is written.
    """
    from parley.questions import read_argument

    await session.parley.accept(deliberation_id, read_argument(note))
    notify(f"{deliberation_id} is accepted. Follow it: parley watch {deliberation_id}")


@click.command("reject")
@deliberation_id
@note_option
@with_worker
async def reject(session: "Session", *, deliberation_id: str, note: str) -> None:
    """Reject the result so far of the debate ID; parley escalations lists those that wait.

    After a failed objection round it is concluded without agreement; before a high-stakes synthesis, none is written.
    """
    from parley.questions import read_argument

    await session.parley.reject(deliberation_id, read_argument(note))
    notify(f"{deliberation_id} is rejected. Follow it: parley watch {deliberation_id}")


@click.command("continue")
@deliberation_id
@note_option
@with_worker
async def continue_(session: "Session", *, deliberation_id: str, note: str) -> None:
    """Continue the debate ID for at least one round after a failed objection round.

    The note binds all debaters as a decision. parley escalations lists the debates that wait.
    """
    from parley.questions import read_argument

    await session.parley.resolve_escalation(deliberation_id, "continue", read_argument(note))
    notify(f"{deliberation_id} goes on. Follow it: parley watch {deliberation_id}")
