"""Harmless elements written as Markdown for a page that is ours only in part."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from protocols.markdown_text import Child, Node, quoted, tree
from tests.fakes.hostile_markdown import ATTACKS

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
"""Reads as liberally as the Web UI: with HTML, links, images and tables."""

FORBIDDEN = {"html_block", "html_inline", "link_open", "image", "heading_open", "table_open", "hr"}
MARKS = st.text(alphabet=st.sampled_from("a \n#*_`>-+1.)[](!<|~\\&;:/=\"'"), max_size=120)


def kinds(tokens: list[Token]) -> set[str]:
    """Every kind of token, those inside a line too."""
    return {token.type for token in tokens} | {kind for token in tokens for kind in kinds(token.children or [])}


def words(nodes: tuple[Child, ...]) -> str:
    """All letters of a tree, without white space and marks."""
    text = "".join(node if isinstance(node, str) else words(node.children) for node in nodes)
    return re.sub(r"[^a-z]", "", text)


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_page_gets_no_markup_of_a_models_making(text: str) -> None:
    """Neither HTML, links, images, headings, rules nor tables are left for the Web UI to make."""
    assert not kinds(READER.parse(quoted(text))) & FORBIDDEN


@given(MARKS)
def test_no_mixture_of_marks_becomes_markup(text: str) -> None:
    """The same holds of any mixture of marks, and the whole stays one quotation."""
    tokens = READER.parse(quoted(text))

    assert not kinds(tokens) & FORBIDDEN
    assert all(token.type.startswith("blockquote") for token in tokens if token.level == 0)


def test_addresses_are_code() -> None:
    """What a renderer would make a link by itself is as code."""
    assert "> `https://evil.example/a_b` and `me@evil.example`" == quoted(
        "https://evil.example/a_b and me@evil.example"
    )


def test_a_table_is_aligned_text() -> None:
    """A table is as aligned text, because the Web UI shows tables without borders."""
    assert "> ```text\n> name  n\n> a     1\n> ```" == quoted("|name|n|\n|-|-|\n|a|1|")


def test_what_models_write_reads_back() -> None:
    """Lists, emphasis and code read back as what they were."""
    text = "1. **one**\n2. *two*\n   - `three`\n\n> four"

    assert tree(quoted(text)) == (Node("blockquote", tree(text)),)


@given(st.lists(st.sampled_from(["one", "**two**", "`three`", "- four", "5. five", "> six"]), max_size=6))
def test_no_word_is_lost(lines: list[str]) -> None:
    """Every word of the text is a word of the quotation."""
    text = "\n\n".join(lines)

    assert words(tree(text)) == words(tree(quoted(text)))
