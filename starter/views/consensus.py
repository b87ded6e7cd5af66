"""What only a consensus that is over has to show: its rounds, and whose text the verdict is."""

from collections.abc import Iterator
from itertools import chain, repeat

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from protocols.consensus.model import SPEAKERS, ConsensusResult, ConversationMessage, RoundSummary, Speaker, StopReason
from protocols.consensus.outcome import told
from protocols.panel import name_of
from protocols.transcript import Turn, remark_of
from protocols.visible_text import one_line

_STYLES = {"ACCEPT": "green", "correction": "yellow", "objection": "yellow", "unread": "red", "cut": "red"}

_UNPOLISHED = "{who} accepted after {rounds}, and no curator's text could be had: this is the accepted draft"

_NOT_AGREED: dict[StopReason, str] = {
    "round_limit": "no consensus after {rounds}: this is the last draft",
    "majority": "no consensus: after {rounds} most accepted this draft",
    "deadlock": "no consensus: after {rounds} this draft stood still",
    "accepted": "a person took this draft for the verdict",
    "stopped": "no consensus: a person stopped it; this is the last draft",
    "quorum_lost": "no consensus: fewer than two were left; this is the last draft",
}
"""What the verdict is where there was nothing for a curator to polish."""


def findings(result: ConsensusResult) -> list[RenderableType]:
    """The rounds: who thought what of whose draft."""
    if not result.rounds:
        return [Text("no round came to its check", style="dim")]
    table = Table(title=Text("Rounds", style="bold"), box=box.SIMPLE, title_justify="left")
    for heading in ("round", *SPEAKERS, "draft by", "draft"):
        table.add_column(heading, justify="right" if heading == "round" else "left")
    for one in result.rounds:
        opinions = (_opinion(one, name) for name in SPEAKERS)
        table.add_row(str(one.round), *opinions, one.draft_by, _draft(one))
    notes = [result.reason, _zombies(result) if result.zombies else ""]
    return [table, *(Text(one_line(note, width=600), style="dim") for note in notes if note)]


def author(result: ConsensusResult) -> str:
    """Whose text the verdict is, and how it came to be the verdict."""
    if result.written_by == "curator":
        model = f": {one_line(name_of(result.curation.model), width=80)}" if result.curation else ""
        return f"{_who(result)} accepted after {_rounds(result)}; polished by the curator{model}"
    why = _UNPOLISHED if result.consensus_achieved else _NOT_AGREED.get(result.stop_reason, "this is the last draft")
    remark = f" ({one_line(result.remark, width=200)})" if result.remark else ""
    return f"{why.format(rounds=_rounds(result), who=_who(result))}{remark}, written by the {result.draft_by}"


def said(result: ConsensusResult) -> list[tuple[str, str]]:
    """Every turn under a heading, round by round: the three in turn, then the check, in the end the curator."""
    told: list[tuple[str, str]] = []
    messages, checks = tuple(_messages(result)), result.checks
    for number in sorted({message.round for message, _ in messages} | {turn.round for turn in checks}):
        mine = ((one, note) for one, note in messages if one.round == number)
        told += [(f"round {number} · {one.speaker}{remark_of(note)}", one.content) for one, note in mine]
        told += [(_heading(turn), turn.text) for turn in checks if turn.round == number]
    return [*told, *([(_heading(result.curation), result.curation.text)] if result.curation else [])]


def _messages(result: ConsensusResult) -> Iterator[tuple[ConversationMessage, str]]:
    """Return the messages, each with its note; a result from before notes were kept has none."""
    return zip(result.conversation.messages, chain(result.message_notes, repeat("")), strict=False)


def _opinion(one: RoundSummary, name: Speaker) -> Text:
    word = told(one, name)
    return Text(word, style=_STYLES.get(word, "dim"))


def _draft(one: RoundSummary) -> str:
    if not one.draft_changed:
        return "unchanged"
    return "new" if one.round == 1 else "changed"


def _who(result: ConsensusResult) -> str:
    """Return who accepted in the last round: who was lost by then had no vote."""
    accepted = [name for name in SPEAKERS if result.rounds and told(result.rounds[-1], name) == "ACCEPT"]
    return "all" if len(accepted) in {0, len(SPEAKERS)} else " and ".join(accepted)


def _zombies(result: ConsensusResult) -> str:
    return f"asked no more after two losses in a row: {', '.join(result.zombies)}"


def _rounds(result: ConsensusResult) -> str:
    held = len(result.rounds)
    return f"{held} round" if held == 1 else f"{held} rounds"


def _heading(turn: Turn) -> str:
    return f"round {turn.round} · {turn.stage} · {turn.participant} · {name_of(turn.model)}{turn.remark}"
