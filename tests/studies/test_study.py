"""What a study from Python refuses."""

from pathlib import Path
from typing import Any, cast

import pytest

from parley.catalogue import Providers
from parley.client import Parley
from parley.errors import RequestError
from studies.study import Study
from tests.fakes.server import settings_in
from tests.fakes.study_files import QUESTIONS, STUDY


def unconnected(home: Path) -> Parley:
    """A client of an installation in ``home``, which has no connection to use."""
    settings = settings_in(home)
    return Parley(cast("Any", None), settings, Providers.of(settings))


@pytest.fixture
def opened(tmp_path: Path) -> Study:
    """A small study of a client without a connection."""
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    return Study(unconnected(tmp_path), tmp_path / "study.toml")


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
    with pytest.raises(RequestError, match=told):
        Study(unconnected(tmp_path), path)


@pytest.mark.parametrize("given", ["baseline", "metric", "score", "over_repeats"])
async def test_a_comparison_by_what_is_no_name_is_refused(opened: Study, given: str) -> None:
    """A wrong type is named in the project's own error."""
    unusable: dict[str, Any] = {given: 5}

    with pytest.raises(RequestError, match="'5' cannot be used: what is compared"):
        await opened.compare(**unusable)


def test_a_study_is_followed_with_no_pause_below_zero(opened: Study) -> None:
    """The seconds between two looks are a number from 0 on, and another value is named before the first look."""
    with pytest.raises(RequestError, match="'-1' cannot be used: every is a number"):
        opened.follow(every=-1)


def test_a_study_without_a_connection_is_refused(tmp_path: Path) -> None:
    """The connection says of which installation the study is."""
    with pytest.raises(RequestError, match=r"a study is of a connection, await Parley.connect\(\)"):
        Study(cast("Any", None), tmp_path / "study.toml")
