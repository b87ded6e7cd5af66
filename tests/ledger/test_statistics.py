"""What the ledger counts over all consensuses (seed 004, "Analytics Queries"), on both databases."""

from datetime import UTC, date, datetime

from sqlalchemy import update

from ledger.reading import LedgerReader
from ledger.statistics import ConsensusStats, DayCount, VotingPattern
from ledger.store import Store
from ledger.tables import CONSENSUS_ITERATIONS
from protocols.model_call import Answered, Failed
from tests.fakes.consensus_runs import DOUBTFUL, OBJECTED, call_of, held, lost, occasion, said, settled

AGREED = [("NO", "NO", "NO")]
SEED_ROUNDS = [("YES", "YES", "NO"), ("NO", "NO", "NO")]
EMPTY = ConsensusStats(daily_conversations=(), average_rounds=None, voting_patterns=())


async def counted(url: str, *, rehearsal: bool = False) -> ConsensusStats:
    """What a reader finds."""
    async with LedgerReader(url) as ledger:
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
    """Only checks are votes: acceptances, corrections, objections, answers that are no vote, and lost checks."""
    await held(store, "consensus-a", SEED_ROUNDS)
    check = occasion("consensus_check", 3)
    third: tuple[Answered | Failed, ...] = (
        *(lost("validator"), said("refiner", OBJECTED)),
        said("generator", DOUBTFUL),
    )
    for reply in third:
        await settled(store, call_of(reply.participant, "consensus_check", 3), reply, check)
    found = {one.model_id: tuple(one.model_dump().values())[1:] for one in (await counted(url)).voting_patterns}

    assert ["no_votes", "total_votes", "corrections", "objections", "unread_votes", "lost_votes"] == (
        list(VotingPattern.model_fields)[1:]
    )
    assert {
        "anthropic/claude-opus-4.6": (1, 3, 1, 1, 0, 0),
        "gpt-oss-120b": (2, 3, 0, 0, 0, 1),
        "openai/gpt-4": (1, 3, 1, 0, 1, 0),
    } == found


async def test_votes_from_before_stances_were_kept_are_counted_as_votes(store: Store, url: str) -> None:
    """An older YES is in no column of its own and is not taken for an answer that was not read."""
    await held(store, "consensus-a", SEED_ROUNDS)
    await store.change(update(CONSENSUS_ITERATIONS).values(stance=None))
    (first, *_) = (await counted(url)).voting_patterns
    assert (1, 2, 0, 0, 0) == (
        *(first.no_votes, first.total_votes),
        *(first.corrections, first.objections, first.unread_votes),
    )


async def test_rehearsals_are_never_mixed_with_real_runs(store: Store, url: str) -> None:
    """Each count has ended the real ones alone, or over the rehearsals alone."""
    await held(store, "consensus-a", AGREED)
    before = await counted(url)
    await held(store, "consensus-b", SEED_ROUNDS, rehearsal=True)
    rehearsed = await counted(url, rehearsal=True)
    assert before == await counted(url)
    assert (2.0, 1) == (rehearsed.average_rounds, rehearsed.daily_conversations[0].conversations)


async def test_where_nothing_was_held_there_is_nothing(store: Store, url: str) -> None:
    """An empty ledger has no day, no average (which is not zero) and no vote."""
    assert (EMPTY, True) == (await counted(url), EMPTY.is_empty)
