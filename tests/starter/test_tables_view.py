"""Tables on narrow and on wide screens."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from protocols.tables import Column, Table, columns, rows
from starter.views.tables import render

NAMES = ("some-vendor/a-model-with-a-very-long-name-2026-11-28-thinking", "其他/模型名字很長的一個模型-😀😀", "short")
FIGURES = ("12,644", "1,234,567,890.25", "0.250–1.000", "https://api.example:443")
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
def test_no_figure_is_cut_and_no_line_is_too_wide(is_dense: bool) -> None:
    """On a screen that is too narrow the rows are paragraphs, so that no digit of a figure is lost."""
    texts = {width: shown(TABLE, width, is_dense=is_dense) for width in range(30, 201)}

    assert [] == [width for width, text in texts.items() if any(cell_len(line) > width for line in text.splitlines())]
    assert [] == [width for width, text in texts.items() if any(3 != text.count(figure) for figure in FIGURES)]


def test_a_dense_table_that_is_too_wide_is_two_below_each_other() -> None:
    """Rows of figures stay rows where the first column and another fit: the other columns are in a table below."""
    titles = ("arm", "completed", "degraded", "accuracy", "read")
    table = Table(columns=columns(*titles, right=titles[1:]), rows=rows([("council", *"1234"), ("single", *"5678")]))
    split = [line.split() for line in shown(table, 34, is_dense=True).splitlines() if line.strip(" ─")]

    assert [["arm", "completed", "degraded"], ["council", "1", "2"], ["single", "5", "6"]] == split[:3]
    assert [["arm", "accuracy", "read"], ["council", "3", "4"], ["single", "7", "8"]] == split[3:]


@pytest.mark.parametrize("table", [TABLE, *(Table(columns=columns("model"), rows=rows([(name,)])) for name in NAMES)])
def test_no_letter_of_a_long_name_is_lost(table: Table) -> None:
    """On a narrow screen a name is broken into lines, in a paragraph and in a column of its own."""
    text = "".join(shown(table, 30).split())

    assert all(name in text for name in NAMES if any(name == row[0].text for row in table.rows))


def test_a_column_that_lacks_little_is_whole_before_a_long_one() -> None:
    """Long names are broken; short words beside them are not, where there is room for both."""
    table = Table(columns=columns("model", "answer"), rows=rows([("m" * 200, "Response A"), ("n" * 200, "Response B")]))

    assert "Response A" in shown(table, 60)
    assert "m" * 43 in shown(table, 60)


@pytest.mark.parametrize("word", ["Confidential", "模型名字很長"])
def test_a_word_of_twelve_cells_is_not_broken(word: str) -> None:
    """A column has room for its words, also of wide letters, before another one has more than it needs."""
    table = Table(columns=columns("a", "b"), rows=rows([(word, "x " * 100)]))

    assert word in shown(table, 12 + 1 + 7)


@pytest.mark.parametrize(("width", "is_whole"), [(40, True), (30, False)])
def test_a_column_that_is_whole_on_a_wide_screen_is_broken_on_a_narrow_one(width: int, is_whole: bool) -> None:
    """Its cells are in one line where every other column can still be read, and in several before the rows are text."""
    titled = (Column("model"), Column("said", whole="with room"))
    text = shown(Table(columns=titled, rows=rows([("x " * 20, "one two three four five")])), width)

    assert is_whole is ("one two three four five" in text)
    assert ["model", "said"] == text.splitlines()[1].split()


def test_a_row_of_a_narrow_screen_names_its_columns() -> None:
    """A paragraph has the heading before each cell and leaves out what is blank."""
    table = Table(columns=columns("seat", "model", "note", ""), rows=rows([("p1", "maker/one", "", "")]))

    assert "p1     maker/one" in shown(table, 60)
    assert ["  seat p1 · model", "  maker/one", ""] == [line.rstrip() for line in shown(table, 20).splitlines()]
