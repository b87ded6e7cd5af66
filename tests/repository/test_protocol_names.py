import ast
from collections.abc import Iterator

import pytest

from parley.specs import PROTOCOLS
from tests.repository.sources import PACKAGES, listed, modules, nodes, parsed, shown
from workflows.by_protocol import module_name, wire_name

NAMES = frozenset(spelling for name in PROTOCOLS for spelling in (name, module_name(name), wire_name(name)))
PRESETS = frozenset(PROTOCOLS.presets)

MAY_NAME = {
    "parley/specs/__init__.py": "the table of protocols and of their presets",
    "protocols/starting.py": "an example of the short object for each workflow type with another key than question",
    "workflows/type_names.py": "workflows import no specification; a test compares the two",
    "ledger/call_rows.py": "a consensus has a second table (seed 004, Database Tracking)",
    "ledger/patterns.py": "a fire circle has the pattern bank (seed 000, section 11.2)",
    "studies/screening": "screening is a fire circle or its baseline",
    "studies/validation": "the seed's checks are a fire circle beside its baselines",
    "starter/commands/validate.py": "the command of these checks",
    "starter/views/validation.py": "their view",
    "rehearsal": "its models recognise a protocol by its prompts",
}
"""File or folder, and why it names a protocol."""


def named_in(tree: ast.Module, names: frozenset[str] = NAMES) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comparison, case, key or argument that is the name of a protocol."""
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and node.value in names:
            yield node.lineno, str(node.value)


def belongs(place: str, name: str) -> bool:
    """Return whether a file at ``place`` may name the protocol: its own files, and those of ``MAY_NAME``."""
    own = next(module_name(each) for each in PROTOCOLS if name in {each, module_name(each), wire_name(each)})
    if any(
        place.startswith((f"protocols/{module_name(each)}/", f"workflows/{module_name(each)}")) for each in PROTOCOLS
    ):
        return True  # a word of one protocol may be the name of another: a debate has a vote and a consensus
    return place.startswith((f"parley/specs/{own}", "parley/options/", *MAY_NAME))


def test_a_protocol_is_named_in_its_own_files_alone() -> None:
    """What differs between protocols is read from their specifications, so that no other file names one."""
    places = [path for path in modules(*PACKAGES) if not shown(path).startswith(("tests/", "bench/", "docs/"))]
    found = [
        f"{shown(path)}:{line} {name}"
        for path in places
        for line, name in named_in(parsed(path))
        if not belongs(shown(path), name)
    ]

    assert not found, listed(found)


@pytest.mark.parametrize("place", MAY_NAME)
def test_every_exception_is_needed(place: str) -> None:
    """A place that names no protocol any more is taken off the list."""
    assert any(True for path in modules(place) for _ in named_in(parsed(path), NAMES | PRESETS))


@pytest.mark.parametrize("line", ['x == "debate"', 'f(mode="fire_circle")', '{"Council": 1}'])
def test_a_name_is_seen(line: str) -> None:
    """The check itself notices a name in any of its spellings."""
    assert [*named_in(ast.parse(line))]
    assert not belongs("report/study.py", "debate")
    assert belongs("workflows/debate_rounds.py", "debate")
