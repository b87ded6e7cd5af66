"""``parley screen``: what it refuses before anything starts."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from parley import errors
from starter.cli import parley


def invoke(*arguments: str, written: str | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(parley, ["screen", *arguments], input=written)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["missing.jsonl"], "there is no file"),
        (["missing"], "there is no file"),
        (["some.md"], "the name does not say the format"),
        (["-"], "the name does not say the format"),
        (["some.jsonl", "--text-column", "other"], "'other' is missing"),
        (["some.jsonl", "--threshold", "1.1"], "threshold"),
        (["some.jsonl", "--window", "0"], "--window"),
        (["some.jsonl", "--mode", "dialogue"], "--mode"),
        (["some.jsonl", "--run", "a b"], "the id 'a b' cannot be used"),
        (["some.jsonl", "--retry-failed"], "'retry_failed' needs 'run'"),
        (["some.jsonl", "--config", "some.toml"], "'modles' is not an option"),
        (["some.jsonl", "--models", "a/b"], "OPENROUTER_API_KEY"),
        (["some.jsonl", "--output", "some.md"], "is there already"),
        (
            ["some.jsonl", "--rehearse", "--mode", "fire_circle", "--models", "a/one"],
            "a fire circle has 2 to 10 models",
        ),
        (["some.jsonl", "--rehearse", "--mode", "parallel", "--models", "a/one"], "at least two models"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_starts(
    tmp_path: Path, arguments: list[str], reason: str
) -> None:
    """Wrong usage ends with 2 and the reason, and no server, worker or file was made."""
    for name, text in (("some.jsonl", '{"prompt": "One?"}'), ("some.md", "One?"), ("some.toml", "modles = ['a']")):
        (tmp_path / name).write_text(text)
    done = invoke(*arguments)
    assert (errors.USAGE, "") == (done.exit_code, done.stdout)
    assert reason in done.stderr
    assert 3 == len(list(tmp_path.iterdir()))
