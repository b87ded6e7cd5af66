"""The check of the attached files against the models of the seats, before anything starts."""

from collections.abc import Collection, Iterator

from parley.catalogue import Providers
from parley.errors import RequestError
from protocols.attachments import attached_tokens
from protocols.deliberation import DeliberationInput
from protocols.model_call import ModelId, ParticipantId
from protocols.panel import name_of, provider_of


def refuse_unfit_files(
    providers: Providers, inp: DeliberationInput, without_files: Collection[ParticipantId] = ()
) -> None:
    """Refuse attached files that a seat of ``inp`` cannot take; the seats ``without_files`` are shown none.

    A model takes an image only if the providers file or its provider's list says so: a server that ignores an image
    would answer without having seen it.

    Raises:
        RequestError: names the seat, the model, the file and the remedy.
    """
    image = next((one.name for one in inp.attachments if one.is_image), None)
    tokens = attached_tokens(inp.attachments)
    for seat, model in _shown(inp, without_files) if inp.attachments else ():
        if image is not None and not providers.takes_images(model):
            raise RequestError(_no_image(providers, seat, model, image))
        listed = providers.lists.cached(provider_of(model))
        found = listed and listed.find(name_of(model))
        if found and found.context_tokens and tokens >= found.context_tokens:
            raise RequestError(
                f"the attached files have about {tokens:,} tokens, and {model!r} (seat {seat}) takes "
                f"{found.context_tokens:,} in all; attach less, or name a model with a longer context"
            )


def _shown(inp: DeliberationInput, without_files: Collection[ParticipantId]) -> Iterator[tuple[str, ModelId]]:
    """Yield the seats that are shown the files, each with its model, and the models in reserve."""
    panel = inp.panel
    yield from ((seat, panel.model_of(seat)) for seat in panel.seats if seat not in without_files)
    if panel.chair_seat not in without_files:
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
