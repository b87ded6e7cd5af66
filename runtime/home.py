"""The directory of an installation, readable by its owner only.

The home is the nearest ``.parley`` at or above the working directory that belongs to this user; one that another user
put into a directory that both can write to is passed over. Without one it is the user's data directory. ``PARLEY_HOME``
names another.

Prompts, answers and logs are there in clear, so it has mode 0700 and its files 0600, whatever the umask is.
"""

import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

NAME: Final = ".parley"
PRIVATE_UMASK: Final = 0o077
"""For a process of which nothing is written but into the home."""

_DIRECTORY = 0o700
_FILE = 0o600


def default_home() -> Path:
    """Return the home of a process for which none is named."""
    try:
        present = Path.cwd()
    except FileNotFoundError:  # it was removed
        present = Path("/")
    candidates = (directory / NAME for directory in (present, *present.parents))
    return next(filter(_is_ours, candidates), user_data_path("parley", appauthor=False))


def agreements_file() -> Path:
    """Return the file of the provider addresses to which this user agreed.

    It is never in a home that was found at a working directory: such a home may have come with the directory.
    """
    return user_data_path("parley", appauthor=False) / "agreed-providers.json"


def make_private_directory(path: Path) -> None:
    """Make a directory for its owner's eyes only, with its parents; one that is there stays as it is."""
    path.mkdir(mode=_DIRECTORY, parents=True, exist_ok=True)


def open_to_append(path: Path) -> int:
    """Open a file for its owner's eyes only, so that lines are added at its end; return the handle."""
    make_private_directory(path.parent)
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _FILE)


def write_private(path: Path, text: Callable[[], str]) -> None:
    """Write a file atomically, readable by its owner only; other writers of it wait, from before ``text`` is called."""
    draft, is_ours = path.with_name(f"{path.name}.new"), False
    while not is_ours:
        with os.fdopen(open_to_append(draft), "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):  # the writer before us has moved the draft to its place
                is_ours = os.path.samestat(draft.stat(), os.fstat(file.fileno()))
            if is_ours:
                os.ftruncate(file.fileno(), 0)  # it may be of a writer that was killed
                file.write(text())
                file.flush()
                draft.replace(path)


def tighten(home: Path) -> tuple[Path, ...]:
    """Take every other user's rights from an existing home and the files in it; return what could not be changed.

    Directories below the home are closed by the home itself.
    """
    return tuple(path for path in _loose(home) if not _closed(path))


def loose_paths(home: Path) -> tuple[Path, ...]:
    """Return the home and its direct children with permissions of other users."""
    return tuple(_loose(home))


def _is_ours(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _loose(home: Path) -> Iterator[Path]:
    try:
        entries = [home, *home.iterdir()]
    except OSError:
        return
    for path in entries:
        try:
            found = path.lstat()
        except FileNotFoundError:  # a process that ends removes its notes
            continue
        if not stat.S_ISLNK(found.st_mode) and stat.S_IMODE(found.st_mode) & PRIVATE_UMASK:
            yield path


def _closed(path: Path) -> bool:
    try:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~PRIVATE_UMASK)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
