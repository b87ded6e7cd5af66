"""A model's Markdown as a tree of a few harmless elements, for every screen that shows it.

Models answer in Markdown and may be instructed to attack the reader. So the text is parsed once, by one set of rules,
and the result can only be an element of ``ELEMENTS`` or text: raw HTML stays text, a link is its words and its
address in plain sight, an image is its description and its address, a definition of a reference is a line like any
other. Every piece of text passes ``printable`` after parsing, because a numeric entity may spell a hidden character.

Parsing is bounded: a text that is longer than ``LONGEST``, or nests as deep as ``DEEPEST``, is shown as it was written.
Line breaks stay where the model put them.

``quoted`` writes the tree as Markdown for the Web UI, which is not ours and renders headings, links, images and, in
later versions, other elements. So every character that could be markup is escaped, addresses are code, tables are
aligned text, and every line is part of a quotation, so that none of them can look like a heading or a table of ours.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
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


_MARKUP = re.compile(r"[\\`*_\[\]<>#|~&!$]")
_AT_START = re.compile(r"^(\s*)(?:([-+=:])|(\d{1,9})([.)]))")
_LINKED = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\bmailto:|[^\s@]{1,100}@)[^\s`]+", re.IGNORECASE)
"""What a renderer may turn into a link without being asked: addresses of pages and of people."""


def quoted(text: str) -> str:
    """Return a model's text as a quotation in Markdown."""
    return "\n".join(f"> {line}".rstrip() for line in _blocks(tree(text)))


def escaped(text: str) -> str:
    """Return ``text`` as Markdown that shows it as it is; addresses in it lead nowhere."""
    parts, last = [], 0
    for found in _LINKED.finditer(text):
        parts += [_MARKUP.sub(r"\\\g<0>", text[last : found.start()]), f"`{found[0]}`"]
        last = found.end()
    rest = _MARKUP.sub(r"\\\g<0>", text[last:])
    return _AT_START.sub(_not_an_item, "".join((*parts, rest)))


def _not_an_item(found: re.Match[str]) -> str:
    """Return the beginning of a line so that it begins no list, no rule and no definition."""
    return f"{found[1]}\\{found[2]}" if found[2] else f"{found[1]}{found[3]}\\{found[4]}"


def _blocks(nodes: Sequence[Child], *, is_tight: bool = False) -> Iterator[str]:
    """Yield the lines of elements one below the other, with a blank line between two unless they are ``is_tight``."""
    inline: list[Child] = []
    is_first = True
    for node in (*nodes, None):
        if node is not None and not (isinstance(node, Node) and node.name in _WRITERS):
            inline.append(node)
            continue
        parts = [_lines(inline)] if inline else []
        parts += [list(_WRITERS[node.name](node))] if isinstance(node, Node) else []
        for part in parts:
            yield from part if is_first or is_tight else ("", *part)
            is_first = False
        inline = []


def _lines(children: Sequence[Child]) -> list[str]:
    """Return inline elements as lines; a break that the model put ends a line."""
    lines: list[list[str]] = [[]]
    for child in children:
        if isinstance(child, Node) and child.name == "br":
            lines.append([])
        else:
            lines[-1].append(_inline(child))
    joined = [_AT_START.sub(_not_an_item, "".join(line)) for line in lines]
    return [f"{line}\\" if line else "" for line in joined[:-1]] + joined[-1:]


def _inline(child: Child) -> str:
    if isinstance(child, str):
        return escaped(child.replace("\n", " "))
    if child.name in {"code", "url"}:
        return _code(_plain(child))
    mark = {"strong": "**", "em": "*", "s": "~~"}.get(child.name, "")
    inner = "".join(_inline(one) for one in child.children if not (isinstance(one, Node) and one.name == "br")).strip()
    return f"{mark}{inner}{mark}" if inner else ""


def _code(text: str) -> str:
    shown = text.replace("`", "ˋ").replace("\n", " ").strip()
    return f"`{shown}`" if shown else ""


def _plain(child: Child) -> str:
    """Return the text of an element without any markup."""
    if isinstance(child, str):
        return child
    return "\n" if child.name == "br" else "".join(map(_plain, child.children))


def _paragraph(node: Node) -> Iterator[str]:
    yield from _lines(node.children)


def _heading(node: Node) -> Iterator[str]:
    said = _plain(node).replace("\n", " ").strip()
    yield f"**{escaped(said)}**" if said else ""


def _items(node: Node) -> Iterator[str]:
    items = [item for item in node.children if isinstance(item, Node)]
    is_tight = not any(isinstance(child, Node) and child.name == "p" for item in items for child in item.children)
    for number, item in enumerate(items, node.start):
        mark = f"{number}. " if node.name == "ol" else "- "
        inner = list(_blocks(item.children, is_tight=is_tight))
        yield from (f"{mark if n == 0 else ' ' * len(mark)}{line}" for n, line in enumerate(inner or [""]))


def _quotation(node: Node) -> Iterator[str]:
    yield from (f"> {line}" for line in _blocks(node.children))


def _fenced(node: Node) -> Iterator[str]:
    yield from ("```text", *_plain(node).replace("```", "ˋˋˋ").splitlines(), "```")


def _table(node: Node) -> Iterator[str]:
    """Yield a table as aligned text: the Web UI shows tables without borders."""
    body = [row for part in node.children if isinstance(part, Node) for row in part.children]
    rows = [[_plain(cell).replace("\n", " ") for cell in row.children] for row in body if isinstance(row, Node)]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    shown = ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)).rstrip() for row in rows)
    yield from ("```text", *(line.replace("```", "ˋˋˋ") for line in shown), "```")


def _as_written(node: Node) -> Iterator[str]:
    *lines, last = _plain(node).splitlines() or [""]
    yield from (f"{escaped(line)}\\" if line.strip() else "" for line in lines)
    yield escaped(last)


def _rule(_node: Node) -> Iterator[str]:
    yield r"\* \* \*"


_WRITERS = {
    "p": _paragraph,
    "h4": _heading,
    "h5": _heading,
    "h6": _heading,
    "ul": _items,
    "ol": _items,
    "blockquote": _quotation,
    "pre": _fenced,
    "table": _table,
    "hr": _rule,
    "plain": _as_written,
}
"""Block elements; all others are part of a line."""
