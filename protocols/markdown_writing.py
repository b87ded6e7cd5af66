"""A tree of harmless elements as Markdown that is inside a page of ours and cannot affect the rest of it.

The Web UI renders Markdown and is not ours: it renders headings, links, images and, in later versions,
other elements. So a model's text is written anew from its tree: every character that could be markup is escaped,
addresses are code, tables are aligned text, and every line is part of a quotation, so that none of them can look like a
heading or a table of ours.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from protocols.markdown_text import Child, Node, tree

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
