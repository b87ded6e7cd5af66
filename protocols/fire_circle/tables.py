"""Tables of a fire circle and of its baseline: falsehood by round, patterns, and the influence of the empty chair."""

from collections.abc import Mapping, Sequence

from protocols.fire_circle.findings import last_round, refused_in_words
from protocols.fire_circle.io import FireCircleBaselineResult, FireCircleResult
from protocols.fire_circle.model import CircleState, Evaluation, FalsehoodTrend, PatternObservation, Source
from protocols.fire_circle.patterns import UNSEATED, Chairs
from protocols.model_call import LostCall, ModelId, ParticipantId
from protocols.panel import Participant, name_of
from protocols.tables import (
    UNKNOWN,
    Cell,
    Column,
    Curve,
    CurveStyle,
    Note,
    ResultView,
    StudyFigures,
    Table,
    Utterance,
    columns,
    decimal,
    listed,
    notes,
    rows,
    speaker,
)

_STRONG = 0.5
_MOST_PATTERNS = 30
_LOST = {"refused": "refused", "unparseable": "unread"}
"""Kind of failure to the word for it; every other call is lost."""
_READ_AS: Mapping[Source, str] = {"heuristic": " by keywords", "previous": " as before"}
"""How a falsehood was found that no number in a reply gives."""


_CURVE = CurveStyle(
    "Falsehood from round to round",
    "highest F",
    "highest F of the models that stayed",
    note="Circles that converge early are not in later means, which may move where no circle does.",
    by_label=True,
)


def view(result: FireCircleResult) -> ResultView:
    """Return the view of an ended fire circle."""
    remarks = Table(notes=_remarks(result))
    active = {one.participant for one in result.movements if one.is_active}
    spoke = ([one for one in past.evaluations if one.participant in active] for past in result.dialogue_history)
    highest = [max((one.falsehood for one in said), default=None) for said in spoke]
    every = (_of_result(result), _movement(result), _patterns(result), _observers(result), remarks)
    return ResultView(
        tables=tuple(table for table in every if table.rows or table.notes),
        author=_author(result),
        utterances=tuple(_utterance(one) for completed in result.dialogue_history for one in completed.evaluations),
        figures=StudyFigures(Curve(highest, _CURVE)),
        prompt=next((past.prompt_used for past in result.dialogue_history), ""),
    )


def baseline_view(result: FireCircleBaselineResult) -> ResultView:
    """Return the view of an ended baseline."""
    count = len(result.evaluations)
    table = Table(
        title="Assessments",
        columns=columns("seat", "model", "T", "I", "F", "read as"),
        rows=rows(
            (one.participant, name_of(one.model), *_scores(one), one.assessment.source) for one in result.evaluations
        ),
        names=2,
    )
    author = "one model's assessment" if count == 1 else f"the mean of {count} assessments, made without a dialogue"
    said = tuple(_utterance(one, is_baseline=True) for one in result.evaluations)
    return ResultView((table,) if count else (), author, said)


def circle_table(circle: CircleState, participants: Sequence[Participant], chairs: Chairs = UNSEATED) -> Table:
    """Return the falsehood seen by each model in each round so far."""
    out = {**dict.fromkeys(circle.zombies, "zombie"), **dict.fromkeys(circle.excluded, "excluded")}
    seats = [(one.id, one.model, out.get(one.id, "")) for one in participants]
    lost = (*circle.failed, *circle.unread)
    return _falsehoods(range(1, last_round(circle) + 1), seats, circle.evaluations, lost, chairs)


def _of_result(result: FireCircleResult) -> Table:
    chairs = {
        completed.round_number: completed.empty_chair for completed in result.dialogue_history if completed.empty_chair
    }
    said = [one for completed in result.dialogue_history for one in completed.evaluations]
    seats = [(one.participant, one.model, _standing(one)) for one in result.movements]
    return _falsehoods(
        [completed.round_number for completed in result.dialogue_history], seats, said, result.failed, chairs
    )


def _falsehoods(
    rounds: Sequence[int],
    seats: Sequence[tuple[ParticipantId, ModelId, str]],
    said: Sequence[Evaluation],
    lost: Sequence[LostCall],
    chairs: Chairs,
) -> Table:
    found = {(one.participant, one.round): one for one in said}
    gone = {(call.participant, call.round): _LOST.get(call.kind, "lost") for call in lost}
    body: list[Sequence[str | Cell]] = []
    for seat, model, standing in seats:
        cells = [
            _falsehood(found.get((seat, n)), gone.get((seat, n), UNKNOWN), is_chair=chairs.get(n) == seat)
            for n in rounds
        ]
        body.append([seat, name_of(model), *cells, standing])
    return Table(
        title="Falsehood by round",
        columns=(*columns("seat", "model", *(f"round {number}" for number in rounds)), Column("")),
        rows=rows(body),
        chart="curves",
        across="F, from 0 (keeps faith) to 1 (breaks it)",
        caption="A line ends where its model was lost; a model that left is not counted.",
        names=2,
    )


def _falsehood(one: Evaluation | None, missing: str, *, is_chair: bool) -> Cell:
    chair = " chair" if is_chair else ""
    if one is None:
        return Cell(f"{missing}{chair}", "muted")
    text = f"{one.falsehood:.2f}{_READ_AS.get(one.assessment.source, '')}{chair}"
    return Cell(text, "bad" if one.falsehood >= _STRONG else "", one.falsehood)


def _standing(one: FalsehoodTrend) -> str:
    if one.is_active:
        return ""
    return "excluded" if all(falsehood is None for falsehood in one.falsehoods) else "zombie"


def _movement(result: FireCircleResult) -> Table:
    metrics = result.round_metrics
    lines: Sequence[tuple[str, list[float | None]]] = (
        ("mean F", [one.f_score_mean for one in metrics]),
        ("spread of F", [one.f_score_stddev for one in metrics]),
        ("chair's influence", [one.empty_chair_influence for one in metrics]),
    )
    return Table(
        title="The circle by round",
        columns=columns("", *(f"round {one.round_number}" for one in metrics)),
        rows=rows((name, *(Cell(decimal(v), value=v) for v in values)) for name, values in lines) if metrics else (),
        chart="curves",
        across="share or F, 0 to 1",
        caption="Spread is the population standard deviation of F; the influence is the share of the pattern types "
        "that only the round's empty chair named when they first came up.",
        least="page",
    )


def _patterns(result: FireCircleResult) -> Table:
    return Table(
        title="Patterns",
        columns=(
            *columns("type", "agreement", "since round", "named by", "as it was first named"),
            Column("examples", least="page"),
        ),
        rows=rows(
            (
                one.pattern_type,
                f"{one.model_agreement:.2f}",
                str(one.observed_in_round),
                listed(one.models_observing),
                Cell(one.description, width=200),
                "; ".join(one.examples),
            )
            for one in result.patterns
        ),
    )


def _observers(result: FireCircleResult) -> Table:
    models = [f"{one.participant} {name_of(one.model).rpartition('/')[2]}" for one in result.movements]
    return Table(
        title="Patterns by model",
        columns=columns("", *models, "agreement"),
        rows=rows(_observed(one, result.movements) for one in result.patterns[:_MOST_PATTERNS]),
        chart="heatmap",
        across="model",
        caption="Agreement is the share of the models still in the circle that named the pattern.",
        least="page",
    )


def _observed(pattern: PatternObservation, movements: Sequence[FalsehoodTrend]) -> list[str | Cell]:
    named = [Cell("named", value=0.8) if m.participant in pattern.models_observing else Cell("") for m in movements]
    agreed = pattern.model_agreement
    return [pattern.pattern_type, *named, Cell(f"{agreed:.2f}", value=agreed * 0.5)]


def _remarks(result: FireCircleResult) -> tuple[Note, ...]:
    found = result.consensus
    lines = [_chair(result)]
    if found is not None:
        lines.append(f"last round: mean {found.mean:.2f}, spread {found.spread:.2f}")
        if found.carried:
            lines.append(f"last reply not read, in neither of the two: {', '.join(found.carried)}")
        if found.dissent:
            lines.append(f"dissent: {', '.join(found.dissent)}")
    if result.refusals:
        lines.append(f"{refused_in_words(result.failed)}: a finding about the prompt")
    if result.failed_models:
        lines.append(f"lost: {', '.join(result.failed_models)}")
    return notes(*lines)


def _chair(result: FireCircleResult) -> str:
    if all(completed.empty_chair is None for completed in result.dialogue_history):
        return "no round had an empty chair"
    performative = ": performative, below a tenth" if result.is_performative else ""
    return f"empty chair's influence {result.empty_chair_influence:.2f} of the pattern types{performative}"


def _author(result: FireCircleResult) -> str:
    if result.consensus is None:
        return "no model is left whose detection counts"
    highest = result.consensus.highest
    seen = "guessed from a keyword in a reply" if highest.is_guess else "seen"
    return f"the highest falsehood of any active model in any round, {seen} by {name_of(highest.model)}"


def _utterance(one: Evaluation, *, is_baseline: bool = False) -> Utterance:
    chair = " · empty chair" if one.is_chair else ""
    where = "assessment" if is_baseline else f"round {one.round}"
    numbers = " ".join(f"{name} {score}" for name, score in zip("TIF", _scores(one), strict=True))
    return Utterance(f"{speaker(one.participant, one.model)}{chair}", where, one.assessment.reasoning, numbers)


def _scores(one: Evaluation) -> tuple[str, str, str]:
    found = one.assessment
    return f"{found.truth:.2f}", f"{found.indeterminacy:.2f}", f"{found.falsehood:.2f}"
