from pathlib import Path

import pytest

from tests.repository.shared_ids import TestFile as FileOfTests
from tests.repository.shared_ids import test_files as files_below
from tests.repository.shared_ids import used_twice
from tests.repository.sources import ROOT, listed

CONFTEST = """
@pytest.fixture(scope="session")
async def real(tmp_path_factory) -> AsyncIterator[RunningServer]: ...

@pytest.fixture
async def parley(real: RunningServer) -> Parley: ...
"""
OWN = """
@pytest.fixture(scope="module")
async def parley() -> AsyncIterator[Parley]: ...
"""
ONE = 'async def test_one(parley):\n    await parley.council("Why?", id="sky")\n'
HELPER = "def asked(parley, study): ...\n"
SECOND = {
    "a keyword": 'async def test_two(parley):\n    await parley.council("Why?", id="sky")',
    "an option": 'def test_two(parley):\n    run("council", "--id", "sky")',
    "an option in a list": 'def test_two(parley):\n    run([*WORDS, "--id", "sky"])',
    "the parameter of a function": f'{HELPER}def test_two(parley):\n    asked(parley, "sky")',
    "a function that is called": 'def asked(): start(id="sky")\n\ndef test_two(parley):\n    asked()',
    "a fixture of a fixture": '@pytest.fixture\ndef limits(parley): ...\n\ndef test_two(limits):\n    start(id="sky")',
    "a method": 'class TestTwo:\n    def test_two(self, parley):\n        start(new_id="sky")',
}


@pytest.fixture(scope="module")
def own_files() -> list[FileOfTests]:
    """The tests of this project, read once."""
    return files_below(ROOT / "tests")


def complaints(folder: Path, **files: str) -> list[str]:
    """Write ``files`` below ``folder`` with the fixtures of a shared server, and return what is found."""
    (folder / "conftest.py").write_text(CONFTEST)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return used_twice(files_below(folder))


def test_no_id_is_used_by_two_tests_on_one_server(own_files: list[FileOfTests]) -> None:
    """A deliberation or a study of one test is never found by another one, in whatever order they run."""
    found = used_twice(own_files)

    assert not found, listed(found)


def test_the_tests_on_the_shared_server_are_found(own_files: list[FileOfTests]) -> None:
    """The search sees the server behind the fixtures of every folder that uses it."""
    places = {
        file.path.parent.name
        for file in own_files
        if any("real_parley_server" in file.servers(function) for function in file.functions.values())
    }

    assert places == {"parley", "starter", "studies", "screening", "e2e"}


@pytest.mark.parametrize("second", SECOND.values(), ids=SECOND)
def test_an_id_of_two_tests_is_reported(tmp_path: Path, second: str) -> None:
    """However the second test writes it, the complaint names the id and both tests."""
    found = complaints(tmp_path, test_first=ONE, test_second=second)

    assert found == ["'sky' on real: test_first.py::test_one, test_second.py::test_two"]


def test_a_test_with_parameters_is_several(tmp_path: Path) -> None:
    """Each of its cases would find the deliberation of the case before it."""
    found = complaints(tmp_path, test_first=f'@pytest.mark.parametrize("n", [1, 2])\n{ONE}')

    assert found == ["'sky' on real: test_first.py::test_one"]


def test_ids_on_servers_of_two_files_may_be_the_same(tmp_path: Path) -> None:
    """A file with a server of its own is alone with it; within the file the rule holds."""
    twice = OWN + ONE + SECOND["a keyword"]

    assert complaints(tmp_path, test_first=OWN + ONE, test_second=OWN + ONE) == []
    assert [True] == ["test_one, " in one for one in complaints(tmp_path, test_first=OWN + ONE, test_second=twice)]
