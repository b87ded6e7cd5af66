"""Where an installation keeps everything, and who may read it."""

import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from runtime.blob_store import BlobStore
from runtime.file_locks import FileLock
from runtime.home import default_home, loose_paths, open_to_append, tighten, write_private


@pytest.fixture(autouse=True)
def wide_umask() -> object:
    """The usual umask, under which files are readable for everyone unless they state otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(root: Path) -> dict[str, int]:
    """The permissions of everything at and below ``root``."""
    return {str(path.relative_to(root)): stat.S_IMODE(path.stat().st_mode) for path in (root, *root.rglob("*"))}


def test_the_nearest_home_upward_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command in a folder below an installation's directory uses that installation, the nearest one first."""
    inner = tmp_path / "project" / "data" / "raw"
    inner.mkdir(parents=True)
    (tmp_path / ".parley").mkdir()
    (tmp_path / "project" / ".parley").mkdir()
    monkeypatch.chdir(inner)

    assert tmp_path / "project" / ".parley" == default_home()


def test_without_a_home_upward_each_user_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two directories without a home of their own share the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    found = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found.add(default_home())

    assert 1 == len(found)
    assert "parley" == found.pop().name


def test_a_directory_that_was_removed_has_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process whose working directory is gone has the home of its user."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    assert "parley" == default_home().name


def test_a_home_that_another_user_left_in_the_way_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a directory that several users write to, only a home of one's own counts; a file of the name never does."""
    shared, project = tmp_path / "shared", tmp_path / "shared" / "project"
    (shared / ".parley").mkdir(parents=True)
    project.mkdir()
    (project / ".parley").write_text("no directory")
    monkeypatch.chdir(project)
    before = default_home()
    monkeypatch.setattr("os.getuid", lambda: shared.stat().st_uid + 1)

    assert shared / ".parley" == before
    assert shared / ".parley" != default_home()


def test_what_is_made_in_a_home_is_closed_to_others(tmp_path: Path) -> None:
    """Logs, notes, locks and blobs are for the owner's eyes only, and so is the home that the first of them makes."""
    home = tmp_path / "home"
    os.close(open_to_append(home / "worker.log"))
    write_private(home / "server.json", lambda: "{}")
    lock = FileLock(home / "server.lock")
    lock.take()
    lock.let_go()
    BlobStore(home / "blobs").put(b"text")

    assert {0o700, 0o600} == set(modes(home).values())
    assert {0o600} == {mode for name, mode in modes(home).items() if (home / name).is_file()}


def test_a_loose_home_is_tightened(tmp_path: Path) -> None:
    """A home of an earlier version is closed, with what is directly in it, and nothing else is changed."""
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    (home / "temporal.db").write_text("")
    (home / "blobs").mkdir()
    (home / "run").write_text("")
    (home / "run").chmod(0o755)
    before = set(loose_paths(home))

    assert {home, *home.iterdir()} == before
    assert () == tighten(home)
    assert () == loose_paths(home)
    assert {".": 0o700, "temporal.db": 0o600, "blobs": 0o700, "run": 0o700} == modes(home)


def test_what_cannot_be_tightened_is_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of another owner in the home stays as it is, and its path is reported."""
    (tmp_path / "theirs").write_text("")
    tmp_path.chmod(0o700)

    def refuse(self: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(self))

    monkeypatch.setattr(Path, "chmod", refuse)

    assert (tmp_path / "theirs",) == tighten(tmp_path)


def test_a_home_that_does_not_exist_is_not_made_by_looking(tmp_path: Path) -> None:
    """Tightening is no reason to make a home."""
    assert () == tighten(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_writers_of_one_file_never_mix_their_texts(tmp_path: Path) -> None:
    """Each waits for the others, and a reader finds the text of one of them."""
    file, texts = tmp_path / "list.json", [letter * 200_000 * n for n, letter in enumerate("ab", 1)]
    with ThreadPoolExecutor(2) as threads:
        writes = [threads.submit(write_private, file, partial(str, text)) for text in texts * 50]
        seen = {file.read_text() for write in writes if write.result() is None}

    assert seen <= set(texts)
    assert [file] == list(tmp_path.iterdir())


_KILLED = """
import os, pathlib, signal, sys
from runtime.home import write_private
write_private(pathlib.Path(sys.argv[1]), lambda: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_a_killed_writer_leaves_nothing_that_stays(tmp_path: Path) -> None:
    """Its draft keeps no other writer waiting, nor does that of one that failed, and the next one uses it up."""
    file = tmp_path / "list.json"
    done = subprocess.run([sys.executable, "-c", _KILLED, str(file)], check=False)
    left = list(tmp_path.iterdir())
    with pytest.raises(UnicodeEncodeError):
        write_private(file, lambda: "\ud800")
    write_private(file, lambda: "whole")

    assert (-signal.SIGKILL, 1) == (done.returncode, len(left))
    assert ([file], "whole") == (list(tmp_path.iterdir()), file.read_text())
