"""The check that the models of seats take their settings, the attached files and searches, before anything is sent."""

from collections.abc import Collection, Iterator, Mapping

from temporalio.client import Client

from parley import workflow_rpc
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.histories import input_of
from parley.ids import looked_up_id
from parley.seat_check import refuse_effort
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec
from protocols.attachments import attached_tokens
from protocols.deliberation import DeliberationInput, seat_searches
from protocols.model_call import ModelId, ParticipantId
from protocols.panel import name_of, provider_of


def refuse_unable_seats(
    providers: Providers, spec: AnySpec, inp: DeliberationInput, only: ParticipantId | None = None
) -> None:
    """Refuse settings, a search of the web, and attached files, for a seat of ``inp`` whose model cannot take them.

    ``only`` names the one seat to check.

    Raises:
        RequestError: names the seat, the model, the file and the remedy.
    """
    providers.check_settings(inp.panel, only)
    checked = {seat.id for seat in inp.panel.everyone if only in {None, seat.id}} - {*spec.unused_seats(inp)}
    for seat in (seat for seat in inp.panel.everyone if seat.id in checked):
        own = seat.settings and seat.settings.reasoning_effort
        for model in (seat.model, *seat.fallbacks):
            dialect = providers.dialect_of(model)
            refuse_effort(seat.label, own or inp.sampling.reasoning_effort, model, dialect)
            if seat_searches(inp.panel, seat, is_on=inp.web) and dialect != "openrouter":
                raise RequestError(
                    f"{model!r} (seat {seat.id}) cannot search the web: only OpenRouter has a plugin for it; name "
                    "a model of OpenRouter, or switch web off for this seat"
                )
    _refuse_unfit_files(providers, inp, checked - spec.without_files(inp))


async def refuse_replacement(
    client: Client, providers: Providers, deliberation_id: str, seat: ParticipantId, model: ModelId
) -> None:
    """Refuse a model that cannot take ``seat`` of a running deliberation.

    The workflow itself refuses what no client may do: an unknown seat, or a model that is there already.
    """
    described = await workflow_rpc.described(client.get_workflow_handle(looked_up_id(deliberation_id)))
    spec = PROTOCOLS.of_workflow(described.workflow_type)
    run = client.get_workflow_handle(deliberation_id, run_id=described.run_id)
    asked = await input_of(client, run.fetch_history_events(), spec.input)
    if seat in asked.panel.seats:
        refuse_unfit_models(providers, spec, asked, {seat: model})


def refuse_unfit_models(
    providers: Providers, spec: AnySpec, asked: DeliberationInput, models: Mapping[ParticipantId, ModelId]
) -> None:
    """Refuse a model that cannot be sent the settings of its seat, the attached files or a search of the web."""
    for seat, model in models.items():
        changed = asked.model_copy(update={"panel": asked.panel.replaced(seat, model)})
        refuse_unable_seats(providers, spec, changed, seat)


def _refuse_unfit_files(providers: Providers, inp: DeliberationInput, shown: Collection[ParticipantId]) -> None:
    """Refuse attached files that a seat cannot take.

    A model takes an image only if the providers file or its provider's list says so: a server that ignores an image
    would answer without having seen it.

    Raises:
        RequestError: names the seat, the model, the file and the remedy.
    """
    image = next((one.name for one in inp.attachments if one.is_image), None)
    tokens = attached_tokens(inp.attachments)
    for seat, model in _shown(inp, shown) if inp.attachments else ():
        if image is not None and not providers.takes_images(model):
            raise RequestError(_no_image(providers, seat, model, image))
        listed = providers.lists.cached(provider_of(model))
        found = listed and listed.find(name_of(model))
        if found and found.context_tokens and tokens >= found.context_tokens:
            raise RequestError(
                f"the attached files have about {tokens:,} tokens, and {model!r} (seat {seat}) takes "
                f"{found.context_tokens:,} in all; attach less, or name a model with a longer context"
            )


def _shown(inp: DeliberationInput, shown: Collection[ParticipantId]) -> Iterator[tuple[str, ModelId]]:
    """Yield the seats that are shown the files, each with its model, and the models in reserve."""
    panel = inp.panel
    seats = [seat for seat in panel.everyone if seat.id in shown]
    yield from ((seat.id, model) for seat in seats for model in (seat.model, *seat.fallbacks))
    if panel.chair_seat in shown:
        yield from ((f"{panel.chair_seat}, in reserve", model) for model in panel.chair_fallbacks)


def _no_image(providers: Providers, seat: str, model: ModelId, image: str) -> str:
    provider, name = provider_of(model), name_of(model)
    remedy = f"name a model that does, or leave {image!r} out"
    if providers.takes_images(model) is False:
        return f"{model!r} (seat {seat}) takes no images, and {image!r} is one; {remedy}"
    return (
        f"it is not known whether {model!r} (seat {seat}) takes images, and {image!r} is one; {remedy}. If it does, "
        f'say so in the providers file, in [providers.{provider}]: image_input_models = {{"{name}" = true}}'
    )
