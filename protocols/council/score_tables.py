"""Tables of the scores of a rubric: each answer by criterion, and the scores of each reviewer."""

from collections.abc import Iterator

from protocols.council.model import CouncilResult, SubmittedBallot, Tally
from protocols.council.rubric import HIGHEST, LOWEST, CriterionScore, ScoredAnswer, ScoreTally
from protocols.council.score_rules import weighted_total, winner_agrees
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.tables import UNKNOWN, Cell, Note, Table, columns, decimal, notes, rows

_AGREES = {True: "the ranking puts the same answer first", False: "the ranking puts another answer first", None: ""}


def score_tables(result: CouncilResult) -> tuple[Table, ...]:
    """Return the scores of an ended council; none without a rubric."""
    if result.rubric is None or not result.ballots:
        return ()
    if result.scored is None:
        return (Table(title="Scores", notes=notes(Note("No reviewer's scores could be read.", "warning"))),)
    return (score_table(result.scored, result.tally), _by_reviewer(result, result.scored))


def score_table(scored: ScoreTally, tally: Tally | None) -> Table:
    """Return the answers by their totals, best first, with mean and spread of each criterion."""
    weights = [f"{one.name} × {one.weight:g}" for one in scored.rubric.criteria]
    unread = scored.reviewers_unread
    reviewers = counted(scored.reviewers_counted, "reviewer")
    agrees = winner_agrees(scored, tally)
    return Table(
        title="Scores by the rubric",
        columns=columns("place", "answer", "seat", "model", "total", *weights, right={"place", "total", *weights}),
        rows=rows(_row(one) for one in scored.standings),
        notes=notes(
            f"mean ± standard deviation over {reviewers}, from {LOWEST} to {HIGHEST}; (n) where fewer scored it",
            Note(f"scores of {counted(unread, 'reviewer')} could not be read or counted", "warning") if unread else "",
            Note(_AGREES[agrees], "warning" if agrees is False else "muted"),
        ),
    )


def _row(one: ScoredAnswer) -> tuple[str, ...]:
    most = max((by.reviewers for by in one.criteria), default=0)
    total = _mean(one.total, one.spread, "" if one.reviewers == most else f" ({one.reviewers})")
    tied = "=" if one.tied else ""
    each = (_of_criterion(by, most) for by in one.criteria)
    return (f"{one.place}{tied}", one.label, one.author, name_of(one.model), total, *each)


def _of_criterion(by: CriterionScore, most: int) -> str:
    return _mean(by.mean, by.spread, "" if by.reviewers == most else f" ({by.reviewers})")


def _mean(mean: float | None, spread: float | None, count: str) -> str:
    if mean is None:
        return UNKNOWN
    return decimal(mean) + ("" if spread is None else f" ± {decimal(spread)}") + count


def _by_reviewer(result: CouncilResult, scored: ScoreTally) -> Table:
    """Return the total that each reviewer gave to each answer, with its scores."""
    headings = [f"{one.author} {name_of(one.model).rpartition('/')[2]}" for one in scored.standings]
    labels = [one.label for one in scored.standings]
    names = ", ".join(scored.rubric.names)
    return Table(
        title="Scores by reviewer",
        columns=columns("reviewer", *headings),
        rows=rows((_reviewer(cast), *_cells(cast, labels, scored)) for cast in result.ballots),
        chart="heatmap",
        across="answer of (best by the rubric first)",
        caption=f"One row per reviewer: its weighted total, and its scores for {names}; a frame marks its own answer, "
        "which it saw without its author's name.",
        least="page",
    )


def _reviewer(cast: SubmittedBallot) -> str:
    unread = " (unread)" if cast.ballot.card is None or cast.ballot.card.standing == "void" else ""
    return f"{cast.reviewer} {name_of(cast.model).rpartition('/')[2]}{unread}"


def _cells(cast: SubmittedBallot, labels: list[str], scored: ScoreTally) -> Iterator[Cell]:
    given = cast.ballot.card.scores if cast.ballot.card else {}
    for label in labels:
        scores = given.get(label)
        if not scores:
            yield Cell(UNKNOWN, is_framed=label == cast.own_label)
            continue
        total = weighted_total(scored.rubric, scores)
        each = ", ".join(f"{scores[name]:g}" if name in scores else UNKNOWN for name in scored.rubric.names)
        value = None if total is None else (total - LOWEST) / (HIGHEST - LOWEST)
        yield Cell(f"{decimal(total)} ({each})", value=value, is_framed=label == cast.own_label)
