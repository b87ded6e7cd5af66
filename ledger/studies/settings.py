"""Run settings of a study: from its file, and as changed while it runs.

A batch that starts anew continues with the last settings. A file that differs from its earlier version was
changed on purpose, and its present value counts, key by key.
"""

from typing import TypeVar

from sqlalchemy import select, update

from ledger.store import Store
from ledger.study_tables import STUDIES
from protocols.model_call import FrozenModel
from protocols.study.model import Budget, RunSettings

Value = TypeVar("Value")


class SavedSettings(FrozenModel):
    """The saved run settings of a study."""

    said: RunSettings
    """By the study's file, when it was last read."""
    now: RunSettings
    """In force: as said, and as a user changed it since."""


async def load_settings(store: Store, study: str) -> SavedSettings | None:
    """Return the settings of ``study``; ``None`` if none were saved yet.

    Raises:
        StoreError: the database cannot be read.
    """
    found = await store.rows(select(STUDIES.c.terms).where(STUDIES.c.name == study))
    return SavedSettings.model_validate(found[0].terms) if found and found[0].terms is not None else None


async def save_settings(store: Store, study: str, terms: SavedSettings) -> None:
    """Write down the terms of ``study`` in place of those before.

    Raises:
        StoreError: the database could not be written.
    """
    line = {"terms": terms.model_dump(mode="json")}
    await store.transaction(lambda connection: connection.execute(update(STUDIES).where(STUDIES.c.name == study), line))


async def save_current(store: Store, study: str, said: RunSettings) -> None:
    """Write down the terms of ``study`` after its file was read once more, and says ``said``.

    Raises:
        StoreError: the database could not be read or written.
    """
    await save_settings(store, study, current_settings(await load_settings(store, study), said))


def current_settings(kept: SavedSettings | None, said: RunSettings) -> SavedSettings:
    """Return the settings after a file with ``said`` was read."""
    if kept is None:
        return SavedSettings(said=said, now=said)
    now = kept.now
    return SavedSettings(
        said=said,
        now=RunSettings(
            window=_newer(kept.said.window, said.window, now.window),
            priority=_newer(kept.said.priority, said.priority, now.priority),
            pause_after_losses=_newer(kept.said.pause_after_losses, said.pause_after_losses, now.pause_after_losses),
            cap=Budget(
                usd=_newer(kept.said.cap.usd, said.cap.usd, now.cap.usd),
                tokens=_newer(kept.said.cap.tokens, said.cap.tokens, now.cap.tokens),
            ),
        ),
    )


def _newer(before: Value, said: Value, now: Value) -> Value:
    return now if said == before else said
