"""Fire circles and their baselines: falsehood by model and round, patterns, and what the empty chair brought in."""

from collections.abc import Iterable

from report.figures import UNKNOWN, share, short
from report.leaves import Leaf
from report.markup import Markup, el
from report.plots.curves import Line, Panel, curves
from report.plots.frame import Drawing, table
from report.plots.heatmap import Cell, heatmap
from report.protocols.said import Said

_MOST_PATTERNS = 30


def drawings(result: Leaf) -> list[Drawing | Markup]:
    """Falsehoods, patterns and the chair's influence."""
    found: Iterable[Drawing | None] = (_falsehoods(result), _influence(result), _patterns(result))
    return [*(one for one in found if one), *_chair(result)]


def highest(result: Leaf) -> tuple[float | None, ...]:
    """The highest falsehood that anybody saw, round by round."""
    return tuple(
        max((f for one in held.each("evaluations") if (f := _falsehood(one)) is not None), default=None)
        for held in result.each("dialogue_history")
    )


def evaluated(result: Leaf) -> list[Drawing | Markup]:
    """What a baseline's models saw."""
    rows = [
        (
            f"{one.text('participant')} {short(one.text('model'))}",
            *(share(one.number("assessment", name)) for name in ("truth", "indeterminacy", "falsehood")),
            one.text("assessment", "source") or UNKNOWN,
        )
        for one in result.each("evaluations")
    ]
    heading = ("model", "truth", "indeterminacy", "falsehood", "read from")
    return [el("section", el("h3", "What they saw"), table(heading, rows))] if rows else []


def _falsehoods(result: Leaf) -> Drawing | None:
    moved = result.each("movements")
    lines = [
        Line(
            f"{one.text('participant')} {short(one.text('model'))}",
            [value.number() for value in one.each("falsehoods")],
            number,
        )
        for number, one in enumerate(moved)
    ]
    out = [line.name for line, one in zip(lines, moved, strict=True) if one.at("is_active").value is False]
    gone = f" Lost on the way, and counted in nothing: {', '.join(out)}." if out else ""
    return curves(
        "falsehood",
        "Falsehood by model and round",
        [Panel("every model", lines)],
        up="F, from 0 (keeps faith) to 1 (breaks it)",
        note=f"What each model saw in each round; a line ends where its model was lost.{gone}",
    )


def _influence(result: Leaf) -> Drawing | None:
    metrics = result.each("round_metrics")
    kinds = (
        ("mean F", "f_score_mean"),
        ("spread of F", "f_score_stddev"),
        ("chair", "empty_chair_influence"),
    )
    lines = [Line(name, [one.number(field) for one in metrics], number) for number, (name, field) in enumerate(kinds)]
    return curves(
        "influence",
        "How the circle moved",
        [Panel("the whole circle", lines)],
        up="share or F, 0 to 1",
        note="Spread is the population standard deviation of F; chair is the share of the pattern types that the "
        "round's empty chair alone named when they first came up.",
    )


def _patterns(result: Leaf) -> Drawing | None:
    seats = [one.text("participant") for one in result.each("movements")]
    names = {one.text("participant"): short(one.text("model")) for one in result.each("movements")}
    rows = []
    for one in result.each("patterns")[:_MOST_PATTERNS]:
        seen, agreed = one.texts("models_observing"), one.number("model_agreement")
        cells = [Cell("saw it", 0.8) if seat in seen else Cell("") for seat in seats]
        rows.append((one.text("pattern_type"), [*cells, Cell(share(agreed), (agreed or 0) * 0.5)]))
    return heatmap(
        "patterns",
        "Patterns, and who named them",
        [*(f"{seat} {names[seat]}" for seat in seats), "agreement"],
        rows,
        across="model",
        note="Agreement is the share of the models still in the circle that named the pattern.",
    )


def _chair(result: Leaf) -> list[Markup]:
    influence = result.number("empty_chair_influence")
    if influence is None or not any(one.text("empty_chair") for one in result.each("dialogue_history")):
        return []
    performative = " It is performative: below a tenth." if result.is_true("is_performative") else ""
    told = f"Influence of the empty chair over all rounds: {influence:.2f} of the pattern types.{performative}"
    examples = [
        (one.text("pattern_type"), one.text("description"), "; ".join(one.texts("examples")))
        for one in result.each("patterns")
    ]
    listed = table(("pattern", "described as", "examples"), examples) if examples else None
    return [el("section", el("h3", "The empty chair and the patterns in words"), el("p", told), listed)]


def said(result: Leaf) -> list[Said]:
    """Every evaluation's reasoning, round by round; of a baseline, every evaluation's."""
    rounds = [one for held in result.each("dialogue_history") for one in held.each("evaluations")]
    return [_said(one) for one in rounds or result.each("evaluations")]


def _said(one: Leaf) -> Said:
    chair = " · empty chair" if one.is_true("is_chair") else ""
    numbers = " ".join(
        f"{letter} {share(one.number('assessment', name))}"
        for letter, name in (("T", "truth"), ("I", "indeterminacy"), ("F", "falsehood"))
    )
    return Said(
        f"{one.text('participant')} {short(one.text('model'))}{chair}",
        f"round {one.whole('round') or UNKNOWN} · {numbers}",
        one.text("assessment", "reasoning"),
    )


def _falsehood(one: Leaf) -> float | None:
    return one.number("assessment", "falsehood")
