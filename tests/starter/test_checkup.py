"""Whether everything is in order."""

import asyncio
import resource
import shutil
from base64 import b64encode
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import SecretStr

from parley.client import Parley
from starter.doctor.checkup import Check, examine
from tests.fakes.councils import agreeable
from tests.fakes.models import ScriptedModels
from tests.fakes.server import RunningServer, settings_in
from tests.fakes.staff import staff


def by_name(checks: tuple[Check, ...]) -> dict[str, Check]:
    """The checks by what was looked at."""
    return {check.name: check for check in checks}


async def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    """Before the first start the check-up says what is missing and leaves the disk as it was."""
    found = by_name(await examine(settings_in(tmp_path / "home")))
    assert not found["server"].ok
    assert not found["ledger"].ok
    assert not (tmp_path / "home").exists()


async def test_whatever_is_not_in_order_comes_with_a_remedy(tmp_path: Path) -> None:
    """No check that failed leaves a user alone, and no remedy shows what is wrong with nothing."""
    found = await examine(settings_in(tmp_path / "home"))
    assert all(check.remedy or "parley up" in check.found for check in found if not check.ok)


async def test_a_disk_that_takes_no_more_is_noticed(tmp_path: Path) -> None:
    """A directory in which a file can be made and nothing be written to it is not in order."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        found = by_name(await examine(settings_in(tmp_path)))["blobs"]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (False, True) == (found.ok, found.remedy.startswith("Free some space")), found


async def test_a_full_disk_of_the_ledger_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of the ledger's file is looked at where the home has another one."""
    (tmp_path / "ledger").mkdir()
    settings = settings_in(tmp_path, database_url=f"sqlite:///{tmp_path}/ledger/all.db")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=0 if place.name == "ledger" else 9e9))
    found = by_name(await examine(settings))["disks"]

    assert (False, f"full with {tmp_path / 'ledger'}") == (found.ok, found.found)


async def test_only_disks_that_this_machine_writes_to_are_said_to_have_space(tmp_path: Path) -> None:
    """That of a database server may be another machine's."""
    elsewhere = settings_in(tmp_path, database_url="postgresql://nobody@127.0.0.1:1/none")
    found = [by_name(await examine(settings))["disks"].found for settings in (settings_in(tmp_path), elsewhere)]
    assert found == [
        "there is space for the home, the ledger and the blobs",
        "there is space for the home and the blobs",
    ]


async def test_key_is_looked_for_and_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider's key is set or missing; what it is is nowhere."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-canary-000000")
    found = await examine(settings_in(tmp_path / "home"))
    assert by_name(found)["provider openrouter"].ok
    assert "canary" not in repr(found)


async def test_running_installation_is_seen_from_columns_to_stored_texts(server: RunningServer, parley: Parley) -> None:
    """With a worker there every queue is polled, the columns are known, runs are kept and stored texts are found."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        await parley.council("Why?", models=["a", "b"], chair="c")
        found = by_name(await examine(server.settings))
    looked_at = ("server", "queue parley", "queue ledger", "list columns", "retention", "stored texts")
    assert all(found[name].ok for name in looked_at), found
    assert found["stuck deliberations"].found == "none"


async def test_blobs_that_are_gone_are_noticed(server: RunningServer, parley: Parley, tmp_path: Path) -> None:
    """When results point to texts that this blob directory does not have, the check names the deliberation."""
    async with staff(parley.client, ScriptedModels(lambda call: "long " * 4000)):
        await parley.council("Why?", models=["a", "b"], chair="c", id="long-one")
    elsewhere = server.settings.model_copy(update={"blobs": tmp_path / "empty"})
    async with asyncio.timeout(20):
        found = by_name(await examine(elsewhere))["stored texts"]
        while "long-one" not in found.found:  # the newest is looked at, and the server lists it a moment later
            await asyncio.sleep(0.05)
            found = by_name(await examine(elsewhere))["stored texts"]
    assert (False, True) == (found.ok, "backup" in found.remedy)


async def test_a_wrong_key_is_no_lost_blob(server: RunningServer) -> None:
    """Results under another key are reported with what to do about keys, and with nothing about blobs."""
    keys = [SecretStr(f"k1:{b64encode(bytes([one]) * 32).decode()}") for one in range(2)]
    ours, others = (server.settings.model_copy(update={"encryption_keys": key}) for key in keys)
    parley = await Parley.connect(ours, address=server.address)
    async with staff(parley.client, ScriptedModels(agreeable)):
        await parley.council("Why?", models=["a", "b"], chair="c", id="under-a-key")
    async with asyncio.timeout(20):
        found = by_name(await examine(others))["stored texts"]
        while "under-a-key" not in found.found:  # the newest is looked at, and the server lists it a moment later
            await asyncio.sleep(0.05)
            found = by_name(await examine(others))["stored texts"]
    assert (False, True, "") == (found.ok, "PARLEY_ENCRYPTION_KEYS" in found.found, found.remedy)


async def test_a_missing_namespace_is_said_once(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A namespace that the server does not have is one line with both remedies, and not one line of every look."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", server.target.address)
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "nope")
    refused = [check for check in await examine(server.settings) if check.name == "server" and not check.ok]

    assert [check.found for check in refused] == ["it does not say: the server has no namespace nope"]
    assert "TEMPORAL_NAMESPACE" in refused[0].remedy
    assert refused[0].remedy.endswith("temporal operator namespace create --namespace nope")
