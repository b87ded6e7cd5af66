"""``parley stats``: the counts on the screen and as JSON."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text, update

from ledger.statistics import ConsensusStats, DayCount, VotingPattern
from ledger.store import Store
from ledger.tables import CONSENSUS_ITERATIONS
from parley import errors
from starter.cli import parley
from starter.terminal import console
from starter.views.lists import stats
from starter.views.tables import REHEARSAL
from tests.fakes.consensus_runs import held

EMPTY = ConsensusStats(daily_conversations=(), average_rounds=None, voting_patterns=())
NOTHING: dict[str, Any] = {"daily_conversations": [], "average_rounds": None, "voting_patterns": []}

VOTES = {"no_votes": 0, "total_votes": 2, "corrections": 0, "objections": 0, "unread_votes": 0, "lost_votes": 0}


@pytest.fixture
async def full(empty: str) -> str:
    """A ledger of a real consensus and of a rehearsal, both of May the first."""
    store = Store(empty)
    await held(store, "consensus-a", [("YES", "NO", "NO"), ("NO", "NO", "NO")])
    await held(store, "consensus-b", [("NO", "NO", "NO")], rehearsal=True)
    await store.change(update(CONSENSUS_ITERATIONS).values(datetime=text("'2026-05-01 10:00:00.000000'")))
    await store.close()
    return empty


@pytest.fixture
async def older(empty: str) -> str:
    """A ledger from before there was a consensus."""
    store = Store(empty)
    await store.change(text("drop table consensus_iterations"))
    await store.close()
    return empty


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(parley, ["stats", *arguments])


def shown(real: ConsensusStats, rehearsal: ConsensusStats) -> str:
    """What the view prints where there is no terminal."""
    screen = console()
    with screen.capture() as captured:
        screen.print(stats(real, rehearsal))
    return captured.get()


def pattern(model_id: str = "openai/gpt-4") -> VotingPattern:
    """A model with a number of its own in every column."""
    votes = {"no_votes": 2, "total_votes": 13, "corrections": 1, "objections": 3, "unread_votes": 4, "lost_votes": 5}
    return VotingPattern(model_id=model_id, **votes)


def counts(**changes: Any) -> ConsensusStats:
    """A day, an average and a model's votes."""
    whole = {
        "daily_conversations": [DayCount(day=date(2026, 5, 1), conversations=1234)],
        "average_rounds": 1.254,
        "voting_patterns": [pattern()],
    }
    return ConsensusStats.model_validate(whole | changes)


def test_stats_are_one_json_document(full: str) -> None:
    """Real runs and rehearsals are side by side under the names that the seed's queries give."""
    done = invoke("--json")
    told = json.loads(done.stdout)
    assert (errors.VERDICT, ["real", "rehearsal"]) == (done.exit_code, list(told))
    assert {
        "daily_conversations": [{"day": "2026-05-01", "conversations": 1}],
        "average_rounds": 2.0,
        "voting_patterns": [
            {"model_id": "anthropic/claude-opus-4.6", **VOTES, "no_votes": 2},
            {"model_id": "gpt-oss-120b", **VOTES, "no_votes": 2},
            {"model_id": "openai/gpt-4", **VOTES, "no_votes": 1, "corrections": 1},
        ],
    } == told["real"]


def test_rehearsals_have_a_part_of_their_own_in_the_document(full: str) -> None:
    """What scripted models did is counted beside what real ones did."""
    told = json.loads(invoke("--json").stdout)["rehearsal"]
    assert (1.0, 3) == (told["average_rounds"], len(told["voting_patterns"]))


def test_an_average_of_nothing_is_null(empty: str) -> None:
    """A ledger without a consensus has empty lists and no average, which is not zero."""
    assert {"real": NOTHING, "rehearsal": NOTHING} == json.loads(invoke("--json").stdout)


def test_rehearsals_come_last_and_under_their_label(full: str) -> None:
    """A rehearsal's figures are never shown as real ones."""
    real, label, rehearsed = invoke().stdout.partition(REHEARSAL)
    assert (REHEARSAL, True, True) == (label, "average rounds: 2.00" in real, "average rounds: 1.00" in rehearsed)


def test_where_nothing_was_held_it_is_said(empty: str) -> None:
    """An empty ledger is no error and shows no empty table."""
    done = invoke()
    assert (errors.VERDICT, "there is no consensus of real models in the ledger yet\n") == (done.exit_code, done.stdout)


def test_a_ledger_that_is_not_there_is_said_with_the_remedy(url: str, tmp_path: Path) -> None:
    """Without a ledger the command ends with 2, names the place and what makes one, and makes none itself."""
    done = invoke()
    assert (errors.USAGE, "") == (done.exit_code, done.stdout)
    assert "there is no ledger at" in done.stderr
    assert (True, []) == ("parley up" in done.stderr, list(tmp_path.iterdir()))


def test_an_older_ledger_is_said_with_the_remedy(older: str) -> None:
    """A ledger from before the consensus is refused with what brings it up to date."""
    done = invoke("--json")
    assert errors.USAGE == done.exit_code
    assert "brings an older one up to date" in json.loads(done.stdout)["error"]


def test_figures_are_shown_as_they_are_counted() -> None:
    """A day with its conversations, a model with its votes, and the average to two places."""
    told = [line.split() for line in shown(counts(), EMPTY).splitlines()]
    assert ["2026-05-01", "1,234"] in told
    assert ["openai/gpt-4", "13", "2", "1", "3", "4", "5"] in told
    assert ["average", "rounds:", "1.25"] in told


def test_rehearsals_alone_do_not_hide_that_nothing_real_was_held() -> None:
    """With rehearsals only, the first line is that there is no real one."""
    before, label, _ = shown(EMPTY, counts()).partition(REHEARSAL)
    assert ("there is no consensus of real models in the ledger yet", REHEARSAL) == (before.splitlines()[0], label)


def test_without_rehearsals_their_label_is_not_shown() -> None:
    """There is no line for what does not exist."""
    assert REHEARSAL not in shown(counts(), EMPTY)


def test_a_models_name_does_not_steer_the_terminal() -> None:
    """A name that holds escape sequences is stripped before it is printed."""
    hostile = pattern(model_id="\x1b]0;owned\x07maker/one")
    told = shown(counts(voting_patterns=[hostile]), EMPTY)
    assert (True, False) == ("maker/one" in told, "\x1b" in told)
