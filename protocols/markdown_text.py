"""A model's Markdown as a tree of a few harmless elements, for every screen that shows it.

Models answer in Markdown and may be instructed to attack the reader. So the text is parsed once, by one set of rules,
and the result can only be an element of ``ELEMENTS`` or text: raw HTML stays text, a link is its words and its
address in plain sight, an image is its description and its address, a definition of a reference is a line like any
other. Every piece of text passes ``printable`` after parsing, because a numeric entity may spell a hidden character.

Parsing is bounded: a text that is longer than ``LONGEST``, or nests as deep as ``DEEPEST``, is shown as it was written.
Line breaks stay where the model put them.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple, Union

from markdown_it import MarkdownIt
from markdown_it.token import Token

from protocols.visible_text import printable

LONGEST = 30_000
"""Characters of one text that are parsed; a longer one is shown as it was written."""

DEEPEST = 20

ELEMENTS = frozenset(
    (
        *("p", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em", "s", "br", "hr"),
        *("table", "thead", "tbody", "tr", "th", "td", "url", "plain"),
    )
)
"""``url`` is an address that is shown and leads nowhere, ``plain`` a text as it was written, line by line."""

_HEADINGS = {"h1": "h4", "h2": "h5", "h3": "h6", "h4": "h6", "h5": "h6", "h6": "h6"}
"""Below the headings of our own pages, so that no text can pretend to be a section of a page."""


class Node(NamedTuple):
    """One element."""

    name: str
    children: "tuple[Child, ...]" = ()
    start: int = 1
    """The number of the first item of a numbered list."""


Child = Union[Node, str]  # noqa: UP007 - a name that is defined below itself needs the older form at run time


def tree(text: str) -> tuple[Node, ...]:
    """Return ``text`` as elements; one that is too long, or nests too deep, is one ``plain`` element."""
    shown = printable(text)
    tokens = _parser().parse(shown) if len(shown) <= LONGEST else []
    # The parser leaves out what nests deeper than it goes, and nothing of an answer may be left out.
    if len(shown) > LONGEST or any(token.level >= DEEPEST - 1 for token in tokens):
        return (Node("plain", (shown,)),)
    return tuple(node for node in _nodes(tokens) if isinstance(node, Node))


@cache
def _parser() -> MarkdownIt:
    """Return the parser: CommonMark with tables and strikethrough, without HTML and without references."""
    rules = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    return rules.enable(["table", "strikethrough"]).disable(["reference"])


def _nodes(tokens: Sequence[Token]) -> "tuple[Child, ...]":
    """Return what a flat list of opening and closing tokens nests to."""
    stack: list[tuple[str, int, list[Child]]] = [("", 1, [])]
    for token in tokens:
        if token.nesting == 1 and not token.hidden:
            stack.append((_element(token), _start(token), [_address(token, "href")] if token.tag == "a" else []))
        elif token.nesting == -1 and not token.hidden:
            name, start, children = stack.pop()
            stack[-1][2].extend(_closed(name, start, children))
        elif token.nesting == 0:
            stack[-1][2].extend(_leaf(token))
    return tuple(stack[0][2])


def _element(token: Token) -> str:
    """Return the element of an opening token; one that is not known is no element, and its children stay."""
    name = _HEADINGS.get(token.tag, token.tag)
    return name if name in ELEMENTS or name == "a" else ""


def _start(token: Token) -> int:
    first = token.attrs.get("start", 1) if token.tag == "ol" else 1
    return first if isinstance(first, int) else 1


def _closed(name: str, start: int, children: "list[Child]") -> "list[Child]":
    if name == "a":
        address, *words = children
        return words if words == list(_children(address)) else [*words, " ", address]
    return [Node(name, tuple(children), start)] if name else children


def _children(child: Child) -> "tuple[Child, ...]":
    return child.children if isinstance(child, Node) else (child,)


def _leaf(token: Token) -> "Iterator[Child]":
    """Return the text of a token without children: text, code, a break, a rule, an image, or inline text."""
    match token.type:
        case "inline":
            yield from _nodes(token.children or [])
        case "code_inline":
            yield Node("code", (printable(token.content),))
        case "code_block" | "fence":
            named = printable(token.info.strip())
            yield from [Node("p", (Node("em", (named,)),))] if named else []
            yield Node("pre", (printable(token.content.rstrip("\n")),))
        case "softbreak" | "hardbreak":
            yield Node("br")
        case "hr":
            yield Node("hr")
        case "image":
            yield from _image(token)
        case _:
            yield from [printable(token.content)] if token.content else []


def _image(token: Token) -> "Iterator[Child]":
    """Yield the description of an image and its address; it is never fetched."""
    yield f"[image: {printable(token.content)}] "
    yield _address(token, "src")


def _address(token: Token, name: str) -> Node:
    """Return the address of a link or an image with its title, which browsers hide until the pointer is on it."""
    title = str(token.attrs.get("title", ""))
    return Node("url", (printable(f"{token.attrs.get(name, '')}" + (f' "{title}"' if title else "")),))
