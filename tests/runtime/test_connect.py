"""A client, or a clear word about why there is none."""

import asyncio
import urllib.request

import pytest

from runtime.connect import answers, connect
from runtime.errors import CannotReachTemporalError, SettingsError
from runtime.settings import Settings
from runtime.target import temporal_target
from runtime.telemetry import span_plugin
from tests.fakes.server import RunningServer, free_port


async def test_nobody_there_is_said_with_the_address(settings: Settings) -> None:
    """When nothing listens the error names the address and what to do."""
    with pytest.raises(CannotReachTemporalError, match=rf"127\.0\.0\.1:{settings.server_port}.*refused.*parley up"):
        await connect(settings)


async def test_configured_address_is_blamed_by_its_variable(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the address was configured the error names the variable."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free_port()}")

    with pytest.raises(CannotReachTemporalError, match="TEMPORAL_ADDRESS"):
        await connect(settings)


@pytest.mark.parametrize("address", ["127.0.0.1:99999999", "127.0.0.1:port", "", "a:b:c"])
async def test_an_address_that_is_none_is_reported_as_one_that_nothing_answers(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """What can be no address is refused at once, in the words of one that does not answer and not the SDK's."""
    with pytest.raises(CannotReachTemporalError, match=f"cannot reach Temporal at {address}: invalid target URL"):
        await connect(settings, address=address)
    monkeypatch.setenv("TEMPORAL_ADDRESS", address or "127.0.0.1:0x")
    target = temporal_target(settings.model_copy(update={"allow_plaintext": True}))
    assert not await answers(target, within=600, patiently=True)


async def test_something_else_there_is_said(settings: Settings) -> None:
    """A port where something else answers is not taken for Temporal."""
    stranger = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", settings.server_port)
    async with stranger:
        with pytest.raises(CannotReachTemporalError, match="not a Temporal server"):
            await connect(settings)


async def test_client_states_who_it_is(server: RunningServer) -> None:
    """A client carries an identity that names the project."""
    client = await connect(server.settings, address=server.address)

    assert client.identity.startswith("parley-")
    assert await answers(temporal_target(server.settings))


@pytest.mark.parametrize("number", [1, 2])
async def test_metrics_are_served_when_asked_for(server: RunningServer, number: int) -> None:
    """With a metrics address Prometheus finds the SDK's figures there, those of the second worker one port higher."""
    port = free_port()
    asked = {"metrics_address": f"127.0.0.1:{port - number + 1}", "worker_number": number}
    client = await connect(server.settings.model_copy(update=asked), measured=True)
    await client.count_workflows()
    page = await asyncio.to_thread(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode())

    assert "temporal_request" in page


async def test_metrics_port_in_use_is_named(settings: Settings) -> None:
    """A metrics address that is taken is an error that names the setting."""
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as taken:
        where = f"127.0.0.1:{taken.sockets[0].getsockname()[1]}"
        with pytest.raises(SettingsError, match="PARLEY_METRICS_ADDRESS"):
            await connect(settings.model_copy(update={"metrics_address": where}), measured=True)


def test_no_spans_unless_asked_for(settings: Settings) -> None:
    """Without an endpoint there is no tracing plugin."""
    assert span_plugin(settings) is None
