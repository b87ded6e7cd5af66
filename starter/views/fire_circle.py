"""What only a fire circle or a baseline that is over has to show: falsehoods by round, patterns, the chair."""

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from protocols.fire_circle.findings import refused_in_words
from protocols.fire_circle.model import Evaluation, Movement, Source
from protocols.fire_circle.modes import EvaluateResult, FireCircleResult
from protocols.model_call import ModelId
from protocols.panel import name_of
from protocols.visible_text import one_line, printable

_STRONG = 0.5

_READ_AS: dict[Source, str] = {"heuristic": " by keywords", "previous": " as before"}
"""What a falsehood was come by when the model gave no number."""


def findings(result: FireCircleResult) -> list[RenderableType]:
    """Who saw how much in which round, which patterns enough of them named, and what the chair brought in."""
    parts: list[RenderableType] = [_movements(result)]
    if result.patterns:
        parts.append(_patterns(result))
    parts += [Text(line, style="dim") for line in _remarks(result)]
    return parts


def author(result: FireCircleResult) -> str:
    """Whose detection the finding is."""
    if result.consensus is None:
        return "nobody is left whose detection counts"
    highest = result.consensus.highest
    return f"the highest falsehood of any active model in any round, {_seen(highest)} by {name_of(highest.model)}"


def _seen(highest: Evaluation) -> str:
    return "guessed from a keyword in a reply" if highest.is_guess else "seen"


def said(result: FireCircleResult) -> list[tuple[str, str]]:
    """Every evaluation's reasoning under a heading, round by round."""
    return [
        (
            f"round {one.round} · {one.participant} · {name_of(one.model)}{' · empty chair' if one.is_chair else ''}",
            one.assessment.reasoning,
        )
        for held in result.dialogue_history
        for one in held.evaluations
    ]


def baseline_findings(result: EvaluateResult) -> list[RenderableType]:
    """Who saw how much, and how it was read."""
    table = _table("Assessments", ("seat", "model", "T", "I", "F", "read as"))
    for one in result.evaluations:
        told = one.assessment
        scores = (told.truth, told.indeterminacy, told.falsehood)
        table.add_row(one.participant, _model(one.model), *(f"{score:.2f}" for score in scores), told.source)
    return [table]


def baseline_author(result: EvaluateResult) -> str:
    """What the finding is the mean of."""
    count = len(result.evaluations)
    return "one model's assessment" if count == 1 else f"the mean of {count} assessments, made without a dialogue"


def baseline_said(result: EvaluateResult) -> list[tuple[str, str]]:
    """Every assessment's reasoning under a heading."""
    return [(f"{one.participant} · {name_of(one.model)}", one.assessment.reasoning) for one in result.evaluations]


def _movements(result: FireCircleResult) -> RenderableType:
    rounds = [held.round_number for held in result.dialogue_history]
    table = _table("Falsehood by round", ("seat", "model", *(f"round {number}" for number in rounds), ""))
    said = {(one.participant, one.round): one for held in result.dialogue_history for one in held.evaluations}
    for one in result.movements:
        cells = (_cell(said.get((one.participant, number))) for number in rounds)
        table.add_row(one.participant, _model(one.model), *cells, _standing(one))
    return table


def _cell(said: Evaluation | None) -> Text:
    if said is None:
        return Text("–", style="dim")
    chair = " chair" if said.is_chair else ""
    told = f"{said.falsehood:.2f}{_READ_AS.get(said.assessment.source, '')}{chair}"
    return Text(told, style="red" if said.falsehood >= _STRONG else "")


def _standing(one: Movement) -> str:
    if one.is_active:
        return ""
    return "excluded" if all(falsehood is None for falsehood in one.falsehoods) else "zombie"


def _patterns(result: FireCircleResult) -> RenderableType:
    table = _table("Patterns", ("type", "agreement", "since round", "named by", "as it was first named"))
    for one in result.patterns:
        table.add_row(
            one.pattern_type,
            f"{one.model_agreement:.2f}",
            str(one.observed_in_round),
            ", ".join(one.models_observing),
            Text(one_line(one.description, width=200)),
        )
    return table


def _remarks(result: FireCircleResult) -> list[str]:
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
    return [printable(line) for line in lines]


def _chair(result: FireCircleResult) -> str:
    if all(held.empty_chair is None for held in result.dialogue_history):
        return "no round had an empty chair"
    performative = ": performative, it brought in next to nothing" if result.is_performative else ""
    return f"empty chair's influence {result.empty_chair_influence:.2f}{performative}"


def _table(title: str, headings: tuple[str, ...]) -> Table:
    table = Table(title=Text(title, style="bold"), box=box.SIMPLE, title_justify="left")
    for heading in headings:
        table.add_column(heading)
    return table


def _model(model: ModelId) -> Text:
    return Text(one_line(name_of(model), width=60))
