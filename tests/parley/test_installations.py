"""Which installation a command or a Python client belongs to."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ledger.connection import installation_id
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from parley.client import Parley
from parley.installations import known_installation
from parley.session import open_session
from runtime.connect import plain_client
from runtime.errors import ForeignInstallationError, PlaintextRefusedError
from runtime.installation import Installation, ServerNamespaceData, claim
from runtime.settings import Settings
from starter.doctor.checkup import examine
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StudyRuns, with_equal_samples
from studies.schedules import Schedules
from tests.fakes.server import RunningServer, real_server, settings_in
from tests.fakes.study_files import QUESTIONS, STUDY

THEIRS = Installation("9f8e", "there:/home/theirs")


@pytest.fixture(scope="module")
async def theirs(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """A server that another installation has marked."""
    async with real_server(tmp_path_factory.mktemp("theirs")) as running:
        await claim(ServerNamespaceData(await plain_client(running.target)), THEIRS)
        yield running


@pytest.fixture
def settings(theirs: RunningServer, tmp_path: Path) -> Settings:
    """A home of its own with the ports of the other installation."""
    ports = {name: port for name, port in theirs.settings.model_dump().items() if name.endswith("_port")}
    return settings_in(tmp_path / "own", **ports)


EQUAL_COST = '[[arms]]\nname = "sc"\nprotocol = "vote"\npanel = "lab"\noptions = { samples = "like council-lab" }\n'
"""An arm whose samples follow from what another arm took, which the ledger knows."""


async def ledger_in(settings: Settings) -> str:
    """Make the ledger of these settings and return its id."""
    store = Store(settings.database_url)
    await upgrade(store)
    found = await installation_id(store)
    await store.close()
    return found


async def test_a_ledger_is_in_its_home_whatever_that_is_called(tmp_path: Path) -> None:
    """A question mark or an escape in the path of the home is part of the path of its ledger."""
    own = settings_in(tmp_path / "100%25 sure? #1")
    made = await ledger_in(own)
    known = await known_installation(own)

    assert known is not None
    assert (made, True) == (known.id, (own.home / "parley.db").is_file())


async def test_a_command_knows_the_identity_of_its_ledger(tmp_path: Path) -> None:
    """The id is the ledger's and the place is the home; a ledger elsewhere makes other homes the same installation."""
    own = settings_in(tmp_path / "own")
    made = await ledger_in(own)
    shared = settings_in(tmp_path / "second", database_url=own.database_url)

    found, second = await known_installation(own), await known_installation(shared)
    assert found is not None
    assert second is not None
    assert (made, made, str(own.home)) == (found.id, second.id, found.home)
    assert (True, False) == (found.is_ledger_in_home, second.is_ledger_in_home)


async def test_a_command_makes_no_identity(tmp_path: Path) -> None:
    """A home without a ledger has no installation yet, and looking for it makes neither."""
    assert await known_installation(settings_in(tmp_path / "fresh")) is None
    assert not (tmp_path / "fresh").exists()


async def test_a_python_client_is_refused_by_another_installation(theirs: RunningServer, settings: Settings) -> None:
    """``Parley.connect`` compares as commands do, on the usual port and with an address that was named."""
    with pytest.raises(ForeignInstallationError, match="there:/home/theirs"):
        await Parley.connect(settings)
    await ledger_in(settings)
    with pytest.raises(ForeignInstallationError, match="there:/home/theirs"):
        await Parley.connect(settings, address=theirs.address)


@pytest.mark.parametrize("configured", [{}, {"TEMPORAL_ADDRESS": "127.0.0.1:7233", "TEMPORAL_TLS": "true"}])
async def test_nothing_is_sent_to_a_named_address_on_another_machine_in_plain_text(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, configured: dict[str, str]
) -> None:
    """TLS belongs to the configured address, so one that is named beside it is another machine without TLS."""
    for name, value in configured.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(PlaintextRefusedError, match=r"'cloud\.example:7233' of Temporal is another machine"):
        await Parley.connect(settings, address="cloud.example:7233")


async def test_a_client_without_a_ledger_may_name_its_server(theirs: RunningServer, settings: Settings) -> None:
    """A process far from its workers has nothing to compare, so a server that it names is used."""
    connected = await Parley.connect(settings, address=theirs.address)

    assert "default" == connected.client.namespace


async def test_a_study_makes_no_ledger_for_a_server_of_another_one(
    theirs: RunningServer, settings: Settings, tmp_path: Path
) -> None:
    """A study starts nothing on the server of another installation, and neither does a schedule."""
    (tmp_path / "questions.csv").write_text(QUESTIONS, "utf-8")
    (tmp_path / "small.toml").write_text(STUDY, "utf-8")
    client = (await Parley.connect(settings, address=theirs.address)).client
    study = load_study(str(tmp_path / "small.toml"), Overrides(), settings)
    (tmp_path / "equal.toml").write_text(f"{STUDY}{EQUAL_COST}", "utf-8")
    await with_equal_samples(settings, load_study(str(tmp_path / "equal.toml"), Overrides(), settings))
    with pytest.raises(ForeignInstallationError, match="there:/home/theirs"):
        await StudyRuns(client, settings).begin(study)
    with pytest.raises(ForeignInstallationError, match="there:/home/theirs"):
        await Schedules(client, settings).create(study, ["0 3 * * *"], None)

    assert await known_installation(settings) is None


@pytest.mark.long
async def test_the_first_command_names_the_home_that_it_made(tmp_path: Path) -> None:
    """A user reads once where a new installation is, and not again."""
    settings, said = settings_in(tmp_path / "own"), list[str]()
    for _ in range(2):
        async with open_session(settings, said.append, worker="none"):
            pass

    assert [f"A new installation was made in {settings.home}."] == said


async def test_the_doctor_names_what_others_may_read(tmp_path: Path) -> None:
    """A file of the home that other users may read is named with the remedy."""
    settings = settings_in(tmp_path / "own")
    settings.home.mkdir(mode=0o700)
    (settings.home / "notes").write_text("")
    (settings.home / "notes").chmod(0o644)
    (home,) = [check for check in await examine(settings) if check.name == "home"]

    assert not home.ok
    assert str(settings.home / "notes") in home.found
    assert "chmod" in home.remedy


async def test_every_kind_of_ledger_shows_its_identity(url: str, store: Store, tmp_path: Path) -> None:
    """A command reads the id that the worker wrote, from a file while the worker has it open, and from a server."""
    found = await known_installation(settings_in(tmp_path / "own", database_url=url))

    assert found is not None
    assert await installation_id(store) == found.id


async def test_a_file_without_a_ledger_has_no_identity(tmp_path: Path) -> None:
    """A database without tables and a file that is no database leave a command without an installation."""
    for name, content in (("empty.db", ""), ("text.db", "not a database" * 100)):
        (tmp_path / name).write_text(content)
        settings = settings_in(tmp_path / "own", database_url=f"sqlite:///{tmp_path / name}")

        assert await known_installation(settings) is None
