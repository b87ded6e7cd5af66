"""A client to Temporal that speaks as every other process of this installation does."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial

from temporalio.client import Client, Interceptor
from temporalio.plugin import SimplePlugin
from temporalio.service import RetryConfig

from runtime.errors import CannotReachTemporalError
from runtime.plugin import parley_plugin
from runtime.processes import own_name
from runtime.settings import Settings
from runtime.target import Target, temporal_target
from runtime.telemetry import span_plugin, temporal_runtime, unmeasured_runtime

_PATIENCE = timedelta(seconds=10)
_SHORT_PATIENCE = 2.0
_STEP = 0.1
_RETRIES = RetryConfig(max_interval_millis=1000, max_elapsed_time_millis=60_000, max_retries=200)
"""A server that is started again is away for a few seconds; the SDK's default gives up after ten tries or 10 s."""


async def connect(
    settings: Settings,
    *,
    address: str | None = None,
    plugin: SimplePlugin | None = None,
    interceptors: Sequence[Interceptor] = (),
    measured: bool = False,
) -> Client:
    """Return a connected client with the converter, the sandbox and, if requested, metrics and spans.

    Args:
        settings: Of this process; Temporal's own variables are read too.
        address: What ``resolve_server`` found; otherwise the configured address or this machine's ``server_port``.
        plugin: Instead of the plain ``parley_plugin(settings)``.
        interceptors: The SDK's, in order.
        measured: Listen on the metrics address, if there is one; only one process can, and that is the worker.

    Raises:
        CannotReachTemporalError: nothing answers there, or something that is not Temporal.
    """
    target = temporal_target(settings)
    target = target if address is None else target.at(address)
    spans = span_plugin(settings)
    chosen = plugin or parley_plugin(settings)
    try:
        async with asyncio.timeout(_PATIENCE.total_seconds()):
            return await _connecting(target)(
                connect_timeout=_PATIENCE,
                plugins=[chosen, spans] if spans else [chosen],
                interceptors=interceptors,
                identity=str(own_name()),
                runtime=temporal_runtime(settings) if measured else unmeasured_runtime(),
                retry_config=_RETRIES,
            )
    except (RuntimeError, TimeoutError, ValueError) as error:
        raise CannotReachTemporalError(_unreachable(target, error)) from error


async def answers(target: Target, *, within: float = _SHORT_PATIENCE, patiently: bool = False) -> bool:
    """Return whether a Temporal server answers at ``target``; ``patiently`` retries for ``within`` seconds."""
    try:
        async with asyncio.timeout(within):
            while not await _answers_now(target):
                if not patiently:
                    return False
                await asyncio.sleep(_STEP)
    except (TimeoutError, ValueError):  # the second: no address at all, now and later
        return False
    return True


async def why_silent(target: Target) -> str:
    """Return in words why nothing answers at ``target``."""
    try:
        async with asyncio.timeout(_SHORT_PATIENCE):
            await plain_client(target)
    except (RuntimeError, TimeoutError, ValueError) as error:
        return _reason(error)
    return "it began to answer just now"


async def plain_client(target: Target) -> Client:
    """Return a client without converter and plugins, for administrative requests to the server."""
    return await _connecting(target)()


def _connecting(target: Target) -> Callable[..., Awaitable[Client]]:
    """Return ``Client.connect`` with what the server at ``target`` requires."""
    return partial(
        Client.connect,
        target.address,
        namespace=target.namespace,
        api_key=target.api_key,
        tls=target.tls,
        rpc_metadata=target.rpc_metadata,
        grpc_compression=target.compression,
    )


async def _answers_now(target: Target) -> bool:
    try:
        await plain_client(target)
    except RuntimeError:  # what the SDK raises when it cannot connect
        return False
    return True


def _unreachable(target: Target, error: BaseException) -> str:
    remedy = (
        "Check TEMPORAL_ADDRESS, TEMPORAL_TLS… and TEMPORAL_API_KEY, and that the server runs."
        if target.configured
        else "Start one with `parley up`, or name another with TEMPORAL_ADDRESS."
    )
    return f"cannot reach Temporal at {target.address}: {_reason(error)}. {remedy}"


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "nothing answered in time"
    known = {
        "ConnectionRefused": "the connection was refused",
        "dns error": "the host name is not known",
        "get_system_info": "what listens there is not a Temporal server, or wants TLS or a client's certificate",
        "InvalidCertificate": "its TLS certificate is not trusted",
        "PrivateKeyParseError": "the key of the client's certificate cannot be read",
    }
    return next((meaning for sign, meaning in known.items() if sign in str(error)), str(error)[:200])
