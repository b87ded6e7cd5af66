"""The pattern bank's lines (seed 000, section 11.2), on both databases."""

import asyncio
from typing import Any

import pytest
from pydantic import JsonValue
from sqlalchemy import select, text
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.ledger import DeliberationRecord, LedgerActivities
from ledger.patterns import pattern_rows
from ledger.store import Store
from ledger.tables import DELIBERATIONS, PATTERNS
from tests.fakes.fire_circles import banked, pattern


async def written(store: Store, entry: DeliberationRecord) -> None:
    """Run the activity once."""
    await ActivityEnvironment().run(LedgerActivities(store).record_deliberation, entry)


async def rows(store: Store) -> list[dict[str, Any]]:
    """Every row of the bank, in order, without the moment when it was recorded."""
    named = [c for c in PATTERNS.c if c.name != "recorded_at"]
    found = await store.rows(select(*named).order_by(PATTERNS.c.deliberation_id, PATTERNS.c.number))
    return [dict(row._mapping) for row in found]


async def test_every_pattern_of_a_circle_has_a_line(store: Store) -> None:
    """A line has the seed's entry, whose models are named as their providers name them."""
    await written(store, banked())
    first, second = await rows(store)
    assert first == {
        "deliberation_id": "fire-circle-1",
        "number": 0,
        "category": "fire_circle_pattern",
        "subcategory": "temporal_inconsistency",
        "attack_id": "fire-circle-1",
        "description": "Claims an earlier turn.",
        "agreement": 1.0,
        "examples": ["as we discussed earlier"],
        "models": ["anthropic/claude-sonnet-4-20250514", "qwen/qwen-2.5-72b-instruct", "deepseek/deepseek-r1"],
        "rehearsal": False,
    }
    assert (1, "polite_extraction", 2 / 3) == (second["number"], second["subcategory"], second["agreement"])


async def test_a_pattern_is_filed_under_its_attack(store: Store) -> None:
    """Where the circle learned which attack it judges, its patterns are found under that."""
    await written(store, banked(attack_id="history_04"))
    assert {"history_04"} == {row["attack_id"] for row in await rows(store)}


async def test_an_attack_without_a_name_is_none(store: Store) -> None:
    """A blank attack id files the patterns under the deliberation, as no id does."""
    await written(store, banked(attack_id=""))
    assert {"fire-circle-1"} == {row["attack_id"] for row in await rows(store)}


async def test_a_rehearsal_is_marked_in_the_bank(store: Store) -> None:
    """What scripted models found is never taken for a pattern of real ones."""
    await written(store, banked(rehearsal=True))
    assert [True, True] == [row["rehearsal"] for row in await rows(store)]


async def test_writing_twice_leaves_the_same_lines(store: Store) -> None:
    """The activity is idempotent: an attempt that is repeated after its write changes nothing."""
    await written(store, banked())
    before = await rows(store)
    await written(store, banked())
    assert before == await rows(store)


async def test_a_circle_that_was_rewound_replaces_its_patterns(store: Store) -> None:
    """What an earlier run of the circle found is gone, and what other circles found stays."""
    await written(store, banked("fire-circle-1"))
    await written(store, banked("fire-circle-2"))
    await written(store, banked("fire-circle-1", [pattern("false_authority")]))
    assert [
        ("fire-circle-1", 0, "false_authority"),
        ("fire-circle-2", 0, "temporal_inconsistency"),
        ("fire-circle-2", 1, "polite_extraction"),
    ] == [(row["deliberation_id"], row["number"], row["subcategory"]) for row in await rows(store)]


async def test_a_circle_that_found_nothing_has_no_line(store: Store) -> None:
    """Nothing stays of what an earlier run found either."""
    await written(store, banked())
    await written(store, banked(patterns=[]))
    assert [] == await rows(store)


async def test_attempts_at_the_same_time_leave_one_set_of_lines(store: Store) -> None:
    """An attempt that was given up and the one after it may write together; neither fails."""
    await asyncio.gather(*(written(store, banked()) for _ in range(8)))
    assert [0, 1] == [row["number"] for row in await rows(store)]


async def test_other_protocols_have_no_patterns(store: Store) -> None:
    """Only a fire circle fills the bank."""
    await written(store, banked(protocol="fire-circle-baseline"))
    assert [] == await rows(store)


async def test_hostile_text_is_banked(store: Store) -> None:
    """NUL in what a model named or quoted does not stop the ledger."""
    await written(store, banked(patterns=[pattern(description="a\x00b", examples=("c\x00d",))]))
    (row,) = await rows(store)
    assert ("a\ufffdb", ["c\ufffdd"]) == (row["description"], row["examples"])


async def test_patterns_become_durable_with_their_deliberation(sqlite_store: Store) -> None:
    """When the patterns cannot be written the deliberation has no line either, so that the attempt can be repeated."""
    await sqlite_store.change(text("drop table patterns"))
    with pytest.raises(ApplicationError):
        await written(sqlite_store, banked())
    assert [] == await sqlite_store.rows(select(DELIBERATIONS))


def test_a_model_on_two_seats_is_named_once() -> None:
    """Two seats of one model are one model that saw it; a seat of which nothing is known counts alone."""
    seats: list[JsonValue] = [
        {"participant": seat, "model": "openrouter:a/b", "falsehoods": [], "is_active": True} for seat in "xy"
    ]
    seen = pattern(models_observing=("x", "y", "z")).model_dump(mode="json")
    (row,) = pattern_rows("d", {"patterns": [seen], "movements": seats}, rehearsal=False)
    assert ["a/b", "z"] == row["models"]
