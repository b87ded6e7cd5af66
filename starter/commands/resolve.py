"""``parley resolve``: a person answers a debate that waits."""

from typing import cast

import click

from parley.client import Parley
from parley.control import Decision
from parley.questions import read_argument
from protocols.progress import Progress
from starter.commands.update_command import change

_DECISIONS = {
    "accept": "what there is counts as agreed",
    "continue": "the debate goes on for one more round at least",
    "reject": "it is concluded without agreement",
}
_APPROVALS = {"approve": "the synthesis is written", "refuse": "there will be no synthesis"}


@click.command("resolve")
@click.argument("deliberation_id", metavar="ID")
@click.argument("answer", type=click.Choice([*_DECISIONS, *_APPROVALS]))
@click.option(
    "--note",
    default="",
    help="Text or @FILE, 500 characters: stands in the result; continue binds debaters to it.",
)
def command(deliberation_id: str, answer: str, note: str) -> None:
    """Answer the debate ID, which waits for a person: parley escalations lists those that do.

    After an objection round that failed: accept what there is, have it continue, or reject it. Before the synthesis of
    a high-stakes debate: approve it, or refuse.
    """

    async def answered(parley: Parley) -> Progress:
        if answer in _APPROVALS:
            return await parley.approve(deliberation_id, approved=answer == "approve", note=read_argument(note))
        return await parley.resolve_escalation(deliberation_id, cast("Decision", answer), read_argument(note))

    told = {**_DECISIONS, **_APPROVALS}[answer]
    change(answered, f"{deliberation_id}: {told}. Follow it: parley watch {deliberation_id}")
