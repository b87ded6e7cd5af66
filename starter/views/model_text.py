"""The text of a model: on a terminal its Markdown rendered, elsewhere the plain text.

A file or a pipe gets the text, for redirection. On a terminal it is indented by
two columns, unlike all our own lines, so that no heading or rule of a model passes for one of ours. Nothing
in it is a link that can be followed.
"""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from protocols.markdown_text import Child, Node, tree
from protocols.visible_text import printable

_STYLES = {"strong": "bold", "em": "italic", "s": "strike", "code": "cyan", "url": "blue"}
_HEADINGS = {"h4": "bold underline", "h5": "bold", "h6": "bold italic"}
_INDENT = (0, 0, 0, 2)


class ModelText:
    """A text of a model, to be printed by a console."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the rendered Markdown on a terminal, and the text elsewhere."""
        if console.is_terminal:
            yield Padding(Group(*_blocks(tree(self._text))), _INDENT)
        else:
            yield Text(printable(self._text))


def _blocks(nodes: Sequence[Child], *, is_tight: bool = False) -> Iterator[RenderableType]:
    """Yield elements one below the other, with a blank line between two unless they are ``is_tight``."""
    inline: list[Child] = []
    is_first = True
    for node in (*nodes, None):
        if isinstance(node, str) or (node is not None and node.name not in _BLOCKS):
            inline.append(node)
            continue
        found = [_line(inline)] if inline else []
        for part in [*found, *([_block(node)] if node is not None else [])]:
            if not (is_first or is_tight):
                yield Text()
            yield part
            is_first = False
        inline = []


def _block(node: Node) -> RenderableType:
    match node.name:
        case "ul" | "ol":
            return _listed(node)
        case "blockquote":
            return Padding(Group(*_blocks(node.children)), _INDENT, style="dim")
        case "pre":
            return Padding(Text(_plain(node), style="cyan", overflow="fold"), _INDENT)
        case "table":
            return _table(node)
        case "hr" | "plain":
            return Text(_plain(node) or "* * *")
        case _:
            return _line(node.children, _HEADINGS.get(node.name, ""))


_BLOCKS = frozenset((*_HEADINGS, "p", "ul", "ol", "blockquote", "pre", "table", "hr", "plain"))


def _listed(node: Node) -> RenderableType:
    shown = Table.grid(padding=(0, 1))
    shown.add_column(justify="right", no_wrap=True)
    shown.add_column(overflow="fold")
    items = [item for item in node.children if isinstance(item, Node)]
    is_tight = not any(isinstance(child, Node) and child.name == "p" for item in items for child in item.children)
    for number, item in enumerate(items, node.start):
        shown.add_row(f"{number}." if node.name == "ol" else "•", Group(*_blocks(item.children, is_tight=is_tight)))
    return shown


def _table(node: Node) -> RenderableType:
    rows = [row for part in node.children if isinstance(part, Node) for row in part.children if isinstance(row, Node)]
    cells = [[_line(cell.children) for cell in row.children if isinstance(cell, Node)] for row in rows]
    shown = Table(box=box.SIMPLE)
    for heading in cells[0] if cells else []:
        shown.add_column(heading, overflow="fold")
    for row in cells[1:]:
        shown.add_row(*row[: len(shown.columns)])
    return shown


def _line(children: Sequence[Child], style: str = "") -> Text:
    text = Text(style=style, overflow="fold")
    for child in children:
        if isinstance(child, str):
            text.append(child)
        elif child.name == "br":
            text.append("\n")
        else:
            text.append_text(_line(child.children, _STYLES.get(child.name, "")))
    return text


def _plain(node: Node) -> str:
    return "".join(child if isinstance(child, str) else _plain(child) for child in node.children)
