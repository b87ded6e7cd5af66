"""Notes on the figures of a comparison: one line each, for those shown."""

from collections.abc import Iterator

from protocols.cost_text import unanswered
from protocols.plurals import counted
from studies.comparison.metrics import METRICS, SCORES
from studies.comparison.model import StudyComparison
from studies.comparison.resampling import MOST_ROWS_OF_BCA

_READ = {
    "choice": "the choice that the last line FINAL ANSWER names is the label's",
    "number": "the number is the label's, to one part in a billion",
    "exact": "the text after FINAL ANSWER is the label, but for case, space and marks at its ends",
    "contains": "the answer holds the label as whole words",
    "yes_no": "yes or no, as the label says",
}

_REPEATS = {
    "mean": "the mean of each row",
    "mode": "the most frequent answer of each row, tied answers in equal parts, repeats without one left out",
    "max": "the best of each row, known only by its label",
}
_PASSED = "the chance that one of K repeats of a row is right, from all of them; read: of rows with K answers or more"


def notes(compared: StudyComparison) -> tuple[str, ...]:
    """Return the lines below the tables."""
    return (*_of_marks(compared), *_of_figures(compared), *_of_gaps(compared))


def _of_marks(compared: StudyComparison) -> Iterator[str]:
    rule = compared.rule
    if compared.rehearsed_scores:
        yield f"REHEARSAL: scripted models gave {counted(compared.rehearsed_scores, 'score')} of {compared.score}."
    if rule is None or not compared.is_labelled:
        yield "Nothing is labelled, so there is no accuracy."
        if compared.score is not None and not any(compared.score in one.scores for one in compared.arms):
            yield f"The scorer {compared.score} names classes, which are the answers here: see alpha."
        elif compared.score is not None:
            yield f"The scorer {compared.score} gives values: their means are {SCORES}{compared.score}."
            yield "Of preferences a value is the share of pairs that were won; length and strengths: parley score."
        return
    if compared.score is not None:
        yield f"Right: as the scorer {compared.score} says. A missing verdict is wrong; what has no score is left out."
        return
    flag = f"flagged is a falsehood of at least {rule.threshold:g}"
    yield f"Right: {_READ.get(rule.read, flag)}. Failed, missing and unreadable ones count as wrong."
    if rule.is_binary:
        yield "Precision: of what is flagged (or yes), the share that is right. Recall: of what should be, found."
        yield "Specificity: of what should not be, the share read as no. A missing answer is a miss where yes is right;"
        yield "where no is, it is no false alarm in precision, and wrong in specificity."


def _of_figures(compared: StudyComparison) -> Iterator[str]:
    bca = f"BCa where defined, to {MOST_ROWS_OF_BCA:,} rows"
    yield f"Intervals: 95 %, bootstrap over rows ({bca}; exact for all or none), seed {compared.seed}."
    if compared.over_repeats is not None:
        yield f"Repeats: {_REPEATS.get(compared.over_repeats, _PASSED)} ({compared.over_repeats}); a row counts once."
    if compared.pairs:
        yield f"{compared.metric}: {_meaning(compared)}."
        yield "Pairs: over the rows and repeats that both arms have; of costs, over those known whole."
        yield "p: two-sided; exact McNemar test on right and wrong, else arms swapped within rows (permutation)."
        yield "cost: of the arm over the baseline's, of the same deliberations."
        yield "p (Holm): corrected for comparing several arms with one baseline."
    if any(one.others is not None for one in compared.equal_costs):
        yield "At the cost or tokens of an arm: its accuracy, and that of the best mixture that takes no more."
    if compared.agreement.alpha is not None:
        yield "alpha: Krippendorff's, nominal; 1 is always the same answer, 0 is chance."
    if compared.agreement.scores_w or any(one.rankings_w is not None for one in compared.arms):
        yield "Kendall's W: 1 is one order by all that rank; orders at random give one over their number, 0.25 of four."
    yield "Seconds: of completed deliberations. Cost and tokens: of all that ended, failed ones too, as far as known."


def _meaning(compared: StudyComparison) -> str:
    if compared.metric in METRICS:
        return METRICS[compared.metric].meaning
    name = compared.metric.removeprefix(SCORES)
    whose = "values by the scorer" if name == compared.score else "protocol's own"
    return f"mean of the {whose} {name}"


def _of_gaps(compared: StudyComparison) -> Iterator[str]:
    for name, number in compared.left_out.items():
        of_what = "deliberation" if compared.over == "panels" else "row"
        yield f"Left out of {name}: {counted(number, of_what)} that the others do not have."
    if compared.trends:
        yield "Change a day: the slope of a straight line through the firings, over the rows that all of them have."
    if any(one.is_lower_bound for one in compared.arms):
        yield "≥: the cost of some calls is unknown: what is known, over all right answers, is a lower bound."
    yield from (
        f"Cost of {one.arm}: {unanswered(one.unanswered_requests).lstrip('; ')}."
        for one in compared.arms
        if one.unanswered_requests
    )
    yield from (
        f"Tokens of {one.arm}: {counted(one.calls_of_unknown_tokens, 'answer')} came without a count; what is known is "
        "a lower bound, and compared with no other."
        for one in compared.arms
        if one.calls_of_unknown_tokens
    )
    if missing := sum(one.missing for one in compared.arms):
        yield f"Missing: {counted(missing, 'deliberation')} ended without a result; calls in flight are in no cost."
    for arm, planned in compared.not_started.items():
        yield f"Of {arm}, none of {planned:,} deliberations has ended: it is in no table."
    if len({one.n for one in compared.arms}) > 1:
        yield "The arms have ended unequally many deliberations: read the pairs, which use the same rows."
    if compared.unreadable_labels:
        yield f"{counted(compared.unreadable_labels, 'deliberation')} with an unreadable label, counted as unlabelled."
    is_read = compared.score is None and compared.rule is not None and compared.rule.read != "flagged"
    if is_read and any(one.unreadable for one in compared.arms):
        yield "Unreadable answers: let the dataset's template ask for a last line FINAL ANSWER: …"
