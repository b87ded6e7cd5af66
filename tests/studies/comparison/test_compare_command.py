"""``parley compare``: from a ledger to the screen and to JSON."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from activities.ledger import LedgerActivities
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.studies.writing import enter
from parley import errors
from starter.commands.compare import command
from starter.views.rehearsal import REHEARSAL
from tests.fakes.entered import Whole, entered, line_of

LABEL = {"read": "choice", "choices": ["A", "B"], "threshold": None}


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Where the settings look for the ledger."""
    address = f"sqlite:///{tmp_path / 'books.db'}"
    monkeypatch.setenv("PARLEY_DATABASE_URL", address)
    return address


async def written(url: str, whole: Whole, verdicts: list[str | None], *, rehearsal: bool = False) -> None:
    """A ledger with the study, of which so many deliberations ended."""
    store = Store(url)
    await upgrade(store)
    await enter(store, *whole.parts)
    for instance, verdict in zip(whole.instances, verdicts, strict=False):
        await LedgerActivities(store).record_deliberation(line_of(instance, verdict=verdict, rehearsal=rehearsal))
    await store.close()


@pytest.fixture
async def study(url: str) -> str:
    """B is right, as the council says of two rows in three and the consensus of one in two; one is open."""
    right, wrong = "FINAL ANSWER: B", "FINAL ANSWER: A"
    await written(url, entered(label=LABEL), [right, wrong, right, right, wrong])
    return url


@pytest.fixture
async def rehearsed(url: str) -> str:
    """The same by scripted models."""
    await written(url, entered(label=LABEL), ["FINAL ANSWER: B"] * 6, rehearsal=True)
    return url


@pytest.fixture
async def begun(url: str) -> str:
    """A study of which nothing ended yet."""
    await written(url, entered(label=LABEL), [])
    return url


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(command, list(arguments))


def test_a_study_is_compared_from_the_ledger(study: str) -> None:
    """Every figure is in the document, with how far the study is and what the figures mean."""
    done = invoke("toy", "--json", "--baseline", "consensus")
    told = json.loads(done.stdout)
    arms = {one["arm"]: one for one in told["arms"]}
    assert (errors.VERDICT, None, "accuracy", "consensus") == (
        *(done.exit_code, told["label"]),
        *(told["metric"], told["baseline"]),
    )
    assert [(3, 2), (2, 1)] == [(arms[name]["n"], arms[name]["correct"]) for name in ("council", "consensus")]
    assert {"total": 6, "completed": 5, "failed": 0, "missing": 0} == told["progress"]
    assert [("council", 2, "mcnemar")] == [(one["arm"], one["rows"], one["test"]) for one in told["pairs"]]


def test_what_is_open_is_said(study: str) -> None:
    """While the study runs the figures are of what ended."""
    done = invoke("toy")
    assert (errors.VERDICT, True) == (done.exit_code, "1 of 6 deliberations have not ended yet" in done.stdout)


def test_a_rehearsed_study_has_the_label(rehearsed: str) -> None:
    """On the screen on top, in the document by name."""
    assert REHEARSAL in invoke("toy").stdout.splitlines()[1]
    assert REHEARSAL == json.loads(invoke("toy", "--json").stdout)["label"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["other"], "the ledger has no study 'other'"),
        (["toy", "--baseline", "debate"], "there is no arm 'debate' in this study"),
        (["toy", "--metric", "beauty"], "there is no metric 'beauty' in this study"),
    ],
)
def test_what_there_is_not_is_refused_by_name(study: str, arguments: list[str], message: str) -> None:
    """A study, an arm and a metric that are not there end with 2 and say what exists."""
    done = invoke(*arguments)
    assert (errors.USAGE, "", True) == (done.exit_code, done.stdout, message in done.stderr)


def test_a_study_of_which_nothing_ended_is_said(begun: str) -> None:
    """It is no table of zeros."""
    done = invoke("toy")
    assert (errors.USAGE, True) == (done.exit_code, "no deliberation of 'toy' has ended yet" in done.stderr)


def test_a_ledger_that_is_not_there_is_said_with_the_remedy(url: str) -> None:
    """The message names what makes one."""
    done = invoke("toy")
    assert (errors.USAGE, True) == (done.exit_code, "parley up" in done.stderr)
