"""``parley score``: what it prints of scores that are computed at once, and its exit code."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from activities.ledger import LedgerActivities
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.studies.writing import enter
from parley.errors import FAILED, VERDICT
from starter.cli import parley
from tests.fakes.entered import entered, line_of

_FUNCTIONS = """
def length(row, result): return len(result["verdict"])
def broken(row, result): return 1 / 0
def broken_in_many_ways(row, result): raise ValueError(f"no rule for {row['row_id']} of {row['arm']}")
"""


@pytest.fixture
async def study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A study in a ledger of its own, of which six deliberations ended."""
    url = f"sqlite:///{tmp_path / 'books.db'}"
    monkeypatch.setenv("PARLEY_DATABASE_URL", url)
    whole, store = entered(rows=3), Store(url)
    await upgrade(store)
    await enter(store, *whole.parts)
    for instance in whole.instances:
        await LedgerActivities(store).record_deliberation(line_of(instance, verdict="FINAL ANSWER: B"))
    await store.close()
    return "toy"


def _scored(study: str, function: str) -> Result:
    Path("mine.py").write_text(_FUNCTIONS)
    Path("scorers.toml").write_text(f'[scorers.mine]\nkind = "python"\nfile = "mine.py"\nfunction = "{function}"\n')
    return CliRunner().invoke(parley, ["score", study, "--with", "scorers.toml"])


def test_a_function_that_fails_is_reported_with_its_reason(study: str) -> None:
    """Each reason is printed once with the number of deliberations, and the exit code is that of a failure."""
    done = _scored(study, "broken")

    assert done.exit_code == FAILED
    assert "mine: 6 scores, computed" in done.stderr
    assert done.stderr.count("mine: 6 deliberations failed: ZeroDivisionError: division by zero") == 1


def test_many_reasons_are_not_all_printed(study: str) -> None:
    """Three of them are, and how many deliberations have another one."""
    done = _scored(study, "broken_in_many_ways")

    assert done.exit_code == FAILED
    assert done.stderr.count("mine: 1 deliberation failed: ValueError: no rule for") == 3
    assert "mine: 3 deliberations failed for other reasons; parley export has each" in done.stderr


def test_a_function_that_returns_is_no_failure(study: str) -> None:
    """All six have a value."""
    done = _scored(study, "length")

    assert (done.exit_code, "failed" in done.stderr) == (VERDICT, False), done.stderr
