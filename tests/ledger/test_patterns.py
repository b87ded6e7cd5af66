"""The pattern bank as a user reads it (seed 000, section 11.2), on both databases."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import update

from activities.ledger import LedgerActivities
from ledger.migrations.upgrade import upgrade
from ledger.patterns import PatternEntry
from ledger.reading import LedgerReader
from ledger.store import Store
from ledger.tables import PATTERNS
from tests.fakes.fire_circles import banked, pattern


@pytest.fixture
async def bank(url: str) -> AsyncIterator[Store]:
    """Two real circles of one day, the second on a named attack, and a rehearsal of the day after."""
    store = Store(url)
    await upgrade(store)
    named = [pattern("false_authority", 2), pattern("polite_extraction", 3)]
    entries = (
        banked("circle-1"),
        banked("circle-2", named, attack_id="history_04"),
        banked("circle-3", rehearsal=True),
    )
    for day, entry in enumerate(entries, start=1):
        await LedgerActivities(store).record_deliberation(entry)
        mine = PATTERNS.c.deliberation_id == entry.id
        await store.change(update(PATTERNS).where(mine).values(recorded_at=datetime(2026, 5, day, tzinfo=UTC)))
    yield store
    await store.close()


async def found(url: str, **which: Any) -> list[tuple[str, str]]:
    """What a reader gets: attack and type of every entry."""
    async with LedgerReader(url) as ledger:
        return [(one.content.attack_id, one.subcategory) for one in await ledger.patterns(**which)]


async def test_an_entry_has_the_seeds_shape_and_where_it_comes_from(bank: Store, url: str) -> None:
    """What ``store_fire_circle_patterns`` stores comes out under the same names, beside its deliberation and date."""
    async with LedgerReader(url) as ledger:
        (entry,) = await ledger.patterns(attack_id="history_04", pattern_type="false_authority")
    assert {
        "category": "fire_circle_pattern",
        "subcategory": "false_authority",
        "content": {
            "description": "Claims an earlier turn.",
            "agreement": 2 / 3,
            "attack_id": "history_04",
            "examples": ["as we discussed earlier"],
            "models": ["anthropic/claude-sonnet-4-20250514", "qwen/qwen-2.5-72b-instruct"],
        },
    } == entry.model_dump(mode="json", exclude={"deliberation_id", "recorded_at"})
    assert entry.deliberation_id.startswith("circle-")
    assert entry.recorded_at.tzinfo is not None


async def test_the_newest_circle_comes_first(bank: Store, url: str) -> None:
    """Circles are in the order of their age, and the patterns of one as it ranked them."""
    assert [
        ("history_04", "false_authority"),
        ("history_04", "polite_extraction"),
        ("circle-1", "temporal_inconsistency"),
        ("circle-1", "polite_extraction"),
    ] == await found(url)


async def test_rehearsals_stand_apart(bank: Store, url: str) -> None:
    """A reader gets real patterns or those of rehearsals, never both in one list."""
    rehearsed = await found(url, rehearsal=True)
    assert [("circle-3", "temporal_inconsistency"), ("circle-3", "polite_extraction")] == rehearsed


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ({"pattern_type": "polite_extraction"}, ["history_04", "circle-1"]),
        ({"pattern_type": "role_confusion"}, []),
        ({"attack_id": "circle-1"}, ["circle-1", "circle-1"]),
        ({"attack_id": "circle-2"}, []),
        ({"min_agreement": 1.0}, ["history_04", "circle-1"]),
        ({"min_agreement": 2 / 3}, ["history_04", "history_04", "circle-1", "circle-1"]),
        ({"min_agreement": 1.0, "pattern_type": "temporal_inconsistency"}, ["circle-1"]),
        ({"limit": 1}, ["history_04"]),
    ],
)
async def test_patterns_are_chosen_by_type_agreement_and_attack(
    bank: Store, url: str, which: dict[str, Any], expected: list[str]
) -> None:
    """Filters leave only what fits all of them; an agreement that is asked for is enough."""
    assert expected == [attack for attack, _ in await found(url, **which)]


async def test_a_bank_in_which_nothing_stands_is_empty(url: str) -> None:
    """A ledger without a fire circle has no pattern, which is no error."""
    store = Store(url)
    await upgrade(store)
    await store.close()
    assert [] == await found(url)


def test_an_entry_can_be_read_again() -> None:
    """What one bank gives another one takes."""
    told = {"description": "d", "agreement": 0.5, "attack_id": "a", "examples": ["e"], "models": ["m"]}
    entry = {
        "category": "fire_circle_pattern",
        "subcategory": "unclassified",
        "content": told,
        "deliberation_id": "circle-1",
        "recorded_at": "2026-05-01T10:05:00Z",
    }
    assert entry == PatternEntry.model_validate(entry).model_dump(mode="json")
