"""Deliberations that wait for a user, on the screen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from parley.approval_commands import answer
from protocols.progress import Progress
from protocols.visible_text import one_line, printable

if TYPE_CHECKING:  # it brings the models of a debate, and every deliberation's progress is shown with ``waits``
    from parley.pending_approvals import PendingApproval

_TITLE_WIDTH = 80
_WHY_WIDTH = 300


def standstills(found: "Sequence[PendingApproval]") -> RenderableType:
    """Return a few lines per waiting deliberation: reason, deadline, and the command to answer it."""
    if not found:
        return Text("no deliberation waits for a decision")
    return Group(*(line for one in found for line in _lines(one)))


def waits(progress: Progress, deliberation_id: str) -> str:
    """Return the pending approval and its command in one line; blank without one."""
    if not progress.waits_for:
        return ""
    command = answer(progress, deliberation_id)
    text = f"waits for {one_line(progress.waits_for, width=_WHY_WIDTH)}"
    return f"{text}; answer it in another window: {command}" if command else text


def _lines(one: "PendingApproval") -> list[Text]:
    rehearsal = "REHEARSAL · " if one.rehearsal else ""
    title = f"{rehearsal}{one_line(one.title, width=_TITLE_WIDTH)}"
    return [
        Text.assemble((printable(one.id), "bold"), f"  {title}"),
        Text(f"    {one.waits_for}: {_why(one)}", style="yellow"),
        Text(f"    {printable(one.command)}"),
    ]


def _why(one: "PendingApproval") -> str:
    if one.why:
        return one_line(one.why, width=_WHY_WIDTH)
    if one.waiting is None:
        return "no worker answers, so why and until when is not known (parley up starts one)"
    return f"{one_line(one.waiting.why, width=_WHY_WIDTH)}, until {one.waiting.until:%Y-%m-%d %H:%M} UTC"
