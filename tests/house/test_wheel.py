import subprocess
import sys
import zipfile
from pathlib import Path

from tests.house.sources import FLOORS, ROOT

_DATA = {".toml", ".css", ".js", ".json", ".csv", ".txt", ".md"}


def test_the_wheel_holds_every_file_of_data(tmp_path: Path) -> None:
    """Whatever a package reads beside its modules is installed with it: panels, texts, styles."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as built:
        installed = set(built.namelist())
    beside = (
        path for floor in FLOORS if floor != "bench" for path in (ROOT / floor).rglob("*") if path.suffix in _DATA
    )
    expected = {path.relative_to(ROOT).as_posix() for path in beside if "__pycache__" not in path.parts}

    assert "activities/panels.toml" in expected
    assert expected <= installed
