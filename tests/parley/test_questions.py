"""Reading what a user wrote down (S14)."""

from pathlib import Path

import pytest

from parley.errors import RequestError
from parley.questions import LARGEST, read_config, read_question


def config(folder: Path, text: str) -> str:
    """A configuration file in ``folder``."""
    folder.mkdir(exist_ok=True)
    path = folder / "council.toml"
    path.write_text(text)
    return str(path)


def test_question_file_is_read_as_text(tmp_path: Path) -> None:
    """A question is the text of its file, without a byte order mark."""
    (tmp_path / "q.md").write_bytes(b"\xef\xbb\xbfWhy?\n")
    assert read_question(str(tmp_path / "q.md")) == "Why?\n"


@pytest.mark.parametrize("path", ["missing.txt", ".", "/dev/zero", "a\0b"])
def test_what_is_no_regular_file_is_refused(path: str) -> None:
    """A missing file, a directory, a device and an impossible name are refused, never waited for."""
    with pytest.raises(RequestError):
        read_question(path)


def test_a_directory_is_named_with_the_remedy(tmp_path: Path) -> None:
    """A directory in place of a file is called one, and the message says to name a file in it."""
    with pytest.raises(RequestError, match="is a directory; name a file in it"):
        read_question(str(tmp_path))


def test_file_too_large_is_refused(tmp_path: Path) -> None:
    """One byte above the limit is refused."""
    (tmp_path / "q.txt").write_bytes(b"x" * (LARGEST + 1))
    with pytest.raises(RequestError, match="larger"):
        read_question(str(tmp_path / "q.txt"))


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are refused."""
    (tmp_path / "q.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(RequestError, match="is not UTF-8 text; save it as UTF-8"):
        read_question(str(tmp_path / "q.txt"))


def test_config_brings_the_question_of_its_file(tmp_path: Path) -> None:
    """``file`` in a configuration file becomes the text of the file beside it."""
    (tmp_path / "q.md").write_text("Why?")
    assert read_config(config(tmp_path, 'file = "q.md"\nseed = 1')) == {"question": "Why?", "seed": 1}


@pytest.mark.parametrize("named", ["../secret.txt", "/etc/hostname", "sub/../../secret.txt", "link.txt", "a\\u0000b"])
def test_config_cannot_lead_out_of_its_directory(tmp_path: Path, named: str) -> None:
    """``file`` may not name anything outside the configuration file's directory, links included."""
    (tmp_path / "secret.txt").write_text("secret")
    path = config(tmp_path / "given", f'file = "{named}"')
    (tmp_path / "given" / "sub").mkdir()
    (tmp_path / "given" / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(RequestError):
        read_config(path)


def test_a_path_in_a_config_is_seen_from_its_directory(tmp_path: Path) -> None:
    """A key that ends in ``_path`` comes back as the whole path of the file beside the configuration file."""
    (tmp_path / "q.md").write_text("Why?")
    told = read_config(config(tmp_path, 'chair_path = "q.md"'))
    assert {"chair_path": str((tmp_path / "q.md").resolve())} == told


def test_a_path_in_a_config_cannot_lead_out_either(tmp_path: Path) -> None:
    """What holds for ``file`` holds for every path: nothing outside the configuration file's directory."""
    (tmp_path / "secret.txt").write_text("secret")
    path = config(tmp_path / "given", 'chair_path = "../secret.txt"')
    with pytest.raises(RequestError, match=r"'chair_path' is .* leads out of"):
        read_config(path)


def test_config_names_only_text_files(tmp_path: Path) -> None:
    """``file`` with the suffix of something that is no question is refused."""
    (tmp_path / "keys.env").write_text("KEY=1")
    with pytest.raises(RequestError, match="only"):
        read_config(config(tmp_path, 'file = "keys.env"'))


@pytest.mark.parametrize("text", ["seed = ", 'question = "a"\nfile = "b"', "file = 7"])
def test_config_that_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    """Broken TOML, two questions, and a name that is none are refused with the reason."""
    with pytest.raises(RequestError):
        read_config(config(tmp_path, text))
