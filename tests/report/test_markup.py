from hypothesis import given
from hypothesis import strategies as st

from report.markup import Markup, el, join


@given(st.text())
def test_text_is_never_markup(text: str) -> None:
    """Whatever a text says, it opens no element and leaves no attribute."""
    made = el("p", text, title=text)
    assert made.count("<") == 2
    assert made.partition(">")[0].count('"') == 2


def test_what_an_element_made_stands_as_it_is() -> None:
    """Elements are put into each other without being escaped; texts beside them are."""
    assert el("p", el("b", "a<b"), "c>d", [" & ", el("br")]) == "<p><b>a&lt;b</b>c&gt;d &amp; <br></p>"
    assert isinstance(join(["a"]), Markup)


def test_attributes_are_named_as_html_names_them() -> None:
    """Underscores are hyphens, a last one keeps clear of Python, and what is not set is not written."""
    made = el("td", class_="x", stroke_width="2", hidden=True, id=None, open=False, data_value=0)
    assert made == '<td class="x" stroke-width="2" hidden data-value="0"></td>'


def test_marks_that_turn_the_direction_of_writing_are_removed() -> None:
    """A text cannot make the page read differently than it is written."""
    assert el("p", "a\u202eb\x1b[31mc") == "<p>abc</p>"
