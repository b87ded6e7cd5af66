"""A Temporal namespace serves one installation."""

import asyncio
import platform
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from temporalio.service import RPCError, RPCStatusCode

from runtime.connect import plain_client
from runtime.errors import ForeignInstallationError
from runtime.installation import Comparison, Installation, ServerNamespaceData, claim, mark_in, take
from runtime.settings import Settings
from tests.fakes.server import RunningServer, real_server

OURS = Installation("0c1d", "here:/home/ours")
THEIRS = Installation("9f8e", "there:/home/theirs")


class FakeNamespace:
    """Entries in memory that are merged key by key, with a chance for others between any two steps."""

    def __init__(self, **entries: str) -> None:
        self.entries = dict(entries)

    async def read(self) -> Mapping[str, str]:
        """Return a copy, after everyone else had a turn."""
        await asyncio.sleep(0)
        return dict(self.entries)

    async def write(self, key: str, value: str) -> None:
        """Merge one entry, after everyone else had a turn."""
        await asyncio.sleep(0)
        self.entries[key] = value


class RefusingNamespace(FakeNamespace):
    """A namespace that this account may read and not write."""

    def __init__(self, status: RPCStatusCode = RPCStatusCode.PERMISSION_DENIED) -> None:
        super().__init__()
        self._status = status

    async def write(self, key: str, value: str) -> None:
        """Refuse."""
        raise RPCError("refused", self._status, b"")


class BusyNamespace(FakeNamespace):
    """A namespace in which another installation's bid is always there."""

    async def read(self) -> Mapping[str, str]:
        """Return the entries and the bid that never goes."""
        return {**await super().read(), "parley.bid.9f8e.00": "99999999999"}


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """A real server that no worker has marked."""
    async with real_server(tmp_path_factory.mktemp("marked")) as running:
        yield running


async def test_a_first_worker_marks_the_namespace_and_a_second_sees_it() -> None:
    """An unmarked namespace goes to the first installation; the next one learns whose it is and changes nothing."""
    namespace = FakeNamespace(other="kept")
    first = await claim(namespace, OURS)
    entries = dict(namespace.entries)

    assert (OURS, OURS) == (first, await claim(namespace, THEIRS))
    assert entries == namespace.entries
    assert "kept" == entries["other"]


@pytest.mark.parametrize("count", range(2, 8))
async def test_of_many_first_workers_one_installation_wins(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the steps of installations interleave, all of them end with the same owner."""
    monkeypatch.setattr("runtime.installation._LONGEST_PAUSE", 0.01)
    namespace = FakeNamespace()
    rivals = [Installation(f"{number:04d}", f"here:/home/{number}") for number in range(count)]
    owners = await asyncio.gather(*(claim(namespace, rival) for rival in (*rivals, *rivals)))

    assert 1 == len(set(owners))
    assert owners[0] == mark_in(namespace.entries)


async def test_a_bid_that_never_goes_ends_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that cannot become the only bidder gives up with the remedy and leaves no mark and no bid."""
    monkeypatch.setattr("runtime.installation._LONGEST_PAUSE", 0.001)
    namespace = BusyNamespace()
    with pytest.raises(ForeignInstallationError, match="PARLEY_NAMESPACE"):
        await claim(namespace, OURS)

    assert [] == [value for value in namespace.entries.values() if value]


async def test_a_bid_of_a_killed_worker_expires() -> None:
    """A claim that is older than five minutes blocks nothing."""
    assert OURS == await claim(FakeNamespace(**{"parley.bid.9f8e.00": "1000000000"}), OURS)


async def test_a_moved_home_is_named_where_it_is_now(tmp_path: Path) -> None:
    """The mark follows a home that was moved on this machine, and stays where two homes share a ledger."""
    old, new = Installation.at(tmp_path / "old", "0c1d"), Installation.at(tmp_path / "new", "0c1d")
    namespace = FakeNamespace()
    await claim(namespace, old)
    (tmp_path / "old").mkdir()
    shared = await claim(namespace, new)
    (tmp_path / "old").rmdir()

    assert (old, new) == (shared, await claim(namespace, new))
    assert new == mark_in(namespace.entries)


async def test_an_account_that_may_not_write_the_namespace_leaves_a_schedule(
    settings: Settings,
) -> None:
    """The first of two such workers marks the server by a paused schedule, and the second one sees whose it is."""
    async with real_server(settings.home) as running:
        client = await plain_client(running.target)
        first = await take(client, RefusingNamespace(), OURS)
        second = await take(client, RefusingNamespace(), THEIRS)
        seen = [
            await Comparison.of(client, running.address, settings.home, THEIRS, is_configured=configured)
            for configured in (True, False)
        ]
        (listed,) = [entry async for entry in await client.list_schedules()]

    assert (OURS, OURS) == (first, second)
    assert [OURS, None] == [comparison.mark for comparison in seen]
    assert listed.schedule is not None
    assert listed.schedule.state.paused


async def test_a_failure_of_another_kind_is_no_reason_for_a_second_mark(server: RunningServer) -> None:
    """A server that does not answer in time is not marked in another way; the error goes to the caller."""
    with pytest.raises(RPCError):
        await take(await plain_client(server.target), RefusingNamespace(RPCStatusCode.UNAVAILABLE), OURS)


async def test_the_real_server_keeps_the_mark(server: RunningServer) -> None:
    """The namespace of a development server takes the mark and shows it to the next client."""
    assert OURS == await claim(ServerNamespaceData(await plain_client(server.target)), OURS)
    assert OURS == await claim(ServerNamespaceData(await plain_client(server.target)), THEIRS)


async def test_one_of_many_installations_wins_the_real_server(settings: Settings) -> None:
    """The server's own updates and reads leave one owner, whichever of five first workers is faster."""
    rivals = [Installation(f"{number:04d}", f"here:/home/{number}") for number in range(5)]
    async with real_server(settings.home) as running:
        namespaces = [ServerNamespaceData(await plain_client(running.target)) for _ in rivals]
        owners = await asyncio.gather(*map(claim, namespaces, rivals))
        mark = mark_in(await namespaces[0].read())

    assert {mark} == set(owners)
    assert mark in rivals


def compared(mark: Installation | None, ours: Installation | None, home: str = "/home/ours") -> Comparison:
    """The default namespace of this machine's server beside an installation."""
    return Comparison("127.0.0.1:7233", "default", Path(home), ours, mark)


def test_a_refusal_names_both_installations_and_both_remedies(tmp_path: Path) -> None:
    """A user reads whose server it is, who asks, how to use it and how to use another."""
    said = compared(Installation.at(tmp_path / "theirs", "9f8e"), OURS).refusal() or ""

    assert f"serves another installation of Parley, {platform.node()}:{tmp_path}/theirs" in said
    assert "this one is /home/ours" in said
    assert f"PARLEY_HOME={tmp_path}/theirs" in said
    assert "PARLEY_SERVER_PORT" in said


def test_an_installation_on_another_machine_is_not_offered_as_a_home() -> None:
    """A home of another machine cannot be set here, so the remedy is to share its ledger or to go there."""
    said = compared(THEIRS, OURS).refusal(is_configured=True) or ""

    assert "PARLEY_HOME=" not in said
    assert "run the command where there:/home/theirs is" in said


@pytest.mark.parametrize("how", [{"is_own": True}, {"is_configured": True}])
def test_a_replaced_ledger_is_said_to_be_the_cause(how: dict[str, bool], tmp_path: Path) -> None:
    """When a home has another ledger than its histories, the refusal does not send the person to that same home."""
    mark = Installation.at(tmp_path, "9f8e")
    said = compared(mark, OURS, str(tmp_path)).refusal(**how) or ""

    assert "with another ledger" in said
    assert "PARLEY_DATABASE_URL" in said


def test_a_home_that_got_the_port_in_the_same_moment_is_named(tmp_path: Path) -> None:
    """Where two homes start at once, the one without the port learns of the other, and of no lost ledger."""
    mark = Installation.at(tmp_path, "9f8e")

    assert f"serves another installation of Parley, {mark.place}" in (compared(mark, OURS).refusal(is_own=True) or "")
    assert "with another ledger" in (compared(THEIRS, OURS).refusal(is_own=True) or "")


def test_a_server_without_a_mark_is_used_only_when_it_is_configured_or_our_own() -> None:
    """A development server of another's is refused with both remedies; naming it is consent."""
    said = compared(None, OURS).refusal() or ""

    assert "TEMPORAL_ADDRESS=127.0.0.1:7233" in said
    assert "PARLEY_SERVER_PORT" in said
    assert compared(None, None).refusal(is_configured=True) is None
    assert compared(None, None).refusal(is_own=True) is None


def test_a_process_without_a_ledger_may_use_a_configured_server_only() -> None:
    """Without a ledger there is nothing to compare: on the default port that is refused, on a configured server not."""
    assert compared(THEIRS, None).refusal(is_configured=True) is None
    assert "serves another installation" in (compared(THEIRS, None).refusal() or "")


def test_a_copied_home_is_not_the_home_it_was_copied_from() -> None:
    """A ledger file that was copied with its home has the same id, and still does not use the original's server."""
    original, copy = Installation.at(Path("/a"), "0c1d"), Installation.at(Path("/b"), "0c1d", is_ledger_in_home=True)

    assert "PARLEY_HOME=/a" in (compared(original, copy, "/b").refusal() or "")
    assert compared(original, Installation.at(Path("/b"), "0c1d"), "/b").refusal() is None
