"""What a study from Python refuses."""

from pathlib import Path
from typing import Any, cast

import pytest

from parley.catalogue import Providers
from parley.client import Parley
from parley.errors import RequestError
from studies.study import Study
from tests.fakes.server import settings_in


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (None, "'None' cannot be used: a study file is named by its path"),
        (5, "'5' cannot be used: a study file is named by its path"),
        (b"study.toml", "a study file is named by its path"),
        (Path("gone.toml"), "there is no file 'gone.toml'"),
        ("x" * 5000, "x…' cannot be read: File name too long"),
    ],
)
def test_what_is_no_study_file_is_refused(tmp_path: Path, path: Any, told: str) -> None:
    """A path is a text or a ``pathlib.Path``, and one that cannot be opened is named."""
    settings = settings_in(tmp_path)
    with pytest.raises(RequestError, match=told):
        Study(Parley(cast("Any", None), settings, Providers.of(settings)), path)


def test_a_study_without_a_connection_is_refused(tmp_path: Path) -> None:
    """The connection says of which installation the study is."""
    with pytest.raises(RequestError, match=r"a study is of a connection, await Parley.connect\(\)"):
        Study(cast("Any", None), tmp_path / "study.toml")
