"""How the words of ``parley council`` and its files become what is asked."""

import io
from pathlib import Path
from typing import Any

import pytest

from starter.commands.council import asked
from starter.errors import RequestError


def test_command_line_wins_over_the_file(tmp_path: Path) -> None:
    """An option given on the command line replaces the file's; the others stay."""
    (tmp_path / "c.toml").write_text('models = ["a", "b"]\nchair = "c"\nquestion = "From the file?"')
    question, options = asked({"question": "Why?", "config": str(tmp_path / "c.toml"), "chair": "d", "models": ()})
    assert (question, options.models, options.chair) == ("Why?", ("a", "b"), "d")


def test_switch_can_be_turned_off_again(tmp_path: Path) -> None:
    """``--no-final-only`` undoes ``final_only = true`` of the file."""
    (tmp_path / "c.toml").write_text("final_only = true")
    assert not asked({"question": "Why?", "config": str(tmp_path / "c.toml"), "final_only": False})[1].final_only


def test_misspelt_key_of_the_file_is_refused(tmp_path: Path) -> None:
    """A key that is no option is an error, not silence."""
    (tmp_path / "c.toml").write_text("modles = ['a']")
    with pytest.raises(RequestError, match="'models'"):
        asked({"question": "Why?", "config": str(tmp_path / "c.toml")})


@pytest.mark.parametrize("given", [{"question": "-"}, {"file": "-"}])
def test_hyphen_reads_standard_input(monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]) -> None:
    """``-`` in place of the question, or of its file, reads standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Why?\n")))
    assert asked(given)[0] == "Why?\n"
