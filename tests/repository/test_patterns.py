"""Regular expressions that every supported Python matches in the same way."""

import re

from tests.repository.sources import PACKAGES, ROOT, listed, shown, texts

_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")
_SUFFIXES = {".py", ".toml"}


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5 keeps what the last, failed repetition has consumed: ``(?>(?:…)*)`` in place of ``(?:…)*+``.

    It is issue 106052 of CPython; a class of characters such as ``[^"]*+`` is matched right by all.
    """
    found = [
        f"{shown(path)}:{number}"
        for path, text in texts()
        if path.suffix in _SUFFIXES and path.relative_to(ROOT).parts[0] in PACKAGES
        for number, line in enumerate(text.splitlines(), 1)
        if _POSSESSIVE_GROUP.search(line)
    ]
    assert not found, listed(found)


def test_a_possessive_group_is_found() -> None:
    """Every quantifier is known, and neither a bracket in the text nor a repeated class is taken for one."""
    assert all(_POSSESSIVE_GROUP.search(f"(?:ab){one}+") for one in ("*", "+", "?", "{2,}", "{,2}", "{1,3}"))
    assert not any(_POSSESSIVE_GROUP.search(one) for one in (r"\)*+", "[ab]++", "a{2,3}+", "(?>(?:ab)*)"))
