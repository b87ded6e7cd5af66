"""On what terms a study continues, when its file and a user say different things."""

import asyncio

import pytest
from sqlalchemy import select

from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.settings import SavedSettings, change_settings, current_settings, save_current
from ledger.studies.writing import enter
from ledger.study_tables import STUDIES
from protocols.study.model import Budget, RunSettings
from tests.fakes.entered import entered

FILE = RunSettings(window=20, cap=Budget(usd=5.0, tokens=1000), priority=4)


def terms(
    window: int = 20, usd: float | None = 5.0, tokens: int | None = 1000, priority: int = 4, losses: int = 5
) -> RunSettings:
    """The file's terms with something else in them."""
    return RunSettings(window=window, cap=Budget(usd=usd, tokens=tokens), priority=priority, pause_after_losses=losses)


async def load_settings(store: Store, study: str) -> SavedSettings | None:
    """The settings of ``study`` in the ledger."""
    found = await store.rows(select(STUDIES.c.terms).where(STUDIES.c.name == study))
    return SavedSettings.model_validate(found[0].terms) if found and found[0].terms is not None else None


def test_the_first_reading_of_a_file_is_in_force() -> None:
    """Before the first change the study runs on what its file states."""
    assert current_settings(None, FILE) == SavedSettings(said=FILE, now=FILE)


def test_what_a_person_set_survives_a_file_that_states_nothing_new() -> None:
    """The same file read again takes back nothing."""
    kept = SavedSettings(said=FILE, now=terms(window=3, usd=None, priority=1))
    assert current_settings(kept, FILE) == kept


@pytest.mark.parametrize(
    ("said", "now"),
    [
        (terms(window=50), terms(window=50, usd=9.0, tokens=None, priority=2)),
        (terms(usd=7.0), terms(window=3, usd=7.0, tokens=None, priority=2)),
        (terms(usd=None), terms(window=3, usd=None, tokens=None, priority=2)),
        (terms(tokens=2000), terms(window=3, usd=9.0, tokens=2000, priority=2)),
        (terms(priority=5), terms(window=3, usd=9.0, tokens=None, priority=5)),
        (terms(losses=9), terms(window=3, usd=9.0, tokens=None, priority=2, losses=9)),
    ],
    ids=["window", "usd", "no usd", "tokens", "priority", "losses"],
)
def test_a_key_that_the_file_states_anew_wins_and_no_other(said: RunSettings, now: RunSettings) -> None:
    """A file that was changed was changed on purpose; what a user set beside that key stays."""
    kept = SavedSettings(said=FILE, now=terms(window=3, usd=9.0, tokens=None, priority=2))
    assert current_settings(kept, said) == SavedSettings(said=said, now=now)


def test_a_file_changed_back_wins_again() -> None:
    """What counts is that it states something else than when it was read last, not what it said first."""
    changed = current_settings(SavedSettings(said=FILE, now=terms(window=3)), terms(window=50))
    assert current_settings(changed, FILE).now.window == 20


async def test_a_study_that_nobody_read_has_no_terms(store: Store) -> None:
    """A study that was entered without terms, and one that is not there, have none; the defaults are shown."""
    await enter(store, *entered().parts)
    assert (await load_settings(store, "toy"), await load_settings(store, "other")) == (None, None)


async def test_terms_are_kept_for_the_next_batch(store: Store, url: str) -> None:
    """What a user set is in the ledger, is what the study shows, and the file read again leaves it."""
    await enter(store, *entered().parts)
    await save_current(store, "toy", FILE)
    await change_settings(store, "toy", lambda _: SavedSettings(said=FILE, now=terms(window=3, usd=None)))
    await save_current(store, "toy", FILE)
    assert await load_settings(store, "toy") == SavedSettings(said=FILE, now=terms(window=3, usd=None))
    async with StudyReader(url) as reader:
        known = await reader.known("toy")
    assert known is not None
    assert known.terms == terms(window=3, usd=None)


async def test_two_users_who_change_two_terms_at_once_both_find_theirs(store: Store, url: str) -> None:
    """A change is made of the terms as they are when it is written, so that none takes back another's."""

    def changed(kept: SavedSettings | None, **one: object) -> SavedSettings:
        assert kept is not None
        return SavedSettings(said=kept.said, now=kept.now.model_copy(update=one))

    await enter(store, *entered().parts)
    await save_current(store, "toy", FILE)
    second = Store(url)
    await asyncio.gather(
        change_settings(store, "toy", lambda kept: changed(kept, window=3)),
        change_settings(second, "toy", lambda kept: changed(kept, priority=1)),
    )
    await second.close()
    assert await load_settings(store, "toy") == SavedSettings(said=FILE, now=terms(window=3, priority=1))


async def test_terms_of_one_study_are_no_other_studys(store: Store) -> None:
    """Each study has terms of its own."""
    for name in ("toy", "twin"):
        await enter(store, *entered(name).parts)
        await save_current(store, name, FILE)
    await save_current(store, "twin", terms(window=7))
    assert (await load_settings(store, "toy"), await load_settings(store, "twin")) == (
        SavedSettings(said=FILE, now=FILE),
        SavedSettings(said=terms(window=7), now=terms(window=7)),
    )
