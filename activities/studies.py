"""The activities of a study: bring the next instances from the ledger, and write down those that were lost.

An instance's argument is put together here, from its arm's template and its own changes, so that neither a schedule
nor the ledger ever holds the same panel and prompts a thousand times.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Row, select
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from activities.ledger_errors import StoreActivities, failing_clearly
from ledger.connection import installation_id
from ledger.store import unpacked_json
from ledger.studies.queries import charges, charges_query
from ledger.study_tables import INSTANCES, MISSING_INSTANCES, STUDY_ARMS
from protocols.branch import derived_draws
from protocols.panel import Panel
from protocols.study.input_templates import merged
from protocols.study.messages import Permits, Resolution, ShardSignals
from protocols.study.model import Amount, Instance, Instances, InstancesRequest, MissingInstance

MISSING = "study.missing"
"""The type of the failure when the ledger does not have what a schedule is to hold."""


class StudyActivities(StoreActivities):
    """The activities that read and write the ledger for the schedules of a study."""

    @activity.defn(name="load_instances")
    async def load_instances(self, request: InstancesRequest) -> Instances:
        """Load the instances of the given numbers, in that order, each with its workflow's input.

        Raises:
            ApplicationError: of type ``study.missing`` (final) when the ledger does not have one of them; of type
                ``store.busy`` or ``store.full`` (tried again) or ``store.refused`` (final).
        """
        of_study = (INSTANCES.c.study == request.study, INSTANCES.c.number.in_(set(request.numbers)))
        arms = select(STUDY_ARMS).where(STUDY_ARMS.c.study == request.study)
        with failing_clearly():
            rows = await self._store.rows(select(INSTANCES).where(*of_study))
            spent = await self._store.rows(charges_query(request.study).where(*of_study))
            secret = await installation_id(self._store)
            brought = _whole(rows, await self._store.rows(arms), charges(spent, again=request.numbers), secret)
        _all_there(request, brought)
        whole = {row.number for row in spent if row.whole}
        found = ((brought[number], number in whole) for number in request.numbers)
        return Instances(instances=tuple(one.model_copy(update={"is_free": is_whole}) for one, is_whole in found))

    @activity.defn(name="record_missing_instance")
    async def record_missing_instance(self, entry: MissingInstance) -> None:
        """Record an instance that ended without a result; a repetition changes nothing.

        Raises:
            ApplicationError: of type ``store.busy`` or ``store.full`` (tried again) or ``store.refused`` (final).
        """
        with failing_clearly():
            await self._store.change(self._store.replacement(MISSING_INSTANCES), entry.model_dump())

    @activity.defn(name="signal_shards")
    async def signal_shards(self, signals: ShardSignals) -> None:
        """Send permits and resolutions; a shard that is gone needs none, and a repetition changes nothing.

        Raises:
            RPCError: the server does not answer (tried again).
        """
        client = activity.client()
        sent = [_signal(client, shard, "permit", permits) for shard, permits in signals.permits.items()]
        sent += [_signal(client, shard, "resolve", resolution) for shard, resolution in signals.resolutions.items()]
        await asyncio.gather(*sent)


async def _signal(client: Client, shard: str, name: str, argument: Permits | Resolution) -> None:
    try:
        await client.get_workflow_handle(shard).signal(name, argument)
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        activity.logger.warning("signal_not_delivered", extra={"workflow_id": shard, "signal": name})


def _whole(
    rows: Sequence[Row[Any]], arms: Sequence[Row[Any]], charged: Mapping[int, Amount], secret: str
) -> dict[int, Instance]:
    """Return the instances by number, without those of an unknown arm; ``secret`` decides their random draws."""
    templates = {arm.arm: (arm.workflow, unpacked_json(arm.template)) for arm in arms}
    return {
        row.number: _instance(row, *templates[row.arm], charged[row.number], secret)
        for row in rows
        if row.arm in templates
    }


def _instance(row: Row[Any], workflow: str, template: dict[str, JsonValue], charged: Amount, secret: str) -> Instance:
    inp = merged(template, unpacked_json(row.changes))
    # Each of its runs asks the same, and finds the answers in the journal.
    draws = derived_draws(f"{secret} {row.deliberation_id}", Panel.model_validate(inp["panel"]))
    return Instance(
        **{name: getattr(row, name) for name in ("number", "deliberation_id", "title", "arm")},
        workflow=workflow,
        estimate=Amount(usd=row.estimate_usd, tokens=row.estimate_tokens),
        input={**inp, "draws": draws.model_dump(mode="json")},
        charged=charged,
    )


def _all_there(request: InstancesRequest, brought: dict[int, Instance]) -> None:
    missing = [number for number in request.numbers if number not in brought]
    if missing:
        raise ApplicationError(
            f"the ledger has no instance {missing[0]} of the study {request.study!r}; enter it with: parley batch run",
            type=MISSING,
            non_retryable=True,
        )
