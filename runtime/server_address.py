"""The address of the Temporal server of this process, and the start of one where none runs.

In this order: the server that is configured; the embedded server that another process of this installation runs; a
server on this machine's ``server_port`` that carries this installation's mark; else an embedded server of our own. An
embedded server is stopped by the last process that uses it. A server of another installation is refused before anything
is registered in it, and so is one without a mark unless it is configured.

A workflow that sets an unknown search attribute waits forever, so the attributes are registered before the first
deliberation; one of another type would do the same and is refused.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from google.protobuf.duration_pb2 import Duration
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError

from runtime.background import run_in_background
from runtime.connect import answers, plain_client, why_silent
from runtime.disk_space import report_full_disks
from runtime.errors import CannotReachTemporalError, ForeignInstallationError, SearchAttributeClashError
from runtime.installation import Comparison, Installation
from runtime.local_server import ignore_messages, is_left_behind, joined_server, owned_server
from runtime.server_flags import HOST
from runtime.server_lock import ServerFiles, read_info
from runtime.settings import Settings
from runtime.target import Target

log = structlog.get_logger(__name__)

_PATIENCE = 10.0


@dataclass(frozen=True)
class Address:
    """A server that is ready to be used."""

    address: str
    embedded: bool
    """Whether this process owned the server when it was found; the server ends with it if no other process uses it."""
    ui_url: str | None


@asynccontextmanager
async def resolve_server(
    settings: Settings,
    target: Target,
    columns: Iterable[SearchAttributeKey[Any]],
    notify: Callable[[str], None] = ignore_messages,
    ours: Installation | None = None,
    *,
    outwaited: bool = True,
) -> AsyncIterator[Address]:
    """Return the server of this process, with the search attributes registered.

    On a server that is not ours the columns are registered as far as it lets us. One of this installation is started
    again when it or the process that owns it ends, and ``notify`` is called. At the end it is stopped unless another
    process uses it; a process that leaves at once need not have its end ``outwaited``, which takes a second.

    Raises:
        CannotReachTemporalError: a server is configured and does not answer.
        ForeignInstallationError: the server serves another installation than ``ours``, or none and is not configured.
        SearchAttributeClashError: a column exists under another type.
        ServerError, PortInUseError: an embedded server was needed and could not be had.
    """
    there = await _already_there(settings, target)
    if there is not None:
        client = await plain_client(target.at(there.address))
        await refuse_foreign(client, there.address, settings, target, ours)
        await _register_columns(client, there.address, columns)
        log.info("server_found", address=there.address, configured=target.configured)
        async with run_in_background(report_full_disks(settings.written_folders, notify)):
            yield there
        return
    known = tuple(columns)
    joined = joined_server(settings, target.namespace, known, notify, within=_PATIENCE, outwaited=outwaited)
    async with joined as (note, is_owned):
        address = f"{HOST}:{note.port}"
        client = await plain_client(target.at(address))
        await refuse_foreign(client, address, settings, target, ours)
        if is_owned:
            await keep_closed_runs(client)
            await register_columns(client, known)
        else:
            await _register_columns(client, address, known)
            log.info("server_found", address=address, configured=False)
        yield Address(address=address, embedded=is_owned, ui_url=_ui(note.ui_port))


async def refuse_foreign(
    client: Client, address: str, settings: Settings, target: Target, ours: Installation | None
) -> None:
    """Compare the namespace's mark with ``ours``.

    Raises:
        ForeignInstallationError: the namespace serves another installation, or none and the server is not configured.
    """
    compared = await Comparison.of(client, address, settings.home, ours, is_configured=target.configured)
    is_own = address == own_address(settings)
    if (refusal := compared.refusal(is_configured=target.configured, is_own=is_own)) is not None:
        raise ForeignInstallationError(refusal)


def own_address(settings: Settings) -> str | None:
    """Return where the server on this installation's own file answers; ``None`` when none runs."""
    if not is_left_behind(settings) and owned_server(settings) is None:
        return None
    note = read_info(ServerFiles(settings.home).note)
    return f"{HOST}:{note.port if note else settings.server_port}"


async def _already_there(settings: Settings, target: Target) -> Address | None:
    if not target.configured:
        is_other = own_address(settings) is None and await answers(target)
        return Address(address=target.address, embedded=False, ui_url=_ui(settings.ui_port)) if is_other else None
    if not await answers(target, within=_PATIENCE, patiently=True):
        raise CannotReachTemporalError(
            f"no Temporal server answers at {target.address}: {await why_silent(target)}. Check TEMPORAL_ADDRESS, "
            "TEMPORAL_TLS… and TEMPORAL_API_KEY, or unset TEMPORAL_ADDRESS to use a server on this machine."
        )
    return Address(address=target.address, embedded=False, ui_url=None)


async def _register_columns(client: Client, address: str, columns: Iterable[SearchAttributeKey[Any]]) -> None:
    try:
        new = await register_columns(client, columns)
    except RPCError as error:
        log.warning("columns_not_registered", reason=error.message, address=address)
    else:
        log.debug("columns_registered", new=new)


def _ui(port: int) -> str:
    return f"http://localhost:{port}"


async def register_columns(client: Client, columns: Iterable[SearchAttributeKey[Any]]) -> list[str]:
    """Make every search attribute in ``columns`` known and return the names that were new.

    Raises:
        SearchAttributeClashError: the server has one of them with another type.
    """
    wanted = {key.name: key.indexed_value_type.value for key in columns}
    listed = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace=client.namespace)
    )
    known = dict(listed.custom_attributes)
    if clashes := [name for name, kind in wanted.items() if known.get(name, kind) != kind]:
        raise SearchAttributeClashError(_clash(client.namespace, clashes, known, wanted))
    new = {name: kind for name, kind in wanted.items() if name not in known}
    if new:
        await client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(
                namespace=client.namespace,
                search_attributes={name: IndexedValueType.ValueType(kind) for name, kind in new.items()},
            )
        )
    return sorted(new)


async def keep_closed_runs(client: Client) -> None:
    """Keep closed deliberations for ten years; a development server forgets them after a day."""
    duration = Duration()
    duration.FromTimedelta(timedelta(days=3650))
    await client.workflow_service.update_namespace(
        UpdateNamespaceRequest(
            namespace=client.namespace, config=NamespaceConfig(workflow_execution_retention_ttl=duration)
        )
    )


def _clash(namespace: str, names: list[str], known: Mapping[str, int], wanted: Mapping[str, int]) -> str:
    wrong = ", ".join(f"{name} is {_word(known[name])} and must be {_word(wanted[name])}" for name in names)
    return (
        f"the namespace {namespace!r} knows list columns by another type: {wrong}. Use a namespace of its own "
        "(PARLEY_NAMESPACE), or remove the attribute there."
    )


def _word(kind: int) -> str:
    return IndexedValueType.Name(IndexedValueType.ValueType(kind)).removeprefix("INDEXED_VALUE_TYPE_").lower()
