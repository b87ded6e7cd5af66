"""Regular expressions that every supported Python matches in the same way, and that are soon compiled."""

import re

from tests.repository.sources import PACKAGES, ROOT, listed, shown, texts

_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")
_LONG_CLASS = re.compile(r"""\bpattern=r?["'].*(?:\\[wds]|\[[^]]*\\[wds][^]]*\])\{\d*,?\d{2,}\}""", re.IGNORECASE)
_SUFFIXES = {".py", ".toml"}


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    """The lines of the packages in which ``pattern`` is found."""
    return [
        f"{shown(path)}:{number}"
        for path, text in texts()
        if path.suffix in _SUFFIXES and path.relative_to(ROOT).parts[0] in PACKAGES and pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5 keeps what the last, failed repetition has consumed: ``(?>(?:…)*)`` in place of ``(?:…)*+``.

    It is issue 106052 of CPython; a class of characters such as ``[^"]*+`` is matched right by all.
    """
    found = lines_with(_POSSESSIVE_GROUP)
    assert not found, listed(found)


def test_a_possessive_group_is_found() -> None:
    """Every quantifier is known, and neither a bracket in the text nor a repeated class is taken for one."""
    assert all(_POSSESSIVE_GROUP.search(f"(?:ab){one}+") for one in ("*", "+", "?", "{2,}", "{,2}", "{1,3}"))
    assert not any(_POSSESSIVE_GROUP.search(one) for one in (r"\)*+", "[ab]++", "a{2,3}+", "(?>(?:ab)*)"))


def test_no_field_repeats_a_class_of_all_scripts_many_times() -> None:
    """Such a pattern of a field takes tens of milliseconds at every start: ``max_length`` limits the text as well."""
    found = lines_with(_LONG_CLASS)
    assert not found, listed(found)


def test_a_long_class_is_found() -> None:
    """A class of all scripts alone or among others is found; one of ASCII, or repeated a few times, is left."""
    assert all(
        _LONG_CLASS.search(f'Field(pattern=r"^a{one}$")') for one in (r"[\w./-]{0,99}", r"\d{12}", r"[^\s]{2,40}")
    )
    assert not any(_LONG_CLASS.search(f'Field(pattern=r"^a{one}$")') for one in ("[a-z]{0,62}", r"\d{1,5}", r"\w*"))
