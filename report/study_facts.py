"""The description of a study: its facts, its arms, its scorers, and a methods paragraph to copy."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ledger.studies.reading import KnownStudy
from ledger.studies.records import RejectedRow
from protocols.cost_text import UNKNOWN_COST, cost, known_tokens, limit, unanswered, with_unknown
from protocols.plurals import counted
from protocols.tables import Note, Table, columns, decimal, rows
from report.collect import StudyData
from report.figures import dollars, moment
from report.markup import Markup, el
from report.tables import render
from studies.comparison.model import StudyComparison
from studies.comparison.notes import notes
from studies.comparison.resampling import MOST_ROWS_OF_BCA
from studies.definition.arm_protocols import arm_protocol, protocol_names
from studies.scores.summary import ScoreReport, ScorerSummary

_MOST_REASONS = 5
_LONGEST = 300
_AGREEMENT = ("Cohen's kappa", "Krippendorff's alpha", "Spearman's correlation")


class StudyFacts(NamedTuple):
    """The facts of a study beside its deliberations."""

    study: KnownStudy
    rejected: Sequence[RejectedRow] = ()
    losses: Mapping[str, int] = {}
    """Reason to deliberations that ended without a result."""
    scores: ScoreReport | None = None

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.study.name

    @property
    def title(self) -> str:
        """Its title; its name where it has none."""
        return _text(self.study.about.get("title")) or self.study.name

    @property
    def scorers(self) -> tuple[ScorerSummary, ...]:
        """The scorers that scored it."""
        return () if self.scores is None else self.scores.scorers


def facts(about: StudyFacts, seen: StudyData, compared: StudyComparison) -> Markup:
    """Return the facts as a list of names and values; what is not known is left out."""
    content, cap = about.study.content, about.study.terms.cap
    ends, found = [one.at for one in seen.ends], compared.progress
    limits = (limit(cap.usd) if cap.usd else "", counted(cap.tokens, "token") if cap.tokens else "")
    open_ = f" · {found.open:,} not ended yet" if found.open else ""
    values = {
        "Study": f"{about.name} · content {about.study.fingerprint[:12]}",
        "Dataset": _dataset(about),
        "Planned": f"{counted(found.total, 'deliberation')}{open_}",
        "Ended": f"{seen.ended:,} in {counted(len(seen.arms), 'arm')}: {found.completed:,} completed, "
        f"{found.failed:,} failed, {found.missing:,} missing",
        "Missing": "; ".join(f"{reason} ({n:,})" for reason, n in about.losses.items()),
        "Repeats and seed": _repeats(content),
        "Answers": next(iter(notes(compared)), "") if compared.is_labelled else "",
        "Used": f"{_tokens(seen)} · {_paid(seen)}",
        "Limits": " and ".join(filter(None, limits)) or "none",
        "Started (UTC)": moment(min(seen.starts)) if seen.starts else "",
        "Ended (UTC)": f"{moment(min(ends))} to {moment(max(ends))}" if ends else "",
        "Versions": "; ".join(_versions(seen)),
    }
    return el("dl", [(el("dt", name), el("dd", text)) for name, text in values.items() if text], class_="facts")


def _dataset(about: StudyFacts) -> str:
    data = about.study.content.get("dataset")
    sha = _text(data.get("sha256")) if isinstance(data, Mapping) else ""
    parts = [_text(about.study.about.get("dataset")), counted(about.study.rows, "row")]
    parts += [f"{counted(about.study.rejected, 'line')} skipped"] if about.study.rejected else []
    return " · ".join(filter(None, (*parts, sha and f"SHA-256 {sha[:12]}")))


def _repeats(content: Mapping[str, Any]) -> str:
    seed = "no seed" if content.get("seed") is None else f"seed {content['seed']}"
    return f"{counted(_number(content.get('repeats')) or 1, 'deliberation')} of each row in each arm · {seed}"


def _tokens(seen: StudyData) -> str:
    uncounted = sum(one.calls_of_unknown_tokens for one in seen.marks)
    return known_tokens(sum(one.tokens for one in seen.marks), uncounted=uncounted)


def _paid(seen: StudyData) -> str:
    known = [one.cost_usd for one in seen.marks if one.cost_usd is not None]
    unknown = sum(one.calls_of_unknown_cost for one in seen.marks)
    if not known:
        return UNKNOWN_COST
    beside = unanswered(sum(one.unanswered_requests for one in seen.marks))
    return cost(with_unknown(dollars(sum(known)), unknown), rehearsal=seen.is_rehearsal) + beside


def _versions(seen: StudyData) -> Iterator[str]:
    for parley, protocol, version, prompts in sorted(seen.versions):
        said = f"{protocol} {version}".strip()
        yield f"{said}{f' · prompts {prompts}' if prompts else ''}{f' · parley {parley}' if parley else ''}"


def arms_section(about: StudyFacts) -> Markup | None:
    """Return the table of the arms as they were asked, and the lines of the dataset that were skipped."""
    arms = about.study.content.get("arms")
    if not isinstance(arms, Mapping):
        return None
    order = [name for name in about.study.arms if name in arms] or list(arms)
    body = [[name, *_asked(arms[name])] for name in order]
    headings = columns("arm", "protocol", "models", "chair, judge and evaluator", "options", "settings of seats")
    reasons = [Note(f"line {one.line} was skipped: {one.reason}"[:_LONGEST]) for one in about.rejected[:_MOST_REASONS]]
    table = Table("", headings, rows(body), tuple(reasons))
    return el("section", el("h2", "The arms as they were asked"), render([table]))


def _asked(arm: Any) -> tuple[str, ...]:
    protocol, models = _text(arm.get("protocol")), arm.get("models", ())
    asked = arm_protocol(protocol, judges=False).spec.input if protocol in protocol_names() else None
    taking_part = len(models) - len(asked.BESIDE if asked else ())
    counts = Counter(models[:taking_part])
    others = [arm.get("chair"), *models[taking_part:]] if asked and asked.HAS_CHAIR else []
    return (
        protocol,
        ", ".join(f"{model} × {n}" if n > 1 else model for model, n in counts.items()),
        ", ".join(dict.fromkeys(filter(None, others))),
        _settings(arm.get("options")),
        "; ".join(f"{seat}: {_settings(settings)}" for seat, settings in (arm.get("seats") or {}).items()),
    )


def _settings(given: Any) -> str:
    if not isinstance(given, Mapping):
        return ""
    values = ((name, value if isinstance(value, str) else json.dumps(value)) for name, value in given.items())
    return ", ".join(f"{name} = {value}" for name, value in values)[:_LONGEST]


def methods(about: StudyFacts, seen: StudyData, compared: StudyComparison) -> str:
    """Return the paragraph on what was done, every number of it from the data."""
    return " ".join((*_of_design(about, seen, compared), *_of_figures(compared), *_of_scorers(about)))


def _of_design(about: StudyFacts, seen: StudyData, compared: StudyComparison) -> Iterator[str]:
    skipped = f"; {counted(about.study.rejected, 'line')} of it could not be used" if about.study.rejected else ""
    repeats, seed = _number(about.study.content.get("repeats")) or 1, about.study.content.get("seed")
    name = _text(about.study.about.get("dataset"))
    yield f"The dataset{f' {name}' if name else ''} has {counted(about.study.rows, 'row')}{skipped}."
    each = "once" if repeats == 1 else f"{repeats:,} times"
    asked: Any = about.study.content.get("arms") or {}
    protocols = {arm: _text(made.get("protocol")) for arm, made in asked.items()}
    own = {arm: made["options"]["seed"] for arm, made in asked.items() if "seed" in made.get("options", {})}
    arms = ", ".join(f"{arm} ({protocols.get(arm) or ran})" for arm, ran in sorted(seen.protocols.items()))
    of, said = compared.progress, f"asked {each} in {counted(len(seen.arms), 'arm')}: {arms}"
    so_far = f"so far {of.total - of.open:,} of {counted(of.total, 'deliberation')} have ended"
    yield f"Every row was to be {said}; {so_far}." if of.open else f"Every row was {said}."
    models = sorted(seen.models)
    by = ", ".join(sorted({parley for parley, *_ in seen.versions if parley})) or "(version not recorded)"
    yield f"{counted(len(models), 'model')} had a seat ({', '.join(models)}), called by Parley {by}."
    if seen.substitutes:
        yield f"In place of some of them answered {', '.join(sorted(seen.substitutes))}."
    yield from (f"Calls of {arm} had a seed derived from {one}." for arm, one in own.items())
    other = "other " * bool(own)
    yield f"Every {other}call had a seed derived from {seed}." if seed is not None else f"No {other}seed was sent."
    yield (
        f"Of {counted(of.total, 'deliberation')}, {of.completed:,} completed, {of.failed:,} failed, {of.missing:,} "
        f"went missing and {of.open:,} had not ended, with {counted(sum(one.calls for one in seen.marks), 'call')} and "
        f"{_tokens(seen)} ({_paid(seen)})."
    )


def _of_figures(compared: StudyComparison) -> Iterator[str]:
    if compared.is_labelled:
        labelled = sum(one.labelled for one in compared.arms)
        yield f"{counted(labelled, 'deliberation')} {'has' if labelled == 1 else 'have'} a label. {notes(compared)[0]}"
    how = f"BCa where defined, to {MOST_ROWS_OF_BCA:,} rows, else percentiles; exact for all or none"
    yield f"Intervals are of 95 %, by bootstrap over rows ({how}) with the seed {compared.seed}."
    if compared.pairs:
        tested = counted(sum(one.p is not None for one in compared.pairs), "pair")
        yield (
            f"Arms were compared with {compared.baseline} by {compared.metric} over the rows and repeats that both "
            "have; tests are two-sided (exact McNemar test on right and wrong, else arms swapped within rows) and "
            f"corrected by Holm over {tested}."
        )


def _of_scorers(about: StudyFacts) -> Iterator[str]:
    for one in about.scorers:
        together = f"a {one.protocol} of " if one.protocol and len(one.graders) > 1 else ""
        by = f" by {together}{', '.join(one.graders)}" if one.graders else ""
        what = "pair" if one.preferences else "deliberation"
        orders = ", each in both orders" if one.preferences else ""
        scored = f"{one.outcomes.get('scored', 0):,} of {counted(one.n, what)}"
        yield f"The scorer {one.scorer} ({one.kind}{by}) scored {scored}{orders}."
    if about.scores is not None:
        for pair in about.scores.agreement:
            values = zip(_AGREEMENT, (pair.kappa, pair.alpha, pair.rank_correlation), strict=True)
            if said := "".join(f", {name} {decimal(value, 3)}" for name, value in values if value is not None):
                yield f"Agreement of {pair.first} and {pair.second} over {counted(pair.n, 'deliberation')}{said}."


def methods_section(about: StudyFacts, seen: StudyData, compared: StudyComparison) -> Markup:
    """Return the paragraph under its heading."""
    return el(
        "section", el("h2", "Methods, to copy"), el("p", methods(about, seen, compared), class_="quote", id="methods")
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None
