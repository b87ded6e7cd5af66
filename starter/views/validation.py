"""Results of the validation study: the cases, the three checks, and the arms side by side."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from protocols.cost_text import cost, cost_heading, in_dollars
from protocols.model_call import Spending
from protocols.plurals import counted
from protocols.tables import UNKNOWN, Table, columns, decimal, rows
from protocols.visible_text import one_line
from starter.views.tables import rehearsal_label, render
from studies.validation.cases import ARMS, Case, Trial
from studies.validation.figures import Comparison, Reading, Score
from studies.validation.report import Report
from studies.validation.seed_checks import Validation, agreed

_ERRORS_SHOWN = 10
_ERROR_WIDTH = 160

_CHECKS = {
    "empty_chair_non_performative": "empty chair",
    "pattern_discovery": "patterns",
    "cost_vs_benefit": "cost and benefit",
}
_READINGS: dict[Reading, str] = {
    "single": "single",
    "parallel": "parallel, mean",
    "parallel-highest": "parallel, highest",
    "fire-circle": "fire circle",
}


def validation(report: Report, cases: Sequence[Case]) -> RenderableType:
    """Render the whole report; ``cases`` are those of its checks. A rehearsal has its label on top."""
    parts: list[RenderableType] = [rehearsal_label()] if report.rehearsal else []
    if report.validation is not None:
        compared = _comparison(report.validation.comparison, rehearsal=report.rehearsal)
        parts.append(render([_cases(report.validation, cases, report.threshold), compared], is_dense=True))
        for number, check in enumerate(report.validation.checks, start=1):
            word, style = ("PASSED", "bold green") if check.passed else ("FAILED", "bold red")
            parts.append(Text.assemble((word, style), f"  {number}. {_CHECKS[check.name]}: {check.sentence}"))
        parts.append(Text(_found(report.validation, rehearsal=report.rehearsal), style="dim"))
    parts.append(render((_comparison(one, rehearsal=report.rehearsal) for one in report.labelled), is_dense=True))
    parts += [Text(note) for note in report.notes]
    parts += _errors((*(report.validation.trials if report.validation else ()), *report.labelled_trials))
    parts.append(Text(f"models: {', '.join(report.models)}; single: {report.single_model}", style="dim"))
    return Group(*parts)


def _cases(measured: Validation, cases: Sequence[Case], threshold: float) -> Table:
    figures = ("single", "parallel: mean", "highest", "fire circle", "influence", "patterns")
    lines = []
    found = {(trial.case, trial.arm): trial for trial in measured.trials}
    for case in cases:
        single, parallel, circle = (found.get((case.id, arm)) for arm in ARMS)
        cells = (
            _falsehood(single, threshold),
            _falsehood(parallel, threshold),
            _marked(parallel.highest if parallel else None, threshold),
            _falsehood(circle, threshold),
            decimal(circle.influence if circle else None),
            UNKNOWN if circle is None or circle.error else f"{agreed(circle)}",
        )
        lines.append((case.id, case.about, *cells))
    title = f"falsehood of ten cases (* flagged: {threshold:.2f} and above)"
    return Table(title, columns("case", "what it is", *figures, right=figures), rows(lines))


def _falsehood(trial: Trial | None, threshold: float) -> str:
    return "error" if trial and trial.error else _marked(trial.falsehood if trial else None, threshold)


def _marked(falsehood: float | None, threshold: float) -> str:
    return UNKNOWN if falsehood is None else f"{'* ' * (falsehood >= threshold)}{falsehood:.2f}"


def _comparison(compared: Comparison, *, rehearsal: bool) -> Table:
    of = f"{compared.attacks} attacks, {compared.cases - compared.attacks} benign"
    title = f"{compared.name}: {of}; compared on the {compared.compared} that every arm judged"
    priced = cost_heading(rehearsal=rehearsal)
    figures = ("errors", "found", "false alarms", "precision", "recall", "F1", "calls", "tokens", priced)
    lines = ((_READINGS[score.reading], *_figures(score)) for score in compared.scores)
    return Table(title, columns("arm", *figures, right=figures), rows(lines))


def _figures(score: Score) -> Iterator[str]:
    yield f"{score.errors}"
    yield f"{score.true_positives} of {score.true_positives + score.false_negatives}"
    yield f"{score.false_positives} of {score.false_positives + score.true_negatives}"
    yield from map(decimal, (score.precision, score.recall, score.f1))
    yield from ("the same", "", "") if score.reading == "parallel-highest" else _used(score.spent)


def _used(spent: Spending) -> Iterator[str]:
    yield f"{spent.calls}"
    yield f"{spent.tokens:,}"
    unknown = spent.calls_of_unknown_cost
    if spent.calls and unknown == spent.calls:
        yield "unknown"
    else:
        yield in_dollars(spent.usd) + (f" + {unknown} unknown" if unknown else "")


def _found(measured: Validation, *, rehearsal: bool) -> str:
    """Return the attacks and the benign cases behind the third check, by name."""
    gained = measured.benefit
    parts = {
        "beyond single and the mean of parallel": gained.beyond_means,
        "of these beyond every parallel model": gained.beyond_all,
        "lost": gained.lost,
        "benign flagged": gained.flagged_benign,
    }
    listed = "; ".join(f"{name}: {', '.join(ids) or 'none'}" for name, ids in parts.items())
    return f"{listed}\nfire circle beside single: {_extra_cost(measured, rehearsal=rehearsal)}"


def _extra_cost(measured: Validation, *, rehearsal: bool) -> str:
    gained = measured.benefit
    units = {"calls": gained.times_calls, "tokens": gained.times_tokens, "cost": gained.times_usd}
    ratios = ", ".join(f"{unit} ×{UNKNOWN if times is None else f'{times:.1f}'}" for unit, times in units.items())
    if gained.extra_usd is None:
        return ratios
    return f"{ratios}; " + cost(f"{in_dollars(gained.extra_usd)} more", rehearsal=rehearsal)


def _errors(trials: Sequence[Trial]) -> list[RenderableType]:
    failed = [trial for trial in trials if trial.error is not None]
    if not failed:
        return []
    shown = [
        Text("  " + one_line(f"{trial.case} {trial.arm}: {trial.error}", width=_ERROR_WIDTH))
        for trial in failed[:_ERRORS_SHOWN]
    ]
    more = [Text(f"  and {len(failed) - _ERRORS_SHOWN} more")] if len(failed) > _ERRORS_SHOWN else []
    return [
        Text(f"{counted(len(failed), 'deliberation')} of {len(trials)} judged nothing:", style="bold"),
        *shown,
        *more,
    ]
