"""How the words of a command that asks, and its files, become what is asked."""

import io
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from parley.errors import INTERRUPTED, USAGE, RequestError
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from starter.cli import parley
from tests.fakes.command_lines import question_read as asked


def test_command_line_wins_over_the_file(tmp_path: Path) -> None:
    """An option given on the command line replaces the file's; the others stay."""
    (tmp_path / "c.toml").write_text('models = ["a", "b"]\nchair = "c"\nquestion = "From the file?"')
    given = {"question": "Why?", "config": str(tmp_path / "c.toml"), "chair": "d", "models": ()}
    question, options = asked(given, CouncilOptions)
    assert (question, options.models, options.chair) == ("Why?", ("a", "b"), "d")


def test_switch_can_be_turned_off_again(tmp_path: Path) -> None:
    """``--no-final-only`` undoes ``final_only = true`` of the file."""
    (tmp_path / "c.toml").write_text("final_only = true")
    given = {"question": "Why?", "config": str(tmp_path / "c.toml"), "final_only": False}
    assert not asked(given, CouncilOptions)[1].final_only


def test_misspelt_key_of_the_file_is_refused(tmp_path: Path) -> None:
    """A key that is no option is an error, not silence."""
    (tmp_path / "c.toml").write_text("modles = ['a']")
    with pytest.raises(RequestError, match="'models'"):
        asked({"question": "Why?", "config": str(tmp_path / "c.toml")}, CouncilOptions)


def test_missing_question_is_reported_with_the_command() -> None:
    """A user who forgets the question is shown how the command is written that was meant."""
    with pytest.raises(RequestError, match="parley consensus "):
        asked({}, ConsensusOptions)


def test_file_of_a_debate_holds_all_its_options(tmp_path: Path) -> None:
    """Lists, durations and switches of a debate are written in its file as on the command line."""
    (tmp_path / "d.toml").write_text(
        'mode = "delphi"\nagents = ["a", "b"]\nfocus = ["Shops?", ""]\nhigh_stakes = ["medical-legal"]\n'
        'escalation_timeout = "15m"\nsynthesiser_fallbacks = []\nquestion = "Why?"'
    )
    question, options = asked({"config": str(tmp_path / "d.toml"), "focus": ("Buses?",), "agents": ()}, DebateOptions)
    assert ("Why?", "delphi", ("a", "b"), ("Buses?",)) == (question, options.mode, options.agents, options.focus)
    assert (("medical_legal",), 900, ()) == (
        options.high_stakes,
        options.escalation_timeout,
        options.synthesiser_fallbacks,
    )


@pytest.mark.parametrize("given", [{"question": "-"}, {"file": "-"}])
def test_hyphen_reads_standard_input(monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]) -> None:
    """``-`` in place of the question, or of its file, reads standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Why?\n")))
    assert asked(given, CouncilOptions)[0] == "Why?\n"


def test_standard_input_that_was_read_is_named() -> None:
    """Where an option before the question took standard input, the question that is missing says so."""
    done = CliRunner().invoke(parley, ["council", "-", "--system", "-", "--rehearse"], input="Be brief.")

    assert (USAGE, "parley: standard input is empty, or another option read it.") == (
        done.exit_code,
        done.stderr.partition(" Write")[0],
    )


@pytest.mark.parametrize(
    "arguments", [["council", "-"], ["estimate", "council", "-"], ["screen", "-", "--format", "txt"]]
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait_for_standard_input(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], number: signal.Signals
) -> None:
    """What a user types is read while the event loop does not run; Ctrl-C ends the command all the same."""

    def typed(_path: str) -> str:
        os.kill(os.getpid(), number)
        time.sleep(5)
        raise AssertionError("it waited on")

    for module in ("parley.questions", "studies.screening.files"):
        monkeypatch.setattr(f"{module}.read_question", typed)
    done = CliRunner().invoke(parley, arguments)

    assert (INTERRUPTED, "") == (done.exit_code, done.stderr)


def test_a_question_is_text_or_a_file_behind_an_at_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that is called like a file is the question; ``@file`` is the file's text; ``@@`` is one ``@``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "why.txt").write_text("Why is the sky blue?")
    given = ("why.txt", "@why.txt", "@@why.txt")
    expected = ("why.txt", "Why is the sky blue?", "@why.txt")
    assert expected == tuple(asked({"question": words}, CouncilOptions)[0] for words in given)


def test_a_question_in_a_configuration_file_is_read_by_the_same_rule(tmp_path: Path) -> None:
    """``@file`` in a configuration file is seen from its directory; other text is text."""
    (tmp_path / "why.txt").write_text("Why is the sky blue?")
    config = tmp_path / "c.toml"
    config.write_text('question = "@why.txt"')
    assert "Why is the sky blue?" == asked({"config": str(config)}, CouncilOptions)[0]
    config.write_text('question = "why.txt"')
    assert "why.txt" == asked({"config": str(config)}, CouncilOptions)[0]
