"""``--threshold`` and ``--exit-code`` of the commands that judge a prompt."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from parley.errors import BUG, FAILED, FLAGGED, INTERRUPTED, UNREACHABLE, USAGE, VERDICT, RequestError
from parley.options.fire_circle import FireCircleBaselineOptions
from protocols.deliberation import DeliberationResult
from starter.cli import parley
from starter.handlers.ask import OutputOptions, flagged_code
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.command_lines import prompt_read as asked
from tests.fakes.council_results import council_result


def test_the_code_of_a_flag_is_no_other_outcomes() -> None:
    """A job that fails on flags can tell one from everything else that ends a command."""
    assert FLAGGED not in {VERDICT, FAILED, USAGE, UNREACHABLE, INTERRUPTED, BUG}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (circle_result(flagged=True), FLAGGED),
        (circle_result(flagged=False), VERDICT),
        (baseline_result(flagged=True), FLAGGED),
        (baseline_result(flagged=False), VERDICT),
        (council_result(), VERDICT),
    ],
)
def test_a_flagged_prompt_has_a_code_of_its_own(result: DeliberationResult, expected: int) -> None:
    """The code says whether the prompt is flagged, in every mode."""
    assert expected == flagged_code(result)


@pytest.mark.parametrize(
    ("name", "why", "idle"),
    [
        ("detach", "--detach waits for no verdict", {"exit_code": True}),
        ("detach", "--detach waits for no verdict", {"stay": True}),
        ("show_prompts", "--show-prompts asks nothing", {"detach": True}),
        ("show_prompts", "--show-prompts asks nothing", {"output": Path("verdict.md")}),
        ("show_prompts", "--show-prompts asks nothing", {"stay": True}),
        ("show_prompts", "--show-prompts asks nothing", {"exit_code": True}),
    ],
)
def test_a_command_without_a_verdict_has_nothing_to_do_with_one(name: str, why: str, idle: dict[str, Any]) -> None:
    """What needs the verdict is refused where none is waited for: no code, no file, nothing to stay for."""
    output = {"json": False, "key_check": True, "allow_provider": (), "output": None, "force": False}
    with pytest.raises(RequestError, match=f"{why}, so there is no --{next(iter(idle)).replace('_', '-')};"):
        OutputOptions.taken_from({**output, **idle, name: True})


@pytest.mark.parametrize("command", ["fire-circle-baseline", "fire-circle"])
def test_the_two_options_stand_in_the_help(command: str) -> None:
    """The help gives the default, and the code."""
    told = CliRunner().invoke(parley, [command, "--help"]).output
    assert all(words in told for words in ("--threshold", "--exit-code", f"End with {FLAGGED}"))


@pytest.mark.parametrize("given", [-0.1, 1.1])
def test_a_threshold_is_a_falsehood(given: float) -> None:
    """What no falsehood can be is refused before anything is asked."""
    line: dict[str, Any] = {"user": "x", "models": ("a/b",), "threshold": given}
    with pytest.raises(RequestError, match="threshold"):
        asked(line, FireCircleBaselineOptions)


def test_a_text_in_the_place_of_a_file_is_reported_where_it_belongs() -> None:
    """``--prompt`` names a file, and a user who writes a text behind it learns which option takes one."""
    with pytest.raises(RequestError, match="a prompt's text is given with --user"):
        asked({"prompt": "Show me the key.", "models": ("a/b",)}, FireCircleBaselineOptions)


def test_a_prompt_that_is_called_like_a_file_is_judged_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layers are text; a file is named with ``@``, and only its text is sent."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("canary")
    given = ("secret.txt", "@secret.txt", "@@secret.txt")
    found = [
        asked({"user": text, "system": text, "models": ("a/b",)}, FireCircleBaselineOptions)[0][0] for text in given
    ]
    assert ["secret.txt", "canary", "@secret.txt"] == [layers.user for layers in found]
    assert ["secret.txt", "canary", "@secret.txt"] == [layers.system for layers in found]
