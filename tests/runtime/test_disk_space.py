"""Full disks, wherever an installation keeps something."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from runtime import disk_space
from runtime.background import run_in_background
from runtime.disk_space import full_folders, report_full_disks
from runtime.settings import Settings
from tests.fakes.server import embedded_server, settings_in


@pytest.fixture
def parts(tmp_path: Path) -> Settings:
    """An installation with its home, its ledger and its blobs in three folders."""
    for name in ("home", "ledger", "blobs"):
        (tmp_path / name).mkdir()
    ledger = f"sqlite:///{tmp_path}/ledger/all.db"
    return settings_in(tmp_path / "home", database_url=ledger, blobs=tmp_path / "blobs")


def usage(full: Callable[[Path], bool]) -> Callable[[Path], SimpleNamespace]:
    """What the operating system says of a disk, where those with ``full`` folders are."""
    return lambda place: SimpleNamespace(free=0 if full(place) else 9e9)


@pytest.mark.parametrize("name", ["home", "ledger", "blobs"])
def test_each_disk_is_looked_at(parts: Settings, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A disk that holds the ledger or the blobs alone is seen to be full as that of the home is."""
    monkeypatch.setattr(shutil, "disk_usage", usage(lambda place: place.name == name))

    assert (parts.home.parent / name,) == full_folders(parts.written_folders)


def test_one_disk_is_named_once(parts: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of one disk are one line, with the home, and a folder that is not made yet is none."""
    monkeypatch.setattr(shutil, "disk_usage", usage(lambda place: place.exists()))
    parts.blobs.rmdir()

    assert (parts.home,) == full_folders(parts.written_folders)


def test_a_ledger_on_a_server_is_no_file(tmp_path: Path) -> None:
    """Of a database on a server no disk is known here."""
    assert None is settings_in(tmp_path, database_url="postgresql://ada@ledger/parley").ledger_file


async def test_a_disk_that_becomes_full_is_reported_once(parts: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for space learns of it, each time that a disk has become full."""
    monkeypatch.setattr(disk_space, "_LOOK_SECONDS", 0.001)
    said: list[str] = []
    over, states = asyncio.Event(), iter([False, True, True, False, True])

    def is_full(place: Path) -> bool:
        if place != parts.blobs:
            return False
        if (state := next(states, None)) is None:
            over.set()
        return state is not False

    monkeypatch.setattr(shutil, "disk_usage", usage(is_full))
    async with run_in_background(report_full_disks(parts.written_folders, said.append)):
        await over.wait()

    assert [f"the disk with {parts.blobs} is full; free some space, and what waits for it continues"] * 2 == said


async def test_who_uses_a_server_learns_of_a_full_disk(parts: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that uses the installation's server reports the disk of its ledger."""
    told = asyncio.Event()
    monkeypatch.setattr(shutil, "disk_usage", usage(lambda place: place.name == "ledger"))
    async with embedded_server(parts, notify=lambda _: told.set()):
        await told.wait()
