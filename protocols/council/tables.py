"""Tables of a council: the final order of the answers, their scores, and what each reviewer gave to each of them."""

from collections.abc import Iterator, Sequence

from protocols.council import rules
from protocols.council.chair import FIELDS
from protocols.council.model import CouncilRecord, CouncilResult, RankedAnswer, SubmittedBallot, SynthesisBy, Tally
from protocols.council.rubric import HIGHEST, LOWEST, ScoredAnswer, ScoreTally
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.tables import (
    UNKNOWN,
    Cell,
    Column,
    Note,
    ResultView,
    StudyFigures,
    Table,
    columns,
    decimal,
    listed,
    notes,
    rows,
    speaker,
    utterance,
)

_AUTHORS: dict[SynthesisBy, str] = {
    "chair": "written by the chair",
    "fallback_chair": "written by a fallback of the chair",
    "fallback": "no chair answered: this is the best answer itself (synthesis: fallback)",
    "none": "no synthesis was written",
}
_AGREES = {True: "the ranking puts the same answer first", False: "the ranking puts another answer first", None: ""}
_RIGHT = {"place", "position", "votes", "first", "Borda"}


def view(result: CouncilResult) -> ResultView:
    """Return the view of an ended council."""
    by = f": {result.stage3.model}" if result.stage3 else ""
    tally = result.tally
    places = tuple((one.model, one.place) for one in tally.standings) if tally else ()
    return ResultView(
        tables=(_review(result), *_ballots(result), *_scores(result), *_analysis(result), *_hidden(result)),
        author=f"{_AUTHORS[result.synthesis]}{by}",
        utterances=tuple(utterance(turn) for turn in result.transcript.turns),
        figures=StudyFigures(agreement=tally.agreement if tally else None, places=places),
    )


def review_tables(record: CouncilRecord) -> tuple[Table, ...]:
    """Return the count of a review while the council runs: ranking and scores; nothing without a review."""
    if not record.reviews:
        return ()
    uncounted = Table(notes=notes(Note(rules.uncounted(record.ballots), "warning")))
    first = order_table(record.tally) if record.tally else uncounted
    return (first, score_table(record.scored, record.tally)) if record.scored else (first,)


def order_table(tally: Tally) -> Table:
    """Return the answers in their final order, the best first."""
    agreement = "unknown" if tally.agreement is None else f"{tally.agreement:.2f} (Kendall's W, 1 is unanimous)"
    ballots = f"{counted(tally.ballots_counted, 'ballot')} counted, {tally.ballots_void} void"
    return Table(
        title="Final order",
        columns=(
            *columns("place", "answer", "seat", "model", "position", "votes", "first", right=_RIGHT),
            Column("Borda", is_number=True, least="terminal"),
        ),
        rows=rows(_standing(one) for one in tally.standings),
        notes=notes(f"agreement {agreement}; {ballots}"),
    )


def score_table(scored: ScoreTally, tally: Tally | None) -> Table:
    """Return the answers by their totals, best first, with mean and spread of each criterion."""
    weights = [f"{one.name} × {one.weight:g}" for one in scored.rubric.criteria]
    unread = scored.reviewers_unread
    reviewers = counted(scored.reviewers_counted, "reviewer")
    agrees = rules.winner_agrees(scored, tally)
    return Table(
        title="Scores by the rubric",
        columns=columns("place", "answer", "seat", "model", "total", *weights, right={"place", "total", *weights}),
        rows=rows(_scored_row(one) for one in scored.standings),
        notes=notes(
            f"mean ± standard deviation over {reviewers}, from {LOWEST} to {HIGHEST}; (n) where fewer scored it",
            Note(f"scores of {counted(unread, 'reviewer')} could not be read or counted", "warning") if unread else "",
            Note(_AGREES[agrees], "warning" if agrees is False else "muted"),
        ),
    )


def _review(result: CouncilResult) -> Table:
    if result.tally is not None:
        return order_table(result.tally)
    if result.review_skipped:
        return Table(notes=notes(f"there was no review ({result.review_skipped.replace('_', ' ')})"))
    return Table(notes=notes(Note(result.uncounted, "warning")))


def _standing(one: RankedAnswer) -> tuple[str, ...]:
    tied = "=" if one.tied else ""
    counts = (str(one.votes), str(one.first_places), f"{one.borda:g}")
    return (f"{one.place}{tied}", one.label, one.author, name_of(one.model), decimal(one.average_position), *counts)


def _scores(result: CouncilResult) -> tuple[Table, ...]:
    """Return the scores of an ended council; none without a rubric."""
    if result.rubric is None or not result.ballots:
        return ()
    if result.scored is None:
        return (Table(title="Scores", notes=notes(Note("No reviewer's scores could be read.", "warning"))),)
    return (score_table(result.scored, result.tally), _scores_by_reviewer(result.ballots, result.scored))


def _scored_row(one: ScoredAnswer) -> tuple[str, ...]:
    most = max((by.reviewers for by in one.criteria), default=0)
    total = _mean(one.total, one.spread, "" if one.reviewers == most else f" ({one.reviewers})")
    tied = "=" if one.tied else ""
    each = (_mean(by.mean, by.spread, "" if by.reviewers == most else f" ({by.reviewers})") for by in one.criteria)
    return (f"{one.place}{tied}", one.label, one.author, name_of(one.model), total, *each)


def _mean(mean: float | None, spread: float | None, count: str) -> str:
    if mean is None:
        return UNKNOWN
    return decimal(mean) + ("" if spread is None else f" ± {decimal(spread)}") + count


def _ballots(result: CouncilResult) -> tuple[Table, ...]:
    """Return the rank that each reviewer gave to each answer."""
    if result.tally is None or not result.ballots:
        return ()
    ranked = result.tally.standings
    labels = [one.label for one in ranked]
    body: list[tuple[str | Cell, ...]] = [
        (_reviewer(cast, "void", cast.ballot.standing), *_ranks(cast, labels)) for cast in result.ballots
    ]
    caption = "; 1 is best and darkest, a frame marks the reviewer's own answer"
    return (_heatmap("Rank of each answer by reviewer", "in the final order", ranked, body, caption),)


def _scores_by_reviewer(ballots: Sequence[SubmittedBallot], scored: ScoreTally) -> Table:
    """Return the total that each reviewer gave to each answer, with its scores."""
    labels = [one.label for one in scored.standings]
    standings = [cast.ballot.card.standing if cast.ballot.card else "void" for cast in ballots]
    body: list[tuple[str | Cell, ...]] = [
        (_reviewer(cast, "unread", standing), *_cells(cast, labels, scored))
        for cast, standing in zip(ballots, standings, strict=True)
    ]
    names = ", ".join(scored.rubric.names)
    caption = f": its weighted total, and its scores for {names}; a frame marks its own answer"
    return _heatmap("Scores by reviewer", "by the rubric", scored.standings, body, caption)


def _heatmap(
    title: str,
    order: str,
    ranked: Sequence[RankedAnswer] | Sequence[ScoredAnswer],
    body: Sequence[Sequence[str | Cell]],
    caption: str,
) -> Table:
    """Return one row for each reviewer and one column for each answer, the best answer first."""
    return Table(
        title=title,
        columns=columns("reviewer", *(f"{one.author} {name_of(one.model).rpartition('/')[2]}" for one in ranked)),
        rows=rows(body),
        chart="heatmap",
        across=f"answer of (best {order} first)",
        caption=f"One row per reviewer{caption}, which it saw without its author's name.",
        least="page",
    )


def _reviewer(cast: SubmittedBallot, note: str, standing: str) -> str:
    return f"{cast.reviewer} {name_of(cast.model).rpartition('/')[2]}" + (f" ({note})" if standing == "void" else "")


def _ranks(cast: SubmittedBallot, labels: list[str]) -> list[Cell]:
    ranks: dict[str, Cell] = {}
    for place in cast.ballot.by_place:
        number, tied = len(ranks) + 1, "=" if len(place) > 1 else ""
        value = 1 - (number - 1) / max(len(labels) - 1, 1)
        ranks |= {
            label: Cell(f"{number}{tied}", value=max(value, 0.0), is_framed=label == cast.own_label) for label in place
        }
    return [ranks.get(label, Cell(UNKNOWN)) for label in labels]


def _cells(cast: SubmittedBallot, labels: list[str], scored: ScoreTally) -> Iterator[Cell]:
    given = cast.ballot.card.scores if cast.ballot.card else {}
    for label in labels:
        scores = given.get(label)
        if not scores:
            yield Cell(UNKNOWN, is_framed=label == cast.own_label)
            continue
        total = rules.weighted_total(scored.rubric, scores)
        each = ", ".join(f"{scores[name]:g}" if name in scores else UNKNOWN for name in scored.rubric.names)
        value = None if total is None else (total - LOWEST) / (HIGHEST - LOWEST)
        yield Cell(f"{decimal(total)} ({each})", value=value, is_framed=label == cast.own_label)


def _hidden(result: CouncilResult) -> tuple[Table, ...]:
    """Return the names that were replaced in the answers before reviewers saw them."""
    if not result.names_hidden:
        return ()
    count = sum(len(one.names) for one in result.names_hidden)
    return (
        Table(
            title=f"{counted(count, 'name')} hidden from reviewers",
            columns=columns("answer of", "names"),
            rows=rows(
                (speaker(one.participant, one.model), listed(dict.fromkeys(one.names))) for one in result.names_hidden
            ),
        ),
    )


def _analysis(result: CouncilResult) -> tuple[Table, ...]:
    """Return the points of the chair by field; none without fields."""
    if result.analysis is None:
        return ()
    body = [(field.replace("_", " "), point) for field in FIELDS for point in result.analysis.points(field)]
    return (
        Table(
            title="Analysis by the chair",
            columns=columns("field", "point"),
            rows=rows(body),
            notes=() if body else notes("the chair named no point"),
        ),
    )
