"""The file that ``--output`` names."""

import os
from pathlib import Path

import pytest

from parley.errors import RequestError
from starter.handlers.show_result import check_output, write_verdict


def test_nothing_is_checked_when_no_file_is_named() -> None:
    """Without --output there is nothing to refuse."""
    check_output(None, force=False, detach=True)


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    """A file is replaced with --force only, and the refusal says so before anything is asked."""
    file = tmp_path / "verdict.md"
    file.write_text("mine")

    with pytest.raises(
        RequestError, match=r"verdict\.md' is there already; name another file, or replace it with --force"
    ):
        check_output(file, force=False, detach=False)
    check_output(file, force=True, detach=False)
    assert "mine" == file.read_text()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """A file in a folder that is not there is refused with the folder's name."""
    with pytest.raises(RequestError, match="nowhere' is no folder"):
        check_output(tmp_path / "nowhere" / "verdict.md", force=False, detach=False)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """The name of a folder is refused."""
    with pytest.raises(RequestError, match="is a folder"):
        check_output(tmp_path, force=True, detach=False)


def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    """With --force too, what is no file stays: /dev/null of a user who may do anything is such a place."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RequestError, match="is a device or a pipe, which a file would replace"):
        check_output(tmp_path / "pipe", force=True, detach=False)
    with pytest.raises(RequestError, match="is a device or a pipe"):
        write_verdict(tmp_path / "pipe", "Yes", force=True)
    assert (tmp_path / "pipe").is_fifo()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """A file that a link leads to is written, and the link is not replaced: /dev/stdout is one."""
    (tmp_path / "link.md").symlink_to(tmp_path / "verdict.md")
    write_verdict(tmp_path / "link.md", "Yes", force=False)
    write_verdict(tmp_path / "link.md", "No", force=True)
    assert ("No\n", True) == ((tmp_path / "verdict.md").read_text(), (tmp_path / "link.md").is_symlink())


def test_nobody_writes_what_nobody_waits_for(tmp_path: Path) -> None:
    """--detach and --output exclude each other."""
    with pytest.raises(RequestError, match="--detach waits for no verdict"):
        check_output(tmp_path / "verdict.md", force=False, detach=True)


def test_force_is_of_a_file() -> None:
    """--force without a file to replace is refused: who forgets --output learns it before anything is paid."""
    with pytest.raises(RequestError, match="--force replaces the file of --output, and none is named"):
        check_output(None, force=True, detach=False)


def test_the_verdict_is_written_as_text(tmp_path: Path) -> None:
    """The file holds the Markdown as the model wrote it, without hidden characters, and ends with a line feed."""
    file = tmp_path / "verdict.md"
    write_verdict(file, "# Yes\n\n- be\u200bcause\n\n", force=False)

    assert "# Yes\n\n- because\n" == file.read_text("utf-8")


def test_a_file_that_came_in_the_meantime_is_kept(tmp_path: Path) -> None:
    """What another program wrote while the models answered is not replaced."""
    file = tmp_path / "verdict.md"
    file.write_text("theirs")

    with pytest.raises(RequestError, match="is there already"):
        write_verdict(file, "ours", force=False)
    assert "theirs" == file.read_text()
