"""Patterns are compiled when they are first used, and are then those of the standard library."""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

import pytest

import protocols
from protocols.lazy_patterns import Compilations, lazy_pattern

_FEWEST = 500


def _patterns(value: object) -> Iterator[re.Pattern[str]]:
    if type(value) is type(lazy_pattern("")):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _patterns(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from _patterns(one)


def test_every_pattern_of_the_protocols_can_be_compiled() -> None:
    """A mistake in a table of patterns is found here, and not by the first reply that needs the pattern."""
    names = [module.name for module in walk_packages(protocols.__path__, "protocols.")]
    found = [pattern for name in names for pattern in _patterns(dict(vars(import_module(name))))]
    assert len(found) > _FEWEST
    assert all(re.compile(pattern.pattern, pattern.flags) for pattern in found)


def test_a_pattern_is_compiled_once_and_at_its_first_use() -> None:
    """Neither to make a pattern nor to read its text compiles it."""
    before = Compilations.ended
    pattern = lazy_pattern(r"(?P<word>never seen before \d)", re.IGNORECASE)
    assert pattern.pattern.endswith(")")
    assert before == Compilations.ended
    assert pattern.search("NEVER seen before 7")
    assert pattern.match("never") is None
    assert before + 1 == Compilations.ended


def test_a_pattern_has_what_a_compiled_one_has() -> None:
    """Each attribute of ``re.Pattern`` is there and equal, so that no reader notices the difference."""
    text = r"(?i)a(?P<rest>b*)"
    names = [name for name in dir(re.Pattern) if not name.startswith("_")]
    values = [name for name in names if not callable(getattr(re.Pattern, name))]
    lazy, compiled = lazy_pattern(text), re.compile(text)
    assert [getattr(compiled, name) for name in values] == [getattr(lazy, name) for name in values]
    assert all(callable(getattr(lazy, name)) for name in names if name not in values)
    assert lazy.sub("-", "xABBy") == compiled.sub("-", "xABBy") == "x-y"


def test_a_mistake_in_a_pattern_is_named_at_its_use() -> None:
    """The error is the one of ``re.compile``, each time."""
    wrong = lazy_pattern("(")
    for _ in range(2):
        with pytest.raises(re.error, match="unterminated"):
            wrong.search("x")
    assert not Compilations.is_on
