"""Which server a process uses, and whose it must be."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.common import SearchAttributeKey

from runtime.connect import answers, plain_client
from runtime.errors import CannotReachTemporalError, ForeignInstallationError
from runtime.installation import Installation, ServerNamespaceData, claim
from runtime.server_address import own_address, refuse_foreign, resolve_server
from runtime.settings import Settings
from runtime.target import temporal_target
from tests.fakes.certificates import self_signed
from tests.fakes.server import RunningServer, real_server, settings_in, target_of

PLANTED, REFUSED = SearchAttributeKey.for_keyword("Planted"), SearchAttributeKey.for_keyword("Refused")
OURS = Installation("0c1d", "here:/home/ours")
THEIRS = Installation("9f8e", "there:/home/theirs")


@pytest.fixture(scope="module")
async def stranger(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """A server of another home without a mark."""
    async with real_server(tmp_path_factory.mktemp("stranger")) as running:
        yield running


@pytest.fixture(scope="module")
async def marked(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """A server of another home that carries the mark of ``THEIRS``."""
    async with real_server(tmp_path_factory.mktemp("marked")) as running:
        await claim(ServerNamespaceData(await plain_client(running.target)), THEIRS)
        yield running


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home of its own in which nothing runs."""
    return settings_in(tmp_path / "own")


def on_port_of(server: RunningServer, settings: Settings) -> Settings:
    """The settings of a process whose server port is already answered by ``server``."""
    return settings.model_copy(update={"server_port": server.settings.server_port})


async def test_a_configured_server_with_a_self_signed_certificate_is_said(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A command that cannot reach a server over TLS says that its certificate is the reason."""
    context, _ = self_signed(tmp_path)
    context.set_alpn_protocols(["h2"])
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context) as there:
        monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{there.sockets[0].getsockname()[1]}")
        monkeypatch.setenv("TEMPORAL_TLS", "true")
        monkeypatch.setattr("runtime.server_address._PATIENCE", 0.3)
        with pytest.raises(CannotReachTemporalError, match="its TLS certificate is not trusted"):
            async with resolve_server(settings, temporal_target(settings), []):
                pass


async def columns_of(server: RunningServer) -> Sequence[str]:
    """The list columns that the server knows beside its own."""
    client = await plain_client(server.target)
    listed = await client.operator_service.list_search_attributes(ListSearchAttributesRequest(namespace="default"))
    return list(listed.custom_attributes)


async def resolved(
    settings: Settings, ours: Installation | None, column: SearchAttributeKey[Any] = PLANTED, **target: Any
) -> str:
    """The address of the server for a process, which is given one list column."""
    there = replace(target_of(settings), **target)
    async with resolve_server(settings, there, [column], ours=ours) as found:
        return found.address


async def test_a_stranger_on_the_usual_port_is_refused_and_left_as_it_is(
    stranger: RunningServer, settings: Settings
) -> None:
    """A server without a mark that was not configured gets no column, and the message gives both remedies."""
    with pytest.raises(ForeignInstallationError, match=r"belongs to no installation.*TEMPORAL_ADDRESS"):
        await resolved(on_port_of(stranger, settings), OURS, REFUSED)

    assert "Refused" not in await columns_of(stranger)
    assert not settings.home.exists()


@pytest.mark.parametrize("ours", [OURS, None])
async def test_another_installation_on_the_usual_port_is_refused(
    marked: RunningServer, settings: Settings, ours: Installation | None
) -> None:
    """Neither another ledger nor a home without one uses a server that is marked by another one."""
    with pytest.raises(ForeignInstallationError, match="there:/home/theirs"):
        await resolved(on_port_of(marked, settings), ours, REFUSED)

    assert "Refused" not in await columns_of(marked)
    assert await answers(marked.target)


async def test_another_installation_on_a_configured_server_is_refused(
    marked: RunningServer, settings: Settings
) -> None:
    """Naming a server does not make it ours: a mark of another ledger is refused there as well."""
    with pytest.raises(ForeignInstallationError, match="serves another installation"):
        await resolved(on_port_of(marked, settings), OURS, configured=True)


async def test_a_server_with_our_mark_is_used(marked: RunningServer, settings: Settings) -> None:
    """Homes that share a ledger share the server on the usual port, which is left running."""
    assert marked.address == await resolved(on_port_of(marked, settings), THEIRS)
    assert await answers(marked.target)


async def test_a_configured_server_is_used_without_a_mark(stranger: RunningServer, settings: Settings) -> None:
    """A configured server is given the columns; its first worker marks it."""
    assert stranger.address == await resolved(on_port_of(stranger, settings), OURS, configured=True)
    assert "Planted" in await columns_of(stranger)


async def test_a_server_on_our_file_that_was_made_with_another_ledger_is_refused(settings: Settings) -> None:
    """A home whose ledger was replaced does not continue with the histories of the old one."""
    async with resolve_server(settings, target_of(settings), []) as found:
        client = await plain_client(target_of(settings))
        await claim(ServerNamespaceData(client), THEIRS)
        assert found.address == own_address(settings)

        with pytest.raises(ForeignInstallationError, match="another ledger"):
            await refuse_foreign(client, found.address, settings, target_of(settings), OURS)
