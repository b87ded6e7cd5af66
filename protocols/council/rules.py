"""How ballots are counted (seed 002, "Aggregate Rankings").

One ballot puts every answer at a position: those it places at 1, 2, 3 … in its order, those it leaves out at the mean
of the positions that remain. The count is the average over the ballots, lower is better::

    ballot            A    B    C    D
    A > B > C > D     1    2    3    4
    B > A             2    1   3.5  3.5
    average          1.5  1.5  3.25 3.75

Everything here is halves of whole numbers until the last division, so the order in which ballots come in changes
nothing, and equal averages are equal to the last bit.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from protocols.anonymity import Labels
from protocols.council.model import AggregateRank, CastBallot, Standing, Tally
from protocols.exchange import ModelId, ParticipantId
from protocols.panel import name_of

_FEWEST_TO_AGREE = 2


class _Positions(NamedTuple):
    """One ballot as positions: ``placed`` by name, and where everything else that it judges stands."""

    placed: Mapping[str, int]
    others: float
    judged: frozenset[str]

    def of(self, label: str) -> float:
        return self.placed.get(label, self.others)


def tally(
    labels: Labels,
    models: Mapping[ParticipantId, ModelId],
    ballots: Sequence[CastBallot],
    *,
    exclude_self_votes: bool,
) -> Tally | None:
    """Count ``ballots`` over the answers under ``labels``; ``None`` when not one ballot can be counted.

    ``models`` says who wrote the answer of each participant. With ``exclude_self_votes`` a ballot says nothing about
    its reviewer's own answer and those behind it move up; a ballot that places no other answer is not counted then.
    Equal averages are decided by first places, then stand in label order and share their place.
    """
    counted = [p for p in (_positions(cast, labels, exclude_self=exclude_self_votes) for cast in ballots) if p.placed]
    if not counted:
        return None
    return Tally(
        standings=_in_order([_standing(name, labels.author(name), models, counted) for name in labels.names]),
        ballots_counted=len(counted),
        ballots_void=len(ballots) - len(counted),
        agreement=_agreement([_positions(cast, labels, exclude_self=False) for cast in ballots], labels.names),
    )


def aggregate(counted: Tally) -> tuple[AggregateRank, ...]:
    """The seed's aggregate ranking, best first; an answer that no ballot counted has no average and is left out."""
    return tuple(
        AggregateRank(model=name_of(standing.model), average_rank=standing.average_position, votes=standing.votes)
        for standing in counted.standings
        if standing.average_position is not None
    )


def _positions(cast: CastBallot, labels: Labels, *, exclude_self: bool) -> _Positions:
    judged = frozenset(labels.names) - ({cast.own_label} if exclude_self else set())
    ranking = [name for name in cast.ballot.ranking if name in judged]
    placed = {name: position for position, name in enumerate(ranking, start=1)}
    return _Positions(placed=placed, others=(len(placed) + 1 + len(judged)) / 2, judged=judged)


def _standing(
    label: str, author: ParticipantId, models: Mapping[ParticipantId, ModelId], counted: Sequence[_Positions]
) -> Standing:
    """How one answer came out; its place is only known beside the others."""
    judging = [ballot for ballot in counted if label in ballot.judged]
    positions = [ballot.of(label) for ballot in judging]
    return Standing(
        label=label,
        author=author,
        model=models[author],
        place=1,
        average_position=sum(positions) / len(positions) if positions else None,
        votes=sum(label in ballot.placed for ballot in judging),
        first_places=sum(ballot.placed.get(label) == 1 for ballot in judging),
        borda=sum(len(ballot.judged) - ballot.of(label) for ballot in judging),
    )


def _merit(standing: Standing) -> tuple[bool, float, int]:
    """What decides a place, best first; an answer without an average comes last."""
    average = standing.average_position
    return average is None, average or 0.0, -standing.first_places


def _in_order(standings: Sequence[Standing]) -> tuple[Standing, ...]:
    """``standings``, given in label order, with their places."""
    placed: list[Standing] = []
    for _, equals in groupby(sorted(standings, key=_merit), key=_merit):
        group = list(equals)
        place, tied = len(placed) + 1, len(group) > 1
        placed += [standing.model_copy(update={"place": place, "tied": tied}) for standing in group]
    return tuple(placed)


def _agreement(ballots: Sequence[_Positions], names: Sequence[str]) -> float | None:
    """Kendall's W, corrected for the ties of answers that a ballot leaves out."""
    raters = [ballot for ballot in ballots if ballot.placed]
    m, n = len(raters), len(names)
    if m < _FEWEST_TO_AGREE or n < _FEWEST_TO_AGREE:
        return None
    sums = [sum(ballot.of(name) for ballot in raters) for name in names]
    spread = sum((total - m * (n + 1) / 2) ** 2 for total in sums)
    ties = sum(_ties(n - len(ballot.placed)) for ballot in raters)
    return 12 * spread / (m * m * (n**3 - n) - m * ties)


def _ties(size: int) -> int:
    return size**3 - size
