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


@pytest.mark.parametrize("given", ["baseline", "metric", "score", "over_repeats"])
async def test_a_comparison_by_what_is_no_name_is_refused(tmp_path: Path, given: str) -> None:
    """A wrong type is named in the project's own error; so is a pause between looks that is none."""
    settings = settings_in(tmp_path)
    (tmp_path / "q.csv").write_text("question\nWhy?\n")
    (tmp_path / "study.toml").write_text(
        'name = "x"\nrehearse = true\n[dataset]\npath = "q.csv"\n[[arms]]\nprotocol = "council"\n'
    )
    study = Study(Parley(cast("Any", None), settings, Providers.of(settings)), tmp_path / "study.toml")
    unusable: dict[str, Any] = {given: 5}

    with pytest.raises(RequestError, match="'5' cannot be used: what is compared"):
        await study.compare(**unusable)
    with pytest.raises(RequestError, match="'-1' cannot be used: every is a number"):
        study.follow(every=-1)


def test_a_study_without_a_connection_is_refused(tmp_path: Path) -> None:
    """The connection says of which installation the study is."""
    with pytest.raises(RequestError, match=r"a study is of a connection, await Parley.connect\(\)"):
        Study(cast("Any", None), tmp_path / "study.toml")
