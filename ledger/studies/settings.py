"""Run settings of a study: from its file, and as changed while it runs.

A batch that starts anew continues with the last settings. A file that differs from its earlier version was
changed on purpose, and its present value counts, key by key.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, select, update

from ledger.store import Store
from ledger.study_tables import STUDIES
from protocols.model_call import FrozenModel
from protocols.study.model import Budget, RunSettings

Settings = TypeVar("Settings", RunSettings, Budget)


class SavedSettings(FrozenModel):
    """The saved run settings of a study."""

    said: RunSettings
    """By the study's file, when it was last read."""
    now: RunSettings
    """In force: as said, and as a user changed it since."""


async def change_settings(
    store: Store, study: str, change: Callable[[SavedSettings | None], SavedSettings]
) -> SavedSettings:
    """Write down what ``change`` makes of the settings of ``study``, ``None`` before the first, and return it.

    Nothing that another process writes meanwhile is lost: changes wait for each other.
    """

    def work(connection: Connection) -> SavedSettings:
        terms = connection.execute(select(STUDIES.c.terms).where(STUDIES.c.name == study).with_for_update()).scalar()
        changed = change(None if terms is None else SavedSettings.model_validate(terms))
        connection.execute(update(STUDIES).where(STUDIES.c.name == study), {"terms": changed.model_dump(mode="json")})
        return changed

    return await store.transaction(work)


async def save_current(store: Store, study: str, said: RunSettings) -> None:
    """Write down the terms of ``study`` after its file was read once more, and says ``said``."""
    await change_settings(store, study, lambda kept: current_settings(kept, said))


def current_settings(kept: SavedSettings | None, said: RunSettings) -> SavedSettings:
    """Return the settings after a file with ``said`` was read."""
    if kept is None:
        return SavedSettings(said=said, now=said)
    cap = Budget.model_validate(_newer(kept.said.cap, said.cap, kept.now.cap))
    return SavedSettings(said=said, now=RunSettings.model_validate(_newer(kept.said, said, kept.now) | {"cap": cap}))


def _newer(before: Settings, said: Settings, now: Settings) -> dict[str, Any]:
    """Return each setting as it was ``said``, where it differs from ``before``, else as it is ``now``."""
    return {name: value if value != getattr(before, name) else getattr(now, name) for name, value in said}
