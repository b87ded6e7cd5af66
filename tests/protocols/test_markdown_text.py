"""A model's Markdown as a tree of harmless elements."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.markdown_text import DEEPEST, ELEMENTS, LONGEST, Child, Node, quoted, tree
from tests.fakes.hostile_markdown import ATTACKS, LONG

MARKS = st.text(alphabet=st.sampled_from("a \n#*_`>-+1.)[](!<|~\\&;:/=\"'\u202e"), max_size=120)


def names(nodes: tuple[Child, ...]) -> Iterator[str]:
    """Every element's name."""
    for node in nodes:
        if isinstance(node, Node):
            yield node.name
            yield from names(node.children)


def words(nodes: tuple[Child, ...]) -> str:
    """All text, in order."""
    return "".join(node if isinstance(node, str) else words(node.children) for node in nodes)


def depth(nodes: tuple[Child, ...]) -> int:
    """How deep elements nest."""
    return max((1 + depth(node.children) for node in nodes if isinstance(node, Node)), default=0)


def test_what_models_write_becomes_elements() -> None:
    """Headings, lists, code, tables and emphasis are elements; headings are below those of our pages."""
    found = list(names(tree("# T\n\n1. **a**\n\n```py\nx\n```\n\n|a|\n|-|\n|b|\n\n> *q* `c` ~~s~~\n\n---\n")))
    for name in ("h4", "ol", "li", "strong", "pre", "table", "th", "td", "blockquote", "em", "code", "s", "hr"):
        assert name in found


def test_lines_stay_lines() -> None:
    """A line break of the model is a break, because answers are written in lines."""
    assert tree("one\ntwo") == (Node("p", ("one", Node("br"), "two")),)


def test_a_list_begins_where_it_states() -> None:
    """A numbered list keeps its first number."""
    assert 3 == tree("3. a\n4. b")[0].start


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_an_attack_becomes_harmless_elements(text: str) -> None:
    """Whatever comes in, only known elements and text come out."""
    assert set(names(tree(text))) <= ELEMENTS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<!-- hidden order -->", "<!-- hidden order -->"),
        ("[bank](https://evil.example 'a title')", 'bank https://evil.example "a title"'),
        ("![pixel](https://evil.example/p.png)", "[image: pixel] https://evil.example/p.png"),
        ("[r]: https://evil.example 'hidden order'", "[r]: https://evil.example 'hidden order'"),
        ("[click](javascript:alert(1))", "[click](javascript:alert(1))"),
        ("<https://evil.example>", "https://evil.example"),
        ("a&#8238;b&#x200b;c", "abc"),
    ],
)
def test_nothing_is_hidden_by_markup(text: str, shown: str) -> None:
    """What Markdown would hide (comments, addresses, titles, definitions) is text that can be read."""
    assert shown == words(tree(text))


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_depth_and_length_are_bounded(text: str) -> None:
    """A text that is too long is shown as it was written, and nesting ends."""
    found = tree(text)
    assert DEEPEST * 2 >= depth(found)
    assert len(text) <= LONGEST or found == (Node("plain", (text,)),)


def test_what_nests_too_deep_is_shown_as_it_was_written() -> None:
    """No word of an answer is lost because of how deep it is."""
    assert "> " * 40 + "deep" == words(tree("> " * 40 + "deep"))


@given(MARKS)
def test_any_marks_make_known_elements(text: str) -> None:
    """No mixture of marks makes an element that is not known."""
    assert set(names(tree(text))) <= ELEMENTS


@given(MARKS)
def test_a_quotation_is_never_left(text: str) -> None:
    """Every line of a text that is in a page of ours is part of its quotation."""
    assert all(line.startswith(">") for line in quoted(text).splitlines())
