"""Tables of a council: the final order of the answers, and the rank that each reviewer gave to each of them."""

from protocols.council import rules
from protocols.council.chair_fields import FIELDS
from protocols.council.model import CouncilRecord, CouncilResult, RankedAnswer, SubmittedBallot, SynthesisBy, Tally
from protocols.council.score_tables import score_table, score_tables
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.study_figures import StudyFigures
from protocols.tables import (
    UNKNOWN,
    Cell,
    Column,
    Note,
    ResultView,
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
_RIGHT = {"place", "position", "votes", "first", "Borda"}


def view(result: CouncilResult) -> ResultView:
    """Return the view of an ended council."""
    by = f": {result.stage3.model}" if result.stage3 else ""
    return ResultView(
        tables=(_review(result), *_ballots(result), *score_tables(result), *_analysis(result), *_hidden(result)),
        author=f"{_AUTHORS[result.synthesis]}{by}",
        utterances=tuple(utterance(turn) for turn in result.transcript.turns),
        figures=StudyFigures() if result.tally is None else _figures(result.tally),
    )


def _figures(tally: Tally) -> StudyFigures:
    return StudyFigures(agreement=tally.agreement, places=tuple((one.model, one.place) for one in tally.standings))


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


def _ballots(result: CouncilResult) -> tuple[Table, ...]:
    """Return one row for each reviewer and one column for each answer, the best answer first."""
    if result.tally is None or not result.ballots:
        return ()
    ranked = result.tally.standings
    headings = [f"{one.author} {name_of(one.model).rpartition('/')[2]}" for one in ranked]
    labels = [one.label for one in ranked]
    return (
        Table(
            title="Rank of each answer by reviewer",
            columns=columns("reviewer", *headings),
            rows=rows((_reviewer(cast), *_ranks(cast, labels)) for cast in result.ballots),
            chart="heatmap",
            across="answer of (best in the final order first)",
            caption="One row per reviewer; 1 is best and darkest, a frame marks the reviewer's own answer, which it "
            "saw without its author's name.",
            least="page",
        ),
    )


def _reviewer(cast: SubmittedBallot) -> str:
    void = " (void)" if cast.ballot.standing == "void" else ""
    return f"{cast.reviewer} {name_of(cast.model).rpartition('/')[2]}{void}"


def _ranks(cast: SubmittedBallot, labels: list[str]) -> list[Cell]:
    ranks: dict[str, Cell] = {}
    for place in cast.ballot.by_place:
        number, tied = len(ranks) + 1, "=" if len(place) > 1 else ""
        value = 1 - (number - 1) / max(len(labels) - 1, 1)
        ranks |= {
            label: Cell(f"{number}{tied}", value=max(value, 0.0), is_framed=label == cast.own_label) for label in place
        }
    return [ranks.get(label, Cell(UNKNOWN)) for label in labels]


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
