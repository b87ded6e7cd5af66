"""What the ledger counts over all consensuses (seed 004, "Analytics Queries"), on both databases."""

from datetime import UTC, date, datetime

from sqlalchemy import update

from activities.store import Store
from activities.tables import CONSENSUS_ITERATIONS
from starter.analytics import ConsensusStats, DayCount, VotingPattern
from starter.books import Ledger
from tests.fakes.consensus_runs import call_of, held, lost, occasion, settled

AGREED = [("NO", "NO", "NO")]
SEED_ROUNDS = [("YES", "YES", "NO"), ("NO", "NO", "NO")]
EMPTY = ConsensusStats(daily_conversations=(), average_rounds=None, voting_patterns=())


async def counted(url: str, *, rehearsal: bool = False) -> ConsensusStats:
    """What a reader finds."""
    async with Ledger(url) as ledger:
        return await ledger.consensus_stats(rehearsal=rehearsal)


async def test_conversations_are_counted_per_day_in_utc(store: Store, url: str) -> None:
    """A conversation counts once on its day, however many rows it has; the oldest day comes first."""
    for day, name in ((2, "consensus-a"), (1, "consensus-b"), (2, "consensus-c")):
        await held(store, name, SEED_ROUNDS)
        then = datetime(2026, 5, day, 23, 30, tzinfo=UTC).replace(tzinfo=None)
        mine = CONSENSUS_ITERATIONS.c.consensus_id == name
        await store.change(update(CONSENSUS_ITERATIONS).where(mine).values(datetime=then))
    expected = (
        DayCount(day=date(2026, 5, 1), conversations=1),
        DayCount(day=date(2026, 5, 2), conversations=2),
    )
    assert expected == (await counted(url)).daily_conversations


async def test_rounds_are_averaged_over_conversations(store: Store, url: str) -> None:
    """Two rounds and one round are one and a half."""
    await held(store, "consensus-a", SEED_ROUNDS)
    await held(store, "consensus-b", AGREED)
    assert 1.5 == (await counted(url)).average_rounds


async def test_votes_are_counted_per_model(store: Store, url: str) -> None:
    """Only checks are votes; NO is acceptance, and a check without an answer is counted as that."""
    await held(store, "consensus-a", SEED_ROUNDS)
    missed = call_of("validator", "consensus_check", 3)
    await settled(store, missed, lost("validator"), occasion("consensus_check", 3))
    votes = [
        VotingPattern(model_id="anthropic/claude-opus-4.6", no_votes=1, total_votes=2, lost_votes=0),
        VotingPattern(model_id="gpt-oss-120b", no_votes=2, total_votes=3, lost_votes=1),
        VotingPattern(model_id="openai/gpt-4", no_votes=1, total_votes=2, lost_votes=0),
    ]
    assert votes == list((await counted(url)).voting_patterns)


async def test_rehearsals_are_never_mixed_with_real_runs(store: Store, url: str) -> None:
    """Each count is over the real ones alone, or over the rehearsals alone."""
    await held(store, "consensus-a", AGREED)
    before = await counted(url)
    await held(store, "consensus-b", SEED_ROUNDS, rehearsal=True)
    rehearsed = await counted(url, rehearsal=True)
    assert before == await counted(url)
    assert (2.0, 1) == (rehearsed.average_rounds, rehearsed.daily_conversations[0].conversations)


async def test_where_nothing_was_held_there_is_nothing(store: Store, url: str) -> None:
    """An empty ledger has no day, no average (which is not zero) and no vote."""
    assert (EMPTY, True) == (await counted(url), EMPTY.is_empty)
