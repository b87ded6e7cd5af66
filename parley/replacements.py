"""Checks of a model that takes the seat of another one."""

from collections.abc import Mapping

from temporalio.client import Client

from parley import workflow_rpc
from parley.catalogue import Providers
from parley.histories import input_of
from parley.seat_abilities import refuse_unable_seats
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec
from protocols.deliberation import DeliberationInput
from protocols.model_call import ModelId, ParticipantId


async def refuse_replacement(
    client: Client, providers: Providers, deliberation_id: str, seat: ParticipantId, model: ModelId
) -> None:
    """Refuse a model that cannot take ``seat`` of a running deliberation.

    The workflow itself refuses what no client may do: an unknown seat, or a model that is there already.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
        RequestError: names the seat, the model and the remedy.
    """
    described = await workflow_rpc.described(client.get_workflow_handle(deliberation_id))
    spec = PROTOCOLS.of_workflow(described.workflow_type)
    if spec is not None:
        run = client.get_workflow_handle(deliberation_id, run_id=described.run_id)
        asked = await input_of(client, run.fetch_history_events(), spec.input)
        if seat in asked.panel.seats:
            refuse_unfit_models(providers, spec, asked, {seat: model})


def refuse_unfit_models(
    providers: Providers, spec: AnySpec, asked: DeliberationInput, models: Mapping[ParticipantId, ModelId]
) -> None:
    """Refuse a model that cannot be sent the settings of its seat, the attached files or a search of the web.

    Raises:
        RequestError: names the seat, the model and the remedy.
    """
    for seat, model in models.items():
        changed = asked.model_copy(update={"panel": asked.panel.replaced(seat, model)})
        refuse_unable_seats(providers, spec, changed, seat)
