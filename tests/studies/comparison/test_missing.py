"""Points 37, 38 and 39: costs that are not known, deliberations that are missing, measures that are not the same."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from ledger.studies.results import ResultRow
from report.study import against_cost
from report.study import comparison_section as in_report
from starter.views.comparison import comparison
from studies.comparison.model import ArmFigures, StudyComparison
from studies.comparison.notes import notes
from tests.studies.comparison.deliberations import CHOICES, answered, compare, replace

LABELS = ["A", "B", "C", "D"]
RIGHT = answered("solo", LABELS, LABELS)
OTHER = answered("other", ["A", "B", "C", "A"], LABELS)


def arm(compared: StudyComparison, name: str = "solo") -> ArmFigures:
    """The figures of one arm."""
    return next(one for one in compared.arms if one.arm == name)


def shown(compared: StudyComparison) -> str:
    """What ``parley compare`` prints."""
    console = Console(width=200, record=True, file=StringIO())
    console.print(comparison(compared, notes(compared)))
    return console.export_text()


def unpriced(row: ResultRow, **more: Any) -> ResultRow:
    """The same, of which no cost is known."""
    return replace(row, cost_usd=None, calls_of_unknown_cost=2, **more)


def missing(row: ResultRow, standing: str) -> ResultRow:
    """The same without a line in the ledger."""
    nothing: dict[str, Any] = {"verdict": None, "calls": 0, "tokens": 0, "cost_usd": 0.0, "seconds": None}
    return replace(row, stop_reason=standing, **nothing)


class TestPoint37:
    """What a right answer costs, while some costs are not known."""

    def test_known_dollars_are_divided_by_all_right_answers(self) -> None:
        """One cent is known of four right answers: a quarter of a cent each, and more when the rest is known."""
        rows = [RIGHT[0], *(unpriced(row) for row in RIGHT[1:])]
        found = arm(compare("s", rows, CHOICES))

        assert (0.01 / 4, None, True) == (
            found.usd_per_correct.value,
            found.usd_per_correct.interval,
            found.is_lower_bound,
        )

    def test_a_lower_bound_is_never_above_the_truth(self) -> None:
        """Whichever costs become unknown, the figure is at most what it was when all were known."""
        true = arm(compare("s", [*RIGHT, *OTHER], CHOICES), "other").usd_per_correct.value
        bounds = [
            arm(compare("s", [*RIGHT, *OTHER[:at], unpriced(OTHER[at]), *OTHER[at + 1 :]], CHOICES), "other")
            for at in range(4)
        ]

        assert true is not None
        assert all((one.usd_per_correct.value or 0.0) <= true for one in bounds)

    def test_nothing_known_is_unknown_and_not_zero(self) -> None:
        """Without any price there is no figure, not a bound of nothing."""
        assert arm(compare("s", [unpriced(row) for row in RIGHT], CHOICES)).usd_per_correct.value is None

    def test_a_bound_is_marked_on_the_screen_and_in_the_report(self) -> None:
        """Both write it as a bound, and the notes say of what."""
        compared = compare("s", [RIGHT[0], *(unpriced(row) for row in RIGHT[1:])], CHOICES)

        assert "≥ 0.0025" in shown(compared)
        assert "≥ 0.0025" in str(in_report(compared))

    @pytest.mark.parametrize("metric", ["usd", "usd_per_correct"])
    def test_costs_are_compared_where_both_are_known(self, metric: str) -> None:
        """A difference of bounds is no bound: only what has a whole cost on both sides is compared."""
        rows = [*RIGHT, unpriced(OTHER[0]), *(replace(row, cost_usd=0.03) for row in OTHER[1:])]
        (pair,) = compare("s", rows, CHOICES, of=metric, baseline="solo").pairs

        assert (3, 3) == (pair.rows, pair.deliberations)
        assert pytest.approx({"usd": 0.02, "usd_per_correct": 0.09 / 2 - 0.01}[metric]) == pair.difference

    def test_a_partly_known_cost_does_not_make_an_arm_the_cheapest(self) -> None:
        """The baseline is then chosen by tokens."""
        compared = compare("s", [*RIGHT, *(unpriced(row, tokens=500) for row in OTHER)], CHOICES)

        assert ("solo", "fewest tokens") == (compared.baseline, compared.baseline_is)


def uncounted(row: ResultRow, tokens: int = 0) -> ResultRow:
    """The same without a price, of which a call was answered without a count of tokens."""
    return unpriced(row, calls_of_unknown_tokens=1, tokens=tokens)


class TestUncountedTokens:
    """Tokens that a provider did not report."""

    def test_an_arm_without_counts_has_not_the_fewest_tokens(self) -> None:
        """Its tokens are unknown, or at least so many; it is the baseline and in a ratio by nothing but a request."""
        for tokens, shown_as in ((0, "–"), (5, "≥ 20")):
            free = [uncounted(row, tokens) for row in OTHER]
            compared = compare("s", [*map(unpriced, RIGHT), *free], CHOICES)
            assert ("solo", "fewest tokens") == (compared.baseline, compared.baseline_is)
            assert [(None, None)] == [(pair.usd_ratio, pair.token_ratio) for pair in compared.pairs]
            assert ["solo"] == [one.arm for one in compared.equal_costs]
            line = next(one for one in shown(compared).splitlines() if one.split()[:2] == ["other", "8"])
            assert " ".join(line.split()).startswith(f"other 8 {shown_as} ")
            assert "Tokens of other: 4 answers came without a count" in " ".join(shown(compared).split())
            drawing = against_cost(compared, ["other", "solo"])
            assert drawing is not None
            assert ["solo"] == [cells[0] for cells in drawing.cells]

    def test_requests_that_may_be_billed_beside_a_cost_are_named(self) -> None:
        """On the screen and in the report, of the arms that have any."""
        rows = [*RIGHT, *(replace(row, unanswered_requests=2) for row in OTHER)]
        for said in (shown(compare("s", rows, CHOICES)), str(in_report(compare("s", rows, CHOICES)))):
            assert "Cost of other: up to 8 requests without an answer may be billed too." in " ".join(said.split())
            assert "Cost of solo" not in said

    def test_without_any_counts_calls_choose_the_baseline(self) -> None:
        """The number of calls is always known."""
        rows = [replace(uncounted(row), calls=5) for row in OTHER]
        compared = compare("s", [*rows, *map(uncounted, RIGHT)], CHOICES)

        assert ("solo", "fewest calls") == (compared.baseline, compared.baseline_is)
        assert () == compared.equal_costs

    @pytest.mark.parametrize("metric", ["tokens", "tokens_per_correct"])
    def test_tokens_are_compared_where_both_are_known(self, metric: str) -> None:
        """As of dollars, what is not known whole is in no difference, and a bound has no interval."""
        compared = compare("s", [*RIGHT, uncounted(OTHER[0], 1), *OTHER[1:]], CHOICES, of=metric, baseline="solo")

        assert [3] == [pair.deliberations for pair in compared.pairs]
        assert arm(compared, "other").tokens_per_correct.interval is None


class TestPoint38:
    """A deliberation that is missing is in every table."""

    def test_a_lost_one_is_wrong_and_counted(self) -> None:
        """It ended, as far as is known: 3 of 4, like one that failed."""
        found = arm(compare("s", [*RIGHT[:3], missing(RIGHT[3], "missing")], CHOICES))

        assert (4, 4, 3, 0, 1) == (found.planned, found.n, found.completed, found.failed, found.missing)
        assert (0.75, 4, {"missing": 1}) == (found.accuracy.value, found.labelled, found.failures)

    def test_an_open_one_is_in_no_figure_and_still_counted(self) -> None:
        """What did not end yet is neither right nor wrong: 3 of 3, and 3 of 4 ended."""
        compared = compare("s", [*RIGHT[:3], missing(RIGHT[3], "open")], CHOICES)
        found = arm(compared)

        assert (4, 3, 1, 1.0, 3) == (found.planned, found.n, found.open, found.accuracy.value, found.labelled)
        assert (4, 3) == (compared.planned, compared.n)

    def test_every_table_states_of_how_many(self) -> None:
        """Quality, flaws, cost and measures: each row of each table has it, on the screen and in the report."""
        rows = [replace(row, flaws={"lost": 1}, scores={"kendall_w": 0.5}) for row in RIGHT[:3]]
        unlabelled = [replace(row, expected=None) for row in (*rows, missing(RIGHT[3], "open"))]
        compared = compare("s", unlabelled, {})

        assert 4 == shown(compared).count("3 of 4") - shown(compared).count("3 of 4 deliberations")
        assert 4 == str(in_report(compared)).count("3 of 4")

    def test_all_of_it_fits_a_hundred_columns(self) -> None:
        """Long names, a lost and an open deliberation: no line is wider, and no name is cut by the table."""
        rows = [*RIGHT, *OTHER[:2], missing(OTHER[2], "missing"), missing(OTHER[3], "open")]
        rows = [replace(row, arm=f"{row.arm}-of-a-long-name-{'x' * 20}") for row in rows]
        console = Console(width=100, record=True, file=StringIO())
        console.print(comparison(compare("s", rows, CHOICES), ()))
        lines = console.export_text().splitlines()
        quality = next(line for line in lines if "unread" in line)

        assert all(len(line.rstrip()) <= 100 for line in lines)
        assert ["arm", "ended", "completed", "failed", "missing", "degraded", "unread"] == quality.split()[:7]
        assert 3 == sum(line.startswith(" sol…xxxx ") for line in lines)

    def test_the_accuracy_states_of_how_many(self) -> None:
        """The number of labelled deliberations is beside it."""
        line = next(line.split() for line in shown(compare("s", OTHER, CHOICES)).splitlines() if "0.750" in line)

        assert ["0.750", "4"] == line[line.index("0.750") : line.index("0.750") + 2]

    def test_a_repeat_that_one_arm_lacks_is_left_out_of_the_pair(self) -> None:
        """Else a row would weigh more on one side: here both sides have two rows once each."""
        rows = [*RIGHT[:2], replace(RIGHT[0], repeat=2), *OTHER[:2]]
        (pair,) = compare("s", rows, CHOICES, baseline="other").pairs

        assert (2, 2, 1.0, 1.0, "mcnemar") == (
            *(pair.rows, pair.deliberations, pair.arm_value, pair.baseline_value),
            pair.test,
        )

    def test_an_arm_of_which_nothing_ended_is_named(self) -> None:
        """It has no figures, and is not forgotten."""
        compared = compare("s", [*RIGHT, *(missing(row, "open") for row in OTHER)], CHOICES)

        assert {"other": 4} == compared.not_started
        assert "Of other, none of 4 deliberations has ended" in shown(compared)

    def test_what_was_paid_for_a_lost_one_counts(self) -> None:
        """Its calls were bought and count; a note says that those in flight are not known."""
        lost = replace(missing(RIGHT[3], "missing"), calls=2, tokens=70, cost_usd=0.02)
        compared = compare("s", [*RIGHT[:3], lost], CHOICES)
        found = arm(compared)
        assert any("calls in flight are in no cost" in note for note in notes(compared))

        assert pytest.approx((370, 0.05, 0.05 / 3)) == (found.tokens, found.usd, found.usd_per_correct.value)


class TestPoint39:
    """Only quality is drawn as quality, and no two measures share an axis or a column."""

    UNLIKE = (
        *(replace(row, expected=None, scores={"kendall_w": 0.25}) for row in RIGHT),
        *(replace(row, expected=None, protocol="vote", scores={"winner_share": 1.0}) for row in OTHER),
    )

    def test_nothing_is_drawn_without_labels(self) -> None:
        """How far a protocol agrees with itself is no quality."""
        assert against_cost(compare("s", self.UNLIKE, {}), ["other", "solo"]) is None

    def test_accuracy_is_drawn_against_cost(self) -> None:
        """With labels there is something to draw, and its axis is the accuracy."""
        drawn = against_cost(compare("s", [*RIGHT, *OTHER], CHOICES), ["other", "solo"])

        assert drawn is not None
        assert ("Accuracy against cost", True) == (drawn.title, "accuracy" in str(drawn.body))

    def test_accuracy_is_drawn_against_tokens_where_a_cost_is_unknown(self) -> None:
        """A lower bound has no place on an axis."""
        drawn = against_cost(compare("s", [*RIGHT, unpriced(OTHER[0]), *OTHER[1:]], CHOICES), ["other", "solo"])

        assert drawn is not None
        assert "tokens per deliberation" in str(drawn.body)

    def test_every_measure_has_a_table_of_its_own(self) -> None:
        """A council's concordance and a vote's share are in no column together."""
        told = shown(compare("s", self.UNLIKE, {}))
        report = str(in_report(compare("s", self.UNLIKE, {})))

        assert 2 == sum(line.startswith(("kendall_w (", "winner_share (")) for line in told.splitlines())
        assert report.index("W of the ballots") < report.index("share of the most frequent answer")

    def test_the_same_measure_of_two_protocols_is_in_two_tables(self) -> None:
        """The last layer of a mixture has read the answers before it, so its share is not that of votes."""
        rows = [*(replace(row, protocol="mixture", scores={"winner_share": 1.0}) for row in RIGHT), *self.UNLIKE[4:]]
        told = " ".join(shown(compare("s", rows, {})).split())

        assert "winner_share (mixture: share" in told
        assert "winner_share (vote: share" in told

    @pytest.mark.parametrize("metric", ["scores.kendall_w", "scores.winner_share"])
    def test_a_measure_is_not_compared_with_another(self, metric: str) -> None:
        """Arms of which one lacks the measure have no rows in common."""
        (pair,) = compare("s", self.UNLIKE, {}, of=metric).pairs

        assert (0, None, None, "none") == (pair.rows, pair.difference, pair.p, pair.test)
