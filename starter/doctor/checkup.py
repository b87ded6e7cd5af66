"""The health of an installation, checked from outside: nothing is started or changed.

Each check is a small function that finds one thing out and says what to do when it is not as it should be. What cannot
be looked at because something before it failed is left out.
"""

import tempfile
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from ledger.studies.reading import StoreError, StudyReader
from parley.catalogue import ProviderLine, Providers
from parley.client import Parley
from parley.errors import ParleyError
from parley.installations import known_installation
from parley.model_lists import sentence
from parley.panel_check import check_panel
from parley.workers import pollers
from protocols.named_panel import DEFAULT
from protocols.panel import provider_of, route
from protocols.task_queues import LEDGER_QUEUE, TASK_QUEUE
from runtime.capacity import limit_of_calls
from runtime.disk_space import full_folders
from runtime.errors import BlobDamagedError, BlobMissingError, PayloadError, SetupError, refusal
from runtime.home import loose_paths
from runtime.installation import Comparison
from runtime.server_address import own_address
from runtime.settings import Settings
from runtime.target import Target, temporal_target
from starter.doctor.running_checks import Check, check_calls, check_code, check_providers, check_tasks, describe_running
from workflows import search_attributes

__all__ = ["Check", "check_texts", "examine"]

_DAY = 86_400
_SHORTEST_RETENTION_DAYS = 30
_FINISHED = 'ExecutionStatus = "Completed" AND Protocol IS NOT NULL'
_SHOWN = 5
_ENOUGH = 1_000_000


async def examine(settings: Settings) -> tuple[Check, ...]:
    """Look at everything, from the settings to the last worker."""
    target = temporal_target(settings)
    here = [
        _settings(settings),
        _home(settings),
        *await _providers(settings),
        _blobs(settings),
        _disks(settings),
        await _ledger(settings),
    ]
    try:
        address = (None if target.configured else own_address(settings)) or target.address
        parley = await Parley.attach(settings, address=address)
    except (SetupError, ParleyError) as error:
        return (*here, Check(name="server", ok=False, found=str(error).partition("\n")[0]))
    server = Check(name="server", ok=True, found=f"{address}, namespace {target.namespace}")
    return (*here, server, *dict.fromkeys(await _served(parley, target, address)))  # one refusal, not one of each look


async def _served(parley: Parley, target: Target, address: str) -> tuple[Check, ...]:
    client = parley.client
    queues = [TASK_QUEUE, LEDGER_QUEUE, *sorted(set(parley.providers.queues.values()))]
    looks: Sequence[Callable[[], Awaitable[Check]]] = [
        lambda: _installation(parley, target, address),
        *(lambda queue=queue: _polled(client, queue) for queue in queues),
        lambda: _capacity(client, parley.settings),
        lambda: _columns(client),
        lambda: _retention(client),
        lambda: check_texts(client, parley.settings),
        lambda: check_code(client),
    ]
    checks = [await _tolerant(look, target) for look in looks]
    try:
        running = await describe_running(client)
    except RPCError as error:
        return (*checks, _refused(error, target))
    checks.append(await _tolerant(lambda: check_tasks(client, running), target))
    now = datetime.now(UTC)  # noqa: TID251 - a process of the user's side looks at its clock
    return (*checks, await check_providers(running, now), check_calls(running, now))


async def _tolerant(look: Callable[[], Awaitable[Check]], target: Target) -> Check:
    try:
        return await look()
    except RPCError as error:
        return _refused(error, target)


def _refused(error: RPCError, target: Target) -> Check:
    found, remedy = refusal(error), f"See whether the account at {target.address} may ask this."
    if found != error.message:
        found, _, remedy = found.partition(". ")
    return Check(name="server", ok=False, found=f"it does not say: {found}", remedy=remedy)


async def _installation(parley: Parley, target: Target, address: str) -> Check:
    settings = parley.settings
    ours = await known_installation(settings)
    compared = await Comparison.of(parley.client, address, settings.home, ours, is_configured=target.configured)
    refusal = compared.refusal(is_configured=target.configured, is_own=address == own_address(settings))
    if refusal is not None:
        found, _, remedy = refusal.partition(". ")
        return Check(name="installation", ok=False, found=found, remedy=remedy)
    if compared.mark is None:
        return Check(name="installation", ok=True, found="the namespace has no mark; the first worker sets it")
    found = f"the server serves {compared.mark.place}"
    if compared.ours is None:
        return Check(name="installation", ok=True, is_checked=False, found=f"{found}; there is no ledger to compare")
    return Check(name="installation", ok=True, found=f"{found}, as this ledger does (id {compared.ours.id})")


def _home(settings: Settings) -> Check:
    if not settings.home.exists():
        return Check(name="home", ok=True, found=f"{settings.home} will be made when needed")
    if not (loose := loose_paths(settings.home)):
        return Check(name="home", ok=True, found=f"{settings.home} is closed to other users")
    names = ", ".join(str(path) for path in loose[:_SHOWN])
    remedy = f"Start a worker (parley up), which closes them, or as their owner: chmod -R go-rwx {settings.home}"
    return Check(name="home", ok=False, found=f"other users have rights on {names}", remedy=remedy)


def _settings(settings: Settings) -> Check:
    named = ", ".join(sorted(settings.model_fields_set)) or "all at their defaults"
    return Check(name="settings", ok=True, found=f"home {settings.home}; set: {named}")


async def _providers(settings: Settings) -> tuple[Check, ...]:
    try:
        providers = Providers.of(settings)
    except ParleyError as error:
        return (Check(name="providers", ok=False, found=str(error), remedy="Correct the file that it names."),)
    needed = {provider_of(route(model)) for model in providers.panels.panel(DEFAULT).unique_models()}
    keys = tuple(_key(line, is_needed=line.name in needed) for line in providers.lines())
    return (*keys, *[await _models(providers, name) for name in providers.own_panels()])


def _key(line: ProviderLine, *, is_needed: bool) -> Check:
    name, found = f"provider {line.name}", f"keys go to: {line.keys_go_to}; key {line.key}"
    if not line.is_confirmed:
        remedy = f"This address was not agreed to, so nothing is sent there. If it is right: parley allow {line.name}"
        return Check(name=name, ok=False, found=found, remedy=remedy)
    is_there = line.key in {"set", "not needed"}
    if is_there or (line.key == "missing" and not is_needed):
        note = "" if is_there else f"; the panel {DEFAULT!r} needs none"
        return Check(name=name, ok=True, found=f"{found}{note}")
    return Check(name=name, ok=False, found=found, remedy=f"Set {line.key_variable}, or rehearse: --rehearse")


async def _models(providers: Providers, panel: str) -> Check:
    name = f"models of panel {panel}"
    try:
        checked = await check_panel(providers, panel)
        statuses = [line.status for line in checked]
    except ParleyError as error:
        return Check(name=name, ok=False, found=str(error), remedy="Correct the panels file or the providers file.")
    lost = [text for status in statuses if status.is_lost and (text := sentence(status))]
    unchecked = {f"{provider_of(one.model)}: {one.note}" for one in statuses if one.state == "unchecked"}
    able = [line.has_schema for line in checked if line.status.state != "unchecked"]
    soon = [text for status in statuses if status.state == "expiring" and (text := sentence(status))]
    found = "; ".join([*lost, *soon, *(f"not checked, {why}" for why in sorted(unchecked))])
    remedy = f"Look at it: parley panels check {panel}; name others: --models, --panel, or panels.toml" if lost else ""
    found = found or f"all {len(statuses)} are listed"
    schemas = f"; {sum(able)} take a JSON schema" if able else ""
    return Check(name=name, ok=not lost, is_checked=not unchecked, found=f"{found}{schemas}", remedy=remedy)


def _blobs(settings: Settings) -> Check:
    nearest = next(p for p in (settings.blobs, *settings.blobs.parents) if p.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=nearest, prefix=".parley-") as probe:
            probe.write(bytes(_ENOUGH))  # a full disk still takes the name of a file
    except OSError as error:
        remedy = "Free some space, give this user the right to write there, or set PARLEY_BLOBS."
        return Check(name="blobs", ok=False, found=f"{settings.blobs}: {error.strerror}", remedy=remedy)
    found = f"{settings.blobs} is writable" if settings.blobs.exists() else f"{settings.blobs} will be made when needed"
    return Check(name="blobs", ok=True, found=found)


def _disks(settings: Settings) -> Check:
    if not (full := full_folders(settings.written_folders)):
        what = "the home, the ledger and the blobs" if settings.ledger_file else "the home and the blobs"
        return Check(name="disks", ok=True, found=f"there is space for {what}")
    return Check(name="disks", ok=False, found=f"full with {' and '.join(map(str, full))}", remedy="Free some space.")


async def _ledger(settings: Settings) -> Check:
    try:
        async with StudyReader(settings.database_url) as ledger:
            revision = await ledger.revision()
            newest = await ledger.deliberations(limit=1)
    except StoreError as error:
        remedy = "Start a worker (parley up), or correct PARLEY_DATABASE_URL."
        return Check(name="ledger", ok=False, found=str(error), remedy=remedy)
    last = f"last deliberation {newest[0].deliberation_id}" if newest else "no deliberation yet"
    return Check(name="ledger", ok=True, found=f"revision {revision}; {last}")


async def _polled(client: Client, queue: str) -> Check:
    there = await pollers(client, queue, activities=queue != TASK_QUEUE)
    who = ", ".join(sorted(there))
    remedy = "" if there else "Start a worker: parley up, or python -m worker"
    return Check(name=f"queue {queue}", ok=bool(there), found=who or "no worker", remedy=remedy)


async def _capacity(client: Client, settings: Settings) -> Check:
    """Return how many calls the workers that poll make at once, when they have the settings of this process."""
    found = limit_of_calls(len(await pollers(client, TASK_QUEUE)), settings.max_concurrent_calls)
    return Check(name="calls at once", ok=True, found=found)


async def _columns(client: Client) -> Check:
    request = ListSearchAttributesRequest(namespace=client.namespace)
    known = (await client.operator_service.list_search_attributes(request)).custom_attributes
    wanted = {key.name: key.indexed_value_type for key in search_attributes.ALL}
    missing = [name for name in wanted if name not in known]
    wrong = [name for name, kind in wanted.items() if known.get(name, kind) != kind]
    found = f"missing: {', '.join(missing) or 'none'}; of another type: {', '.join(wrong) or 'none'}"
    ok = not missing and not wrong
    remedy = "" if ok else "Start a worker, which registers them; see PARLEY_NAMESPACE on a clash."
    return Check(name="list columns", ok=ok, found=found, remedy=remedy)


async def _retention(client: Client) -> Check:
    request = DescribeNamespaceRequest(namespace=client.namespace)
    config = (await client.workflow_service.describe_namespace(request)).config
    days = config.workflow_execution_retention_ttl.seconds / _DAY
    ok = days >= _SHORTEST_RETENTION_DAYS
    remedy = "" if ok else "Closed deliberations leave the Web UI soon; set a longer retention on the namespace."
    return Check(name="retention", ok=ok, found=f"closed deliberations are kept for {days:g} days", remedy=remedy)


async def check_texts(client: Client, settings: Settings) -> Check:
    """Read the newest results: their blobs must be there, and their encryption keys."""
    read = 0
    async for execution in client.list_workflows(_FINISHED, limit=_SHOWN):
        try:
            await client.get_workflow_handle(execution.id, run_id=execution.run_id).result()
        except PayloadError as error:
            blobs = f"Is {settings.blobs} the directory that the workers use? Else restore it from the backup."
            remedy = blobs if isinstance(error, BlobMissingError | BlobDamagedError) else ""
            return Check(name="stored texts", ok=False, found=f"{execution.id}: {error}", remedy=remedy)
        read += 1
    return Check(name="stored texts", ok=True, found=f"the newest {read} results can be read")
