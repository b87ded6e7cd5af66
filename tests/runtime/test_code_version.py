"""The name of the code."""

import re
from pathlib import Path

from runtime.code_version import code_version, commit_of, hash_of


def test_the_hash_follows_names_and_contents(tmp_path: Path) -> None:
    """Another content or another name is another code; what is no Python file does not count."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "a.py").write_text("x = 1\n")
    first = hash_of([package])
    (package / "notes.txt").write_text("nothing\n")
    assert first == hash_of([package])

    (package / "a.py").write_text("x = 2\n")
    second = hash_of([package])
    (package / "a.py").rename(package / "b.py")
    assert len({first, second, hash_of([package])}) == 3


def test_the_name_states_release_commit_and_hash() -> None:
    """A name can be in a search filter, and the commit is read from it where it has one."""
    assert re.fullmatch(r"[\w.]+(-g[0-9a-f]{7,40})?-[0-9a-f]{12}", code_version())
    assert commit_of("0.1.0-g89ba402-3f2a9c1d4e5f") == "89ba402"
    assert commit_of("0.1.0-3f2a9c1d4e5f") == ""
