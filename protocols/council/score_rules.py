"""The count of the scores of a rubric.

A reviewer's total of an answer is the weighted mean of its scores, ``Σ w·s / Σ w`` over all criteria; an answer of
which it left a criterion out has no total from it. The total of an answer is the mean of these totals, its spread their
standard deviation (of a sample). The mean and the spread of a criterion count every score that was given for it.
Answers are placed by their totals; equal totals share a place, in the order of the labels. Answers without a total
come last.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from protocols.anonymity import Labels
from protocols.council.model import SubmittedBallot, Tally
from protocols.council.rubric import CriterionScore, Rubric, ScoreCard, ScoredAnswer, ScoreTally
from protocols.council.rules import in_order
from protocols.model_call import ModelId, ParticipantId

_DECIMALS = 9


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
    cards = [(cast.own_label if exclude_self_votes else None, cast.ballot.card or _NOTHING) for cast in ballots]
    given = [
        {label: scores for label, scores in card.scores.items() if label != own and label in labels.names}
        for own, card in cards
    ]
    counted = [scores for scores in given if any(scores.values())]
    if not counted:
        return None
    answers = [_answer(rubric, label, labels.author(label), models, counted) for label in labels.names]
    return ScoreTally(
        rubric=rubric,
        standings=in_order(answers, _merit),
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


_NOTHING = ScoreCard(standing="void")


def _answer(
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


def _merit(one: ScoredAnswer) -> tuple[bool, float]:
    """Return the sort key of a place, best first."""
    return one.total is None, -(one.total or 0.0)
