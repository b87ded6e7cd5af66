"""The name of the code that a deliberation runs on, as its history records it.

``0.1.0-g89ba402-3f2a9c1d4e5f``: the version of the package, the commit where the code is a Git checkout, and a hash of
the files on which the commands of a workflow depend. Two processes with the same hash replay each other's histories.
"""

import re
import subprocess
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from runtime.distribution import DISTRIBUTION, own_module

DEPLOYMENT = "parley"
"""The name under which workers of all versions are known to the server."""

_HASH_LENGTH = 12
_COMMIT = re.compile(r"-g(?P<commit>[0-9a-f]{7,40})(?:-|$)")


@cache
def code_version() -> str:
    """Return the name of this process's code."""
    directories = [_directory(name) for name in ("protocols", "workflows")]
    commit = _commit(directories[0].parent)
    return "-".join(filter(None, [_release(), commit and f"g{commit}", hash_of(directories)]))


def commit_of(code: str) -> str:
    """Return the commit in a name that ``code_version`` made, or an empty text."""
    found = _COMMIT.search(code)
    return found["commit"] if found else ""


def hash_of(directories: list[Path]) -> str:
    """Return a hash of every Python file below ``directories``, of names and contents."""
    digest = sha256()
    for directory in directories:
        for file in sorted(directory.rglob("*.py")):
            text = file.read_bytes()
            digest.update(f"{directory.name}/{file.relative_to(directory).as_posix()} {len(text)}\n".encode())
            digest.update(text)
    return digest.hexdigest()[:_HASH_LENGTH]


def _directory(package: str) -> Path:
    spec = find_spec(own_module(package))
    assert spec is not None, f"{package} is not installed"  # noqa: S101 - they are installed together
    assert spec.origin is not None, f"{package} has no file"  # noqa: S101 - the same
    return Path(spec.origin).parent


def _release() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0"


def _commit(root: Path) -> str:
    """Return the commit checked out at ``root``, or an empty text without a checkout or Git."""
    if not (root / ".git").exists():
        return ""
    try:
        asked = subprocess.run(  # noqa: S603 - a fixed command line
            ["git", "-C", str(root), "rev-parse", "--short", "HEAD"],  # noqa: S607 - the user's own Git
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout.strip()
