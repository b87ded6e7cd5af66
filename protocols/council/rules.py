"""The count of ballots (seed 002, "Aggregate Rankings").

One ballot puts every answer at a position: those it places at 1, 2, 3 … in its order, those that share a place at the
mean of the positions they take up, those it leaves out at the mean of the positions that remain. The count is the
average over the ballots, lower is better::

    ballot            A    B    C    D
    A > B > C > D     1    2    3    4
    B > A             2    1   3.5  3.5
    A > B = D > C     1   2.5   4   2.5
    average          4/3  11/6 3.5  10/3

All numbers here are halves of whole numbers until the last division, so the order of the ballots changes
nothing, and equal averages are equal to the last bit. Equal averages are ordered by first places, tied ones
counted; answers that are still equal share a place, in the order of the labels. ``ties_broken`` records where either
decided the first place.

With a rubric the scores are counted as well. A reviewer's total of an answer is the weighted mean of its scores,
``Σ w·s / Σ w`` over all criteria; an answer of which it left a criterion out has no total from it. The total of an
answer is the mean of these totals, its spread their standard deviation (of a sample). The mean and the spread of a
criterion count every score that was given for it. Answers are placed by their totals; equal totals share a place, in
the order of the labels. Answers without a total come last.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from statistics import fmean, stdev
from typing import Any, NamedTuple, TypeVar

from protocols.anonymity import Labels
from protocols.council.model import AggregateRank, Ballot, RankedAnswer, SubmittedBallot, Tally
from protocols.council.rubric import CriterionScore, Rubric, ScoreCard, ScoredAnswer, ScoreTally
from protocols.council.wording import VOID_REASONS
from protocols.model_call import FrozenModel, ModelId, ParticipantId
from protocols.panel import name_of

_DECIMALS = 9
_FEWEST_TO_AGREE = 2

Answer = TypeVar("Answer", bound=FrozenModel)
"""An answer with a place."""


class _Positions(NamedTuple):
    """One ballot as positions: ``placed`` by name, and the position of all other judged answers."""

    placed: Mapping[str, float]
    others: float
    judged: frozenset[str]
    first: frozenset[str]
    """What it puts first, alone or tied."""
    tied: tuple[int, ...]
    """The sizes of its ties, answers left out among them."""

    def of(self, label: str) -> float:
        return self.placed.get(label, self.others)


def tally(
    labels: Labels,
    models: Mapping[ParticipantId, ModelId],
    ballots: Sequence[SubmittedBallot],
    *,
    exclude_self_votes: bool,
) -> Tally | None:
    """Count ``ballots`` over the answers under ``labels``; ``None`` when not one ballot can be counted.

    ``models`` says who wrote the answer of each participant. With ``exclude_self_votes`` a ballot says nothing about
    its reviewer's own answer and those behind it move up; a ballot that places no other answer is not counted then.
    Equal averages are ordered by first places, then by label, and share their place.
    """
    counted = [p for p in (_positions(cast, labels, exclude_self=exclude_self_votes) for cast in ballots) if p.placed]
    if not counted:
        return None
    return Tally(
        standings=_in_order([_standing(name, labels.author(name), models, counted) for name in labels.names], _merit),
        ballots_counted=len(counted),
        ballots_void=len(ballots) - len(counted),
        agreement=_agreement([_positions(cast, labels, exclude_self=False) for cast in ballots], labels.names),
    )


def uncounted(ballots: Sequence[SubmittedBallot]) -> str:
    """Return in one sentence why none of ``ballots`` could be counted; reviewers with one reason are named together."""
    by_reason: dict[str, list[str]] = {}
    for cast in ballots:
        by_reason.setdefault(why_void(cast.ballot), []).append(cast.reviewer)
    why = "; ".join(f"{', '.join(reviewers)}: {reason}" for reason, reviewers in by_reason.items())
    return f"None of {len(ballots)} ballots could be counted, so the order of the answers is unknown ({why})."


def why_void(ballot: Ballot) -> str:
    """Return in words, for a reader, why a void ``ballot`` orders no answer."""
    return "; ".join(VOID_REASONS.get(reason, reason) for reason in ballot.repairs) or "no ranking could be read"


def ties_broken(counted: Tally) -> tuple[str, ...]:
    """Return in words, best first, where equal averages were put in order by another rule; empty when nowhere."""
    said = []
    for average, equals in groupby(counted.standings, key=lambda standing: standing.average_position):
        group = list(equals)
        if len(group) == 1 or average is None:
            continue
        by_firsts = len({standing.first_places for standing in group}) > 1
        rule = "first places" if by_firsts and not group[0].tied else "the order of the labels"
        names = ", ".join(standing.label for standing in group)
        said.append(f"{names}: equal at {average:.2f}, put in order by {rule}")
    return tuple(said)


def aggregate(counted: Tally) -> tuple[AggregateRank, ...]:
    """Return the seed's aggregate ranking, best first, without answers that no ballot counted."""
    return tuple(
        AggregateRank(model=name_of(standing.model), average_rank=standing.average_position, votes=standing.votes)
        for standing in counted.standings
        if standing.average_position is not None
    )


def count_scores(
    rubric: Rubric,
    labels: Labels,
    models: Mapping[ParticipantId, ModelId],
    ballots: Sequence[SubmittedBallot],
    *,
    exclude_self_votes: bool,
) -> ScoreTally | None:
    """Count the scores of ``ballots``; ``None`` when not one of them has any.

    With ``exclude_self_votes`` a reviewer's scores of its own answer are left out.
    """
    cards = [
        (cast.own_label if exclude_self_votes else None, cast.ballot.card or ScoreCard(standing="void"))
        for cast in ballots
    ]
    given = [
        {label: scores for label, scores in card.scores.items() if label != own and label in labels.names}
        for own, card in cards
    ]
    counted = [scores for scores in given if any(scores.values())]
    if not counted:
        return None
    answers = [_scored_answer(rubric, label, labels.author(label), models, counted) for label in labels.names]
    return ScoreTally(
        rubric=rubric,
        standings=_in_order(answers, lambda one: (one.total is None, -(one.total or 0.0))),
        reviewers_counted=len(counted),
        reviewers_unread=len(ballots) - len(counted),
    )


def winner_agrees(scored: ScoreTally | None, tally: Tally | None) -> bool | None:
    """Return whether ranking and rubric put the same answer first; ``None`` when one of them puts none there."""
    if scored is None or tally is None or not scored.winners:
        return None
    return tally.winner.label in scored.winners


def weighted_total(rubric: Rubric, scores: Mapping[str, float]) -> float | None:
    """Return a reviewer's total of one answer; ``None`` when it left a criterion out."""
    weights = rubric.weights
    if not weights.keys() <= scores.keys():
        return None
    whole = sum(weights.values())
    return round(sum(weight * scores[name] for name, weight in weights.items()) / whole, _DECIMALS)


def _positions(cast: SubmittedBallot, labels: Labels, *, exclude_self: bool) -> _Positions:
    judged = frozenset(labels.names) - ({cast.own_label} if exclude_self else set())
    places = [kept for place in cast.ballot.by_place if (kept := [name for name in place if name in judged])]
    placed: dict[str, float] = {}
    for place in places:
        position = len(placed) + (1 + len(place)) / 2
        placed |= dict.fromkeys(place, position)
    return _Positions(
        placed=placed,
        others=(len(placed) + 1 + len(judged)) / 2,
        judged=judged,
        first=frozenset(places[0]) if places else frozenset(),
        tied=(*map(len, places), len(judged) - len(placed)),
    )


def _standing(
    label: str, author: ParticipantId, models: Mapping[ParticipantId, ModelId], counted: Sequence[_Positions]
) -> RankedAnswer:
    """Return the result of one answer, without its place among the others."""
    judging = [ballot for ballot in counted if label in ballot.judged]
    positions = [ballot.of(label) for ballot in judging]
    return RankedAnswer(
        label=label,
        author=author,
        model=models[author],
        place=1,
        average_position=sum(positions) / len(positions) if positions else None,
        votes=sum(label in ballot.placed for ballot in judging),
        first_places=sum(label in ballot.first for ballot in judging),
        borda=sum(len(ballot.judged) - ballot.of(label) for ballot in judging),
    )


def _merit(standing: RankedAnswer) -> tuple[bool, float, int]:
    """Return the sort key of a place, best first; an answer without an average comes last."""
    average = standing.average_position
    return average is None, average or 0.0, -standing.first_places


def _in_order(answers: Sequence[Answer], merit: Callable[[Answer], Any]) -> tuple[Answer, ...]:
    """Return ``answers``, given in label order, with their places; equal ones share a place."""
    placed: list[Answer] = []
    for _, equals in groupby(sorted(answers, key=merit), key=merit):
        group = list(equals)
        place, tied = len(placed) + 1, len(group) > 1
        placed += [answer.model_copy(update={"place": place, "tied": tied}) for answer in group]
    return tuple(placed)


def _agreement(ballots: Sequence[_Positions], names: Sequence[str]) -> float | None:
    """Return Kendall's W, corrected for ties and for the answers that a ballot leaves out.

    ``None`` with fewer than two ballots or answers, and where every ballot ties everything.
    """
    raters = [ballot for ballot in ballots if ballot.placed]
    m, n = len(raters), len(names)
    if m < _FEWEST_TO_AGREE or n < _FEWEST_TO_AGREE:
        return None
    sums = [sum(ballot.of(name) for ballot in raters) for name in names]
    spread = sum((total - m * (n + 1) / 2) ** 2 for total in sums)
    ties = sum(size**3 - size for ballot in raters for size in ballot.tied)
    most = m * m * (n**3 - n) - m * ties
    return 12 * spread / most if most else None


def _scored_answer(
    rubric: Rubric,
    label: str,
    author: ParticipantId,
    models: Mapping[ParticipantId, ModelId],
    counted: Sequence[Mapping[str, Mapping[str, float]]],
) -> ScoredAnswer:
    """Return the scores of one answer, without its place among the others."""
    given = [scores[label] for scores in counted if label in scores]
    totals = [total for scores in given if (total := weighted_total(rubric, scores)) is not None]
    return ScoredAnswer(
        label=label,
        author=author,
        model=models[author],
        place=1,
        total=_mean(totals),
        spread=_spread(totals),
        reviewers=len(totals),
        criteria=tuple(_of_criterion(name, [one[name] for one in given if name in one]) for name in rubric.names),
    )


def _of_criterion(name: str, scores: Sequence[float]) -> CriterionScore:
    return CriterionScore(criterion=name, mean=_mean(scores), spread=_spread(scores), reviewers=len(scores))


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), _DECIMALS) if values else None


def _spread(values: Sequence[float]) -> float | None:
    return round(stdev(values), _DECIMALS) if len(values) > 1 else None
