import math
import re
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from report.figures import clipped, dollars, duration, many
from report.plots.bars import histogram
from report.plots.curves import Line, Panel, curves
from report.plots.frame import Scale, apart, figure, log_steps, steps
from report.plots.heatmap import Square, heatmap
from report.plots.network import ClaimNode, network
from report.plots.scatter import Point, scatter
from report.plots.timeline import Ended, timeline
from studies.comparison.model import Interval
from tests.fakes.reported import BEGAN


def test_a_scale_lays_numbers_on_a_line() -> None:
    """Ends go to ends and the middle to the middle; on a logarithmic one the middle is the geometric one."""
    assert [Scale(0, 10, 100, 200).at(one) for one in (0, 5, 10)] == [100, 150, 200]
    assert Scale(1, 100, 0, 200, is_log=True).at(10) == 100


@given(st.floats(0, 1e6), st.floats(1e-6, 1e6), st.integers(2, 10))
@example(879609.9999999999, 1e-06, 7)
def test_steps_are_few_and_inside(low: float, wide: float, most: int) -> None:
    """An axis has at most so many numbers, all of them between its ends and rising, but for what rounding adds."""
    found, rounding = steps(low, low + wide, most), wide * 1e-6 + 4 * math.ulp(low + wide)
    assert len(found) <= most
    assert list(found) == sorted(found)
    assert all(low - rounding <= one <= low + wide + rounding for one in found)


def test_logarithmic_steps_are_ones_twos_and_fives() -> None:
    """Over few decades each has three numbers, over many it has one."""
    assert log_steps(0.01, 1) == (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
    assert log_steps(1, 1e6) == (1, 10, 100, 1e3, 1e4, 1e5, 1e6)


@given(st.lists(st.floats(0, 300), max_size=12))
def test_labels_keep_apart(wanted: list[float]) -> None:
    """No two labels overlap, their order is that of their marks, and they stay in the drawing where there is room."""
    placed = apart(wanted, 15, 0, 300)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    for first, second in pairwise(order):
        assert placed[second] - placed[first] >= 15 - 1e-9
    assert all(-1e-9 <= one <= 300 + 1e-9 for one in placed)


def test_nothing_to_draw_is_no_drawing() -> None:
    """A drawing without data is left out, not shown empty."""
    assert scatter([], title="", across="", up="", describe=str, note="") is None
    assert histogram("k", "t", {"arm": []}, unit="", note="", colours={}) is None
    assert curves("k", "t", [Panel("p", [Line("l", [None], 0)])], up="", note="") is None
    assert heatmap("k", "t", [], [], across="", note="") is None
    assert timeline([], note="") is None
    assert network([], note="", numbers=((), ())) is None


def test_a_drawing_states_in_words_what_it_shows() -> None:
    """Title and description are in the drawing for a reader who cannot see it, and its numbers are in a table."""
    drawing = scatter(
        [Point("one", 0.2, 0.5, Interval(low=0.4, high=0.6, method="bca"), 9, 0), Point("two", 20.0, 0.75, None, 9, 1)],
        title="Quality",
        across="cost",
        up="accuracy",
        describe=dollars,
        note="n",
    )
    assert drawing is not None
    shown = figure(drawing, "old-")
    assert 'role="img" aria-labelledby="old-quality-t old-quality-d"' in shown
    assert "one: 0.50 at $0.2; two: 0.75 at $20.00" in shown
    assert "cost (logarithmic)" in shown
    assert "0.400 to 0.600" in shown


def test_a_line_breaks_where_nothing_is_known() -> None:
    """A round without a value is a gap, never a zero and never bridged."""
    drawing = curves("k", "t", [Panel("p", [Line("l", [0.1, None, 0.3, 0.4], 0)])], up="", note="")
    assert drawing is not None
    paths = [part for part in drawing.body if 'class="line s0"' in part]
    assert paths[0].count("M") == 2
    assert drawing.cells == [("l", "0.10", "–", "0.30", "0.40")]


def test_bars_count_everybody_once() -> None:
    """Everything that ended is in exactly one bar, the last moment included."""
    ended = [Ended(BEGAN + timedelta(minutes=n), ("completed", "failed", "degraded")[n % 3]) for n in range(100)]
    drawing = timeline(ended, note="")
    assert drawing is not None
    assert sum(int(cell) for row in drawing.cells for cell in row[1:]) == 100
    assert drawing.description == "33 failed, 33 degraded, 34 completed"


def test_bars_of_a_short_study_have_times_of_their_own() -> None:
    """No bar is shorter than the second that its time is written with."""
    drawing = timeline([Ended(BEGAN + timedelta(seconds=n / 20), "completed") for n in range(100)], note="")
    assert drawing is not None
    assert ["25"] * 4 == [row[-1] for row in drawing.cells]
    assert len(drawing.cells) == len({row[0] for row in drawing.cells})


def test_a_matrix_has_a_number_in_every_cell() -> None:
    """Colour alone says nothing: what a cell says is in it."""
    drawing = heatmap("k", "t", ["a", "b"], [("r", [Square("1", 1.0), Square("–")])], across="", note="")
    assert drawing is not None
    assert drawing.cells == [("r", "1", "–")]


def test_the_headings_of_a_narrow_matrix_are_whole() -> None:
    """A matrix of few columns makes them as wide as their names, as long as the page has room."""
    names = ["different positions", "claude-sonnet-5.5"]
    drawing = heatmap("k", "t", names, [("1", [Square("3"), Square("5.3")])], across="", note="")
    assert drawing is not None
    said = re.findall(r"<text[^>]*>([^<]+)</text>", "".join(drawing.body))
    assert names == [one for one in said if one in names]


def test_no_two_headings_of_a_matrix_look_the_same() -> None:
    """Names that differ in their middle alone have their numbers before them, at the left and on top."""
    arms = [f"council-of-{size}-models-with-a-chair-and-ballots" for size in ("three", "seven", *map(str, range(12)))]
    drawing = heatmap("k", "t", arms, [(arm, [Square("1")] * len(arms)) for arm in arms], across="", note="")
    assert drawing is not None
    said = re.findall(r"<text[^>]*>([^<]+)</text>", "".join(drawing.body))
    assert len({one for one in said if one != "1"}) == 2 * len(arms)


def test_a_claim_shows_who_is_for_it_and_against() -> None:
    """Every supporter and opponent has a line, a seat that was not listed too; an unknown claim joins nothing."""
    drawing = network(
        [ClaimNode("C1", "a", "FACT", "contested", ["p1 one"], ["p2"], ["C9"])], note="", numbers=((), ())
    )
    assert drawing is not None
    body = "".join(drawing.body)
    assert (body.count('class="edge for"'), body.count('class="edge against"')) == (1, 1)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (dollars(None), "–"),
        (dollars(0), "$0"),
        (dollars(0.00123), "$0.0012"),
        (dollars(0.25), "$0.25"),
        (dollars(0.0000123), "$0.000012"),
        (dollars(1234.5), "$1,234.50"),
        (many(950), "950"),
        (many(12_340), "12.3k"),
        (many(4_500_000), "4.5M"),
        (many(999.6), "1k"),
        (many(999_950), "1M"),
        (many(1_234_000_000), "1230M"),
        (duration(4.21), "4.2 s"),
        (duration(210), "3.5 min"),
        (duration(7560), "2.1 h"),
        (clipped("council-large-panel", 9), "coun…anel"),
    ],
)
def test_numbers_are_said_shortly(said: str, wanted: str) -> None:
    """Figures have their unit and no more digits than matter."""
    assert said == wanted
