from hypothesis import given
from hypothesis import strategies as st

from report.leaves import Leaf
from report.markup import Markup, el, join

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


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


@given(JSON, st.lists(st.text(), max_size=3))
def test_reading_without_trust_never_fails(value: object, path: list[str]) -> None:
    """Whatever stands in a document, and wherever one looks, the answer is empty or of the right type."""
    leaf = Leaf(value)
    assert isinstance(leaf.text(*path), str)
    assert all(isinstance(one, str) for one in leaf.texts(*path))
    assert isinstance(leaf.each(*path), tuple)
    assert leaf.number(*path) is None or isinstance(leaf.number(*path), float)
    assert leaf.whole(*path) is None or isinstance(leaf.whole(*path), int)
    assert isinstance(dict(leaf.named(*path)), dict)
    assert leaf.is_true(*path) in {True, False}
