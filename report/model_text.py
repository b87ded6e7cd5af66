"""The Markdown of a model in a report, as elements without links.

A page without a script gets markup. The table of a study gets the same tree packed as JSON, from which the page's own
script makes elements by name, so that no text is ever read as markup there either.
"""

from collections.abc import Sequence
from typing import Any

from protocols.markdown_text import Child, tree
from report.markup import Markup, el

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
