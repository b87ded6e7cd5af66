"""On what terms a study continues, when its file and a user say different things."""

import pytest

from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.settings import SavedSettings, current_settings, load_settings, save_current, save_settings
from ledger.studies.writing import enter
from protocols.study.model import Budget, RunSettings
from tests.fakes.entered import entered

FILE = RunSettings(window=20, cap=Budget(usd=5.0, tokens=1000), priority=4)


def terms(
    window: int = 20, usd: float | None = 5.0, tokens: int | None = 1000, priority: int = 4, losses: int = 5
) -> RunSettings:
    """The file's terms with something else in them."""
    return RunSettings(window=window, cap=Budget(usd=usd, tokens=tokens), priority=priority, pause_after_losses=losses)


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
    await save_settings(store, "toy", SavedSettings(said=FILE, now=terms(window=3, usd=None)))
    await save_current(store, "toy", FILE)
    assert await load_settings(store, "toy") == SavedSettings(said=FILE, now=terms(window=3, usd=None))
    async with StudyReader(url) as reader:
        known = await reader.known("toy")
    assert known is not None
    assert known.terms == terms(window=3, usd=None)


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
