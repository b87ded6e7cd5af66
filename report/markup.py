"""HTML and SVG as values: each element escapes its own text.

``el("p", "1 < 2")`` is ``<p>1 &lt; 2</p>``. Only what an element made is ``Markup``; any other text is data.
"""

from collections.abc import Iterable
from html import escape

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
    if name in _VOID:
        return Markup(opened)
    return Markup(f"{opened}{join(children)}</{name}>")


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
