"""The table of a count of equal votes, for the protocols that count answers."""

from collections.abc import Mapping, Sequence

from protocols.model_call import ParticipantId
from protocols.panel import name_of
from protocols.tables import Cell, Medium, Table, columns, listed, notes, rows
from protocols.votes import Tally, Vote

ANSWER_WIDTH = 60
"""Characters of a final answer on a terminal."""


def votes_table(
    tally: Tally, votes: Sequence[Vote] = (), *, asked: int | None = None, title: str = "Votes", least: Medium = "panel"
) -> Table:
    """Return each answer with its votes, most votes first."""
    models = {vote.voter: name_of(vote.model).rpartition("/")[2] for vote in votes}
    return Table(
        title=title if tally.choices else "",
        columns=columns("answer", "votes", "share", "from", right={"votes", "share"}),
        rows=rows(
            (
                Cell(choice.answer, width=ANSWER_WIDTH),
                f"{choice.votes}{'=' if choice.answer in tally.tied else ''}",
                f"{choice.votes / tally.cast:.0%}",
                listed(_voters(choice.voters, models)),
            )
            for choice in tally.choices
        ),
        notes=notes(_summary(tally, asked)),
        chart="bars",
        least=least,
    )


def _voters(voters: Sequence[ParticipantId], models: Mapping[ParticipantId, str]) -> list[str]:
    """Return the seats, each with its model where the votes come from several models."""
    is_one_model = len(set(models.values())) <= 1
    return [voter if is_one_model else f"{voter} {models.get(voter, '')}".strip() for voter in voters]


def _summary(tally: Tally, asked: int | None) -> str:
    agreement = "unknown" if tally.agreement is None else f"{tally.agreement:.2f} (share of the winner, 1 is unanimous)"
    answered = tally.cast + tally.abstained
    of = f" of {asked}" if asked is not None else ""
    ties = f"; tied, decided for the earliest: {', '.join(tally.tied)}" if tally.tied else ""
    return f"agreement {agreement}; {answered}{of} answered, {tally.abstained} without a final answer{ties}"
