"""HTML and SVG as values: each element escapes its own text.

``el("p", "1 < 2")`` is ``<p>1 &lt; 2</p>``. Only what an element made is ``Markup``; any other text is data.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from protocols.markdown_text import Child, tree
from protocols.visible_text import printable

_VOID = frozenset({"br", "hr", "input", "link", "meta"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def el(name: str, /, *children: object, **attributes: object) -> Markup:
    """Return an element.

    Args:
        name: Its name, from the code and never from data.
        children: Text is escaped, ``Markup`` is kept, sequences are joined, ``None`` is left out.
        attributes: ``class_`` is ``class``, ``stroke_width`` is ``stroke-width``; ``None`` and ``False`` are left out
            and ``True`` is the bare name.
    """
    opened = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Markup(opened if name in _VOID else f"{opened}{join(children)}</{name}>")


def join(children: Iterable[object]) -> Markup:
    """Join children end to end, text among them escaped."""
    return Markup("".join(_child(child) for child in children))


def _child(child: object) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return str(child)
    if isinstance(child, list | tuple):
        return join(child)
    return escape(printable(str(child)), quote=False)


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(printable(str(value)))}"'


_CLASSES = {"url": "url", "plain": "said"}
"""Elements of the tree that are no elements of HTML, and the class under which they are shown."""


def rendered(text: str) -> Markup:
    """Return ``text`` as a box of elements."""
    return el("div", [_element(node) for node in tree(text)], class_="model-text")


def packed(text: str) -> list[Any]:
    """Return ``text`` as nested lists: a name, the first number of a numbered list when it is not 1, children."""
    return [_packed(node) for node in tree(text)]


def _element(child: Child) -> object:
    if isinstance(child, str):
        return child
    kind = _CLASSES.get(child.name)
    name = {"url": "span", "plain": "div"}.get(child.name, child.name)
    start = child.start if child.start != 1 else None
    return el(name, [_element(one) for one in child.children], class_=kind, start=start)


def _packed(child: Child) -> Any:
    if isinstance(child, str):
        return child
    start: Sequence[int] = (child.start,) if child.start != 1 else ()
    return [child.name, *start, *map(_packed, child.children)]
