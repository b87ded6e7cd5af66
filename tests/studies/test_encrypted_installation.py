"""An installation whose workers encrypt, beside a process that does not have their key."""

import asyncio
import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.worker import Worker

from ledger.store import Store
from ledger.studies.writing import enter
from parley.client import Parley
from parley.control import Steering
from parley.installations import known_installation
from parley.listing import listed
from parley.pending_approvals import standstills
from parley.session import Session
from runtime.connect import connect
from runtime.errors import PayloadError, UnknownKeyError
from runtime.installation import refuse_other_keys, share_key
from runtime.server_address import Address
from runtime.settings import Settings
from starter.handlers.installation import name_unreadable
from studies.definition.files import Overrides
from studies.definition.load import LoadedStudy, load_study
from studies.runs.control import StudyControl
from studies.runs.start import StudyRuns
from studies.runs.status import UNREADABLE, known_study, study_status
from studies.schedules import Schedules
from tests.fakes.councils import agreeable
from tests.fakes.entered import entered
from tests.fakes.models import ScriptedModels
from tests.fakes.parrot import Heard, Parrot, repeat
from tests.fakes.server import RunningServer, real_server, settings_in
from tests.fakes.staff import staff
from tests.fakes.study_files import QUESTIONS, STUDY
from tests.fakes.upgraded import UpgradedLedgers
from workflows import search_attributes

OURS, TWIN = (base64.b64encode(bytes([number]) * 32).decode() for number in (1, 2))
KEYS = f"ours:{OURS}"
OTHERS = [None, f"new:{TWIN}", f"ours:{TWIN}"]
"""No key, another one, and another one under the same id."""
DAILY = ["0 3 * * *"]
PANEL: dict[str, Any] = {"models": ["a", "b"], "chair": "c"}
REFUSED = "PARLEY_ENCRYPTION_KEYS.* Until then nothing is sent "


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """A server whose workers encrypt; none of them runs."""
    async with real_server(tmp_path_factory.mktemp("encrypted"), search_attributes.ALL) as running:
        await share_key(await connect(keyed(running, KEYS)))
        yield running


def small_study(folder: Path, settings: Settings) -> LoadedStudy:
    """A study over two rows in ``folder``."""
    (folder / "questions.csv").write_text(QUESTIONS, "utf-8")
    (folder / "small.toml").write_text(STUDY, "utf-8")
    return load_study(str(folder / "small.toml"), Overrides(), settings)


def keyed(server: RunningServer, keys: str | None) -> Settings:
    """The settings of a process with ``keys``."""
    return Settings.model_validate({**server.settings.model_dump(), "encryption_keys": keys})


async def parley_with(server: RunningServer, keys: str | None) -> Parley:
    """A client with ``keys``."""
    return await Parley.attach(keyed(server, keys), address=server.address)


async def finished(server: RunningServer, workflow_id: str) -> None:
    """Have a workflow end whose texts are encrypted."""
    client = await connect(keyed(server, KEYS))
    async with Worker(client, task_queue=workflow_id, workflows=[Parrot], activities=[repeat]):
        heard = Heard(text="private")
        await client.execute_workflow(Parrot.run, heard, id=workflow_id, task_queue=workflow_id)


@pytest.mark.parametrize("keys", OTHERS)
async def test_nothing_is_asked_without_the_key_of_the_workers(
    server: RunningServer, keys: str | None, tmp_path: Path
) -> None:
    """Neither the question nor an attached file is stored, and the refusal names the variable."""
    (tmp_path / "private.txt").write_text("a private file")
    stranger, name = await parley_with(server, keys), f"never-{uuid4()}"
    attached: dict[str, Any] = {"attach": [str(tmp_path / "private.txt")]}
    for given in ({}, attached):
        with pytest.raises(PayloadError, match=REFUSED):
            await stranger.start_council("A private question?", **PANEL, id=name, **given)

    assert 0 == (await stranger.client.count_workflows(f"WorkflowId = '{name}'")).count
    assert not list(server.settings.blobs.rglob("*"))


@pytest.mark.parametrize("keys", OTHERS)
async def test_nothing_is_changed_without_the_key_of_the_workers(server: RunningServer, keys: str | None) -> None:
    """A reason in plain text is not sent, to a deliberation or to a study; an end without a text can be asked for."""
    ours, stranger, name = await parley_with(server, KEYS), await parley_with(server, keys), f"changed-{uuid4()}"
    handle = (await ours.start_council("Why?", **PANEL, id=name)).handle
    with pytest.raises(PayloadError, match=REFUSED):
        await stranger.stop(name, "a private reason")
    with pytest.raises(PayloadError, match=REFUSED):
        await StudyControl(stranger.client, stranger.settings, name).pause("a private reason")
    await stranger.cancel(name)
    kinds = {event.WhichOneof("attributes") async for event in handle.fetch_history_events()}
    await handle.terminate()

    assert "workflow_execution_cancel_requested_event_attributes" in kinds
    assert not any("update" in (kind or "") for kind in kinds)


async def test_no_study_is_entered_without_the_key_of_the_workers(server: RunningServer, tmp_path: Path) -> None:
    """The ledger, whose titles would be in plain text, is not even made; nor is a schedule."""
    client, settings = (await parley_with(server, None)).client, settings_in(tmp_path / "none")
    study, runs = small_study(tmp_path, settings), StudyRuns(client, settings)
    for begun in (
        runs.begin(study),
        runs.extend(study),
        runs.go_on("small"),
        runs.retry("small"),
        Schedules(client, settings).create(study, DAILY, None),
    ):
        with pytest.raises(UnknownKeyError, match=REFUSED):
            await begun

    assert await known_installation(settings) is None


async def test_a_worker_without_a_key_is_refused_and_a_new_key_takes_the_place_of_a_lost_one(
    tmp_path: Path,
) -> None:
    """A worker in plain text would store what others encrypt; one with a new key is what commands then need."""
    async with real_server(tmp_path) as server:
        plain, ours, new = [await connect(keyed(server, keys)) for keys in (None, KEYS, f"new:{TWIN}")]
        await share_key(plain)
        await share_key(ours)
        with pytest.raises(UnknownKeyError, match=r"'ours'.*no keys"):
            await share_key(plain)
        await share_key(new)
        await refuse_other_keys(new)
        with pytest.raises(UnknownKeyError, match=r"'new'.*holds only ours"):
            await refuse_other_keys(ours)


@pytest.mark.parametrize("keys", OTHERS)
async def test_a_study_has_its_counts_without_its_key(
    server: RunningServer, keys: str | None, upgraded: UpgradedLedgers, tmp_path: Path
) -> None:
    """They are in the ledger; what only the batch knows is named as not readable, with the key."""
    url, name = await upgraded.file(tmp_path / "books.db"), f"private-{uuid4().hex[:8]}"
    store = Store(url)
    await enter(store, *entered(name).parts, [])
    await store.close()
    await finished(server, name)
    stranger = await parley_with(server, keys)
    settings = stranger.settings.model_copy(update={"database_url": url})
    status = await study_status(stranger.client, settings, await known_study(settings, name))

    assert ("completed", True) == (status.status, status.progress.total > 0)
    assert status.note.startswith(f"{UNREADABLE}: ")
    assert "'ours'" in status.note


async def test_a_schedule_is_changed_without_its_key(
    server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is shown without its times, because a command that fails after the change would be given again."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", server.address)
    ours, stranger = await parley_with(server, KEYS), await parley_with(server, None)
    settings = settings_in(tmp_path / "home", encryption_keys=KEYS)
    await Schedules(ours.client, settings).create(small_study(tmp_path, settings), DAILY, None)
    paused = await Schedules(stranger.client, stranger.settings).pause("small", "")
    resumed = await Schedules(ours.client, settings).resume("small")
    await Schedules(stranger.client, stranger.settings).delete("small")

    assert (True, "cannot be read without their key") == (paused.paused, paused.times)
    assert (False, "0 3 * * *") == (resumed.paused, resumed.times)


async def test_what_waits_is_listed_without_its_key(server: RunningServer) -> None:
    """One deliberation that cannot be read hides no other one from the list of those that wait."""
    ours, stranger, name = await parley_with(server, KEYS), await parley_with(server, None), f"waits-{uuid4()}"
    async with staff(ours.client, models := ScriptedModels(agreeable)):
        models.hold.add("opinion-p1")
        handle = (await ours.start_council("Why?", **PANEL, id=name)).handle
        line = listed(await handle.describe()).model_copy(update={"stage": "budget"})
        (waits,) = await standstills(Steering(stranger.client), [line])
        await handle.terminate()

    assert (name, True) == (waits.id, "'ours'" in waits.why)


async def test_parley_up_names_a_result_that_it_cannot_read(
    server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a lost key its first lines say which result, which key, and what to do."""
    name = f"council-{uuid4()}"
    ours, other = await parley_with(server, KEYS), await parley_with(server, OTHERS[1])
    async with staff(ours.client, ScriptedModels(agreeable)):
        await ours.council("Why?", **PANEL, id=name)
    said = ""
    async with asyncio.timeout(20):
        while name not in said:  # the newest is looked at, and the server lists it a moment later
            await name_unreadable(Session(other, Address(server.address, embedded=False, ui_url=None)))
            said += capsys.readouterr().err

    assert "A result cannot be read: " in said
    assert "the key 'ours', and PARLEY_ENCRYPTION_KEYS holds only new. Add that key at the end" in said
