"""Tables on narrow and on wide screens."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from protocols.tables import Table, columns, rows
from starter.views.tables import render

NAMES = ("some-vendor/a-model-with-a-very-long-name-2026-11-28-thinking", "其他/模型名字很長的一個模型-😀😀", "short")
FIGURES = ("12,644", "0.0431", "0.250–1.000", "https://api.example:443")
TABLE = Table(
    title="Final order, whose title is longer than the narrowest screen",
    columns=columns(
        "model", "tokens", "USD", "95 %", "address", "calls of no known cost", right=("tokens", "USD", "95 %")
    ),
    rows=rows([(name, *FIGURES, "7") for name in NAMES]),
)


def shown(table: Table, width: int, *, is_dense: bool = False) -> str:
    """What a screen of that width shows."""
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(render([table], is_dense=is_dense))
    return out.getvalue()


@pytest.mark.parametrize("is_dense", [False, True], ids=["folded", "dense"])
@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 120, 200])
def test_no_figure_is_cut_and_no_line_is_too_wide(width: int, is_dense: bool) -> None:
    """On a screen that is too narrow the rows are paragraphs, so that a figure is never another one."""
    text = shown(TABLE, width, is_dense=is_dense)

    assert all(cell_len(line) <= width for line in text.splitlines())
    assert all(3 == text.count(figure) for figure in FIGURES)
    assert all(name in "".join(text.split()) for name in NAMES) or width >= 80


def test_a_column_that_lacks_little_is_whole_before_a_long_one() -> None:
    """Long names are broken; short words beside them are not, where there is room for both."""
    table = Table(columns=columns("model", "answer"), rows=rows([("m" * 200, "Response A"), ("n" * 200, "Response B")]))

    assert "Response A" in shown(table, 60)


def test_a_row_of_a_narrow_screen_names_its_columns() -> None:
    """A paragraph has the heading before each cell and leaves out what is blank."""
    table = Table(columns=columns("seat", "model", "note", ""), rows=rows([("p1", "maker/one", "", "")]))

    assert "p1     maker/one" in shown(table, 60)
    assert ["  seat p1 · model", "  maker/one", ""] == [line.rstrip() for line in shown(table, 20).splitlines()]
