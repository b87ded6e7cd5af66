"""The installation of Parley that a Temporal namespace serves.

The first worker marks the namespace with the id of its ledger and the place of its home. Workers of another
installation then refuse to start there, and commands refuse to start, watch or steer anything. The mark is one entry
in the namespace's own data, so comparing costs one ``DescribeNamespace``.

The server merges updates of that data key by key and applies them one after another, but offers no comparison before
a write. So a worker first enters a bid under a key of its own and reads again. When it sees no bid of another
installation it writes the mark; otherwise it withdraws its bid and tries again after a random pause. The later of two
bidders always sees the bid of the earlier one, so only one of them writes a mark.

A worker with encryption keys keeps a word there too, under the key that encrypts, so that a process which could not
read it sends nothing, neither in plain text nor under a key that the workers lack.

An account without write access to that data leaves the mark in the note of an idle schedule. Creating a schedule is
atomic, so of two first workers one leaves its note and the other finds it. The schedule is paused and has no times.
"""

import asyncio
import base64
import platform
import random
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from temporalio.api.common.v1 import Payload
from temporalio.api.namespace.v1 import UpdateNamespaceInfo
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleSpec,
    ScheduleState,
)
from temporalio.service import RPCError, RPCStatusCode

from runtime.errors import ForeignInstallationError, PayloadError
from runtime.ports import ports_to_set

_MARK = "parley.installation."
_BID = "parley.bid."
_WORD = "parley.encrypted"
_BID_SECONDS = 300.0
"""A bid of a worker that was killed over it counts no longer than that."""
_TRIES = 20
_LONGEST_PAUSE = 0.5
_SECRETIVE = {RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED}
SCHEDULE_ID = "parley-installation"

_UNREADABLE = {RPCStatusCode.NOT_FOUND, RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED}


@dataclass(frozen=True)
class Installation:
    """A ledger and everything that writes to it."""

    id: str
    """Of the ledger."""
    place: str
    """``machine:/path/of/its/home``, for people."""
    is_ledger_in_home: bool = field(default=False, compare=False)
    """Whether its ledger is a file in its home, so that another home of the same id is a copy."""

    @classmethod
    def at(cls, home: Path, installation_id: str, *, is_ledger_in_home: bool = False) -> "Installation":
        """Return the installation ``installation_id`` with its home at ``home`` on this machine."""
        return cls(installation_id, f"{platform.node()}:{home}", is_ledger_in_home)

    def owns(self, mark: "Installation") -> bool:
        """Return whether ``mark`` is this installation's, and not that of the home it was copied from."""
        return mark.id == self.id and (mark.place == self.place or not self.is_ledger_in_home)

    @property
    def home(self) -> str | None:
        """Its home, when that is on this machine."""
        machine, _, path = self.place.partition(":")
        return path if machine == platform.node() else None


class NamespaceData(Protocol):
    """The text entries that a Temporal namespace carries."""

    async def read(self) -> Mapping[str, str]:
        """Return all entries."""

    async def write(self, key: str, value: str) -> None:
        """Set one entry and leave the others as they are."""


class ServerNamespaceData:
    """The entries of the namespace that ``client`` uses."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def read(self) -> Mapping[str, str]:
        """Read the namespace's data; nothing where this account may not see it."""
        request = DescribeNamespaceRequest(namespace=self._client.namespace)
        try:
            described = await self._client.workflow_service.describe_namespace(request, retry=True)
        except RPCError as error:
            if error.status not in _SECRETIVE:
                raise
            return {}
        return dict(described.namespace_info.data)

    async def write(self, key: str, value: str) -> None:
        """Write the namespace's data; see ``NamespaceData``."""
        info = UpdateNamespaceInfo(data={key: value})
        request = UpdateNamespaceRequest(namespace=self._client.namespace, update_info=info)
        await self._client.workflow_service.update_namespace(request, retry=True)


def mark_in(data: Mapping[str, str]) -> Installation | None:
    """Return the installation that the namespace serves; ``None`` when it has no mark."""
    marks = sorted((key.removeprefix(_MARK), place) for key, place in data.items() if key.startswith(_MARK) and place)
    return next((Installation(installation_id, place) for installation_id, place in marks), None)


async def take(client: Client, data: NamespaceData, ours: Installation) -> Installation:
    """Mark the namespace of ``client`` as ``ours`` unless it is marked, by any means the server allows."""
    try:
        return await claim(data, ours)
    except RPCError as error:
        if error.status not in _SECRETIVE:
            raise
    await _leave_note(client, f"{ours.id} {ours.place}")
    return await _noted(client) or ours


async def claim(data: NamespaceData, ours: Installation) -> Installation:
    """Mark the namespace as ``ours`` unless it has a mark, and return whose it is.

    Raises:
        ForeignInstallationError: other installations kept bidding for it at the same moment.
        RPCError: the server does not allow it.
    """
    bid = f"{_BID}{ours.id}.{secrets.token_hex(4)}"
    for _ in range(_TRIES):
        if (mark := mark_in(await data.read())) is not None:
            return await _renewed(data, mark, ours)
        await data.write(bid, str(int(time.time())))
        if not _has_rival(await data.read(), ours):
            await data.write(_MARK + ours.id, ours.place)
            await data.write(bid, "")
            return mark_in(await data.read()) or ours
        await data.write(bid, "")
        await asyncio.sleep(random.uniform(0, _LONGEST_PAUSE))
    raise ForeignInstallationError(
        "workers of several installations try to take the same Temporal namespace at once. Start one of them first, or "
        "give each installation a namespace of its own (PARLEY_NAMESPACE)."
    )


@dataclass(frozen=True)
class Comparison:
    """A namespace beside the installation that wants to use it."""

    address: str
    namespace: str
    home: Path
    ours: Installation | None
    """``None`` while this process has no ledger with an id."""
    mark: Installation | None

    @classmethod
    async def of(
        cls, client: Client, address: str, home: Path, ours: Installation | None, *, is_configured: bool
    ) -> "Comparison":
        """Read the mark of the namespace that ``client`` uses.

        On a configured server it may be a schedule's note instead.
        """
        mark = mark_in(await ServerNamespaceData(client).read())
        if mark is None and is_configured:
            mark = await _noted(client)
        return cls(address, client.namespace, home, ours, mark)

    def refusal(self, *, is_configured: bool = False, is_own: bool = False) -> str | None:
        """Return why this process must not use the namespace; ``None`` when it may.

        A server that is not configured must carry our own mark. On a configured one a missing mark is set by the first
        worker, and a process without a ledger has nothing to compare. Both hold for the server on our own file.
        """
        if self.mark is None:
            return None if is_configured or is_own else self._unmarked()
        if not is_configured and not is_own:
            return None if self.ours and self.ours.owns(self.mark) else self._foreign(self.mark)
        if self.ours is None or self.ours.id == self.mark.id:
            return None
        is_here, there = self.mark.home == str(self.home), self.mark.home and Path(self.mark.home)
        # The server of another home that started in the same moment may have got the port.
        is_replaced = is_here or (is_own and not (there and there.is_dir()))
        return self._replaced() if is_replaced else self._foreign(self.mark)

    def _unmarked(self) -> str:
        return (
            f"a Temporal server answers at {self.address} (namespace {self.namespace}), and it belongs to no "
            f"installation of Parley. To use it all the same: TEMPORAL_ADDRESS={self.address}. To have a server of "
            f"Parley's own beside it: set {ports_to_set()}."
        )

    def _replaced(self) -> str:
        return (
            f"the histories at {self.address} (namespace {self.namespace}) were made with another ledger than the one "
            f"that {self.home} has now. Put that ledger back (PARLEY_DATABASE_URL), or start afresh in another home "
            "(PARLEY_HOME); docs/operating.md says how a server is handed to another ledger."
        )

    def _foreign(self, mark: Installation) -> str:
        use_it = (
            f"PARLEY_HOME={mark.home}"
            if mark.home is not None
            else f"run the command where {mark.place} is, or set the same PARLEY_DATABASE_URL and PARLEY_BLOBS"
        )
        return (
            f"the Temporal server at {self.address} (namespace {self.namespace}) serves another installation of "
            f"Parley, {mark.place}; this one is {self.home}. To use that installation: {use_it}. To use another "
            f"server: set {ports_to_set()}, or TEMPORAL_ADDRESS or PARLEY_NAMESPACE."
        )


async def share_key(client: Client) -> None:
    """Keep a word under this worker's key for ``refuse_other_keys``; refuse a worker without keys if there is one."""
    if client.data_converter.payload_codec is None:
        await refuse_other_keys(client)
    else:
        (word,) = await client.data_converter.encode([_WORD])
        await ServerNamespaceData(client).write(_WORD, base64.b64encode(word.SerializeToString()).decode())


async def refuse_other_keys(client: Client) -> None:
    """Refuse to send anything without the key of the workers: they could not read it, or it would be in plain text.

    Raises:
        PayloadError: names the key and the setting.
    """
    if word := (await ServerNamespaceData(client).read()).get(_WORD):
        try:
            await client.data_converter.decode([Payload.FromString(base64.b64decode(word))])
        except PayloadError as error:
            raise type(error)(f"{error} Until then nothing is sent (docs/operating.md, Encryption).") from None


async def _noted(client: Client) -> Installation | None:
    """Return the installation that left a note; ``None`` when there is none or this account may not see it."""
    try:
        described = await client.get_schedule_handle(SCHEDULE_ID).describe()
    except RPCError as error:
        if error.status not in _UNREADABLE:
            raise
        return None
    installation_id, _, place = (described.schedule.state.note or "").partition(" ")
    return Installation(installation_id, place) if place else None


async def _renewed(data: NamespaceData, mark: Installation, ours: Installation) -> Installation:
    """Return the mark, with our place in it when the home that it names was moved."""
    if mark.id != ours.id or mark.home is None or await asyncio.to_thread(Path(mark.home).exists):
        return mark
    await data.write(_MARK + ours.id, ours.place)
    return ours


def _has_rival(data: Mapping[str, str], ours: Installation) -> bool:
    oldest = time.time() - _BID_SECONDS
    bids = {key.removeprefix(_BID): value for key, value in data.items() if key.startswith(_BID) and value}
    live = {bid.partition(".")[0] for bid, since in bids.items() if float(since) > oldest}
    mark = mark_in(data)
    return bool(live - {ours.id}) or (mark is not None and mark.id != ours.id)


async def _leave_note(client: Client, note: str) -> None:
    """Leave ``note``, unless an installation has left one before."""
    never = ScheduleActionStartWorkflow("ParleyInstallation", id=SCHEDULE_ID, task_queue=SCHEDULE_ID)
    schedule = Schedule(action=never, spec=ScheduleSpec(), state=ScheduleState(paused=True, note=note))
    with suppress(ScheduleAlreadyRunningError):
        await client.create_schedule(SCHEDULE_ID, schedule)
