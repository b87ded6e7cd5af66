"""The whole argument of a workflow, made of the short object with which any Temporal client may start it.

The keys are what is asked, and the options of the protocol under their names in Python or on the command line:
``max_rounds`` or ``max-rounds``. An unknown key is refused here, as everywhere on the user's side.
"""

from collections.abc import Mapping
from typing import Any

from parley import visibility
from parley.catalogue import Providers
from parley.errors import MissingKeyError, RequestError
from parley.questions import LARGEST
from parley.seat_abilities import refuse_unable_seats
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec, Means
from parley.turns import text_of
from protocols.branch import derived_draws
from protocols.constraints import quoted
from protocols.deliberation import DeliberationInput
from protocols.starting import CompletedInput, InvalidStartError, StartRequest, example_of
from runtime.distribution import missing_package
from runtime.settings import Settings
from studies.short_studies import complete_batch, complete_firing
from workflows.type_names import PARTS

Given = dict[str, Any]

_LONGEST_TITLE = 120
_NOT_HERE = {
    "id": "a deliberation's id is its workflow id",
    "fresh": "each run asks anew",
    "empty_chair_prompt_path": "no file is read for a run that another client starts",
    "queues": "the worker fills it in from its providers file",
    "salt": "the worker fills it in",
    "prompts": "the worker fills it in, unless panel and title are given whole too",
    "continues": "a follow-up is started by the command line or by Parley's client",
    "playback": "a recording is played by the command line or by Parley's client",
    "attach": "files are read where a command or Parley's client runs; start it with one of them",
    "file": "give the text itself as question",
    "config": "give its keys here",
}


class ShortInputs:
    """Completes short objects with the options of every protocol and the settings of this installation.

    The providers file and the panels file are read for each object, so that both may change while a worker runs.
    """

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ

    async def complete(self, request: StartRequest) -> CompletedInput:
        """Return the whole argument.

        Raises:
            InvalidStartError: a value cannot be used; the message names it and the remedy.
        """
        try:
            if request.workflow == "ScheduledStudy":
                return await complete_firing(request.given, self._settings)
            providers = Providers.of(self._settings, self._environ)
            if request.workflow == "Batch":
                return await complete_batch(request.given, request.workflow_id, self._settings, providers)
            return self._deliberation(request, providers)
        except RequestError as error:
            raise InvalidStartError(str(error)) from None
        except ModuleNotFoundError as error:
            raise InvalidStartError(missing_package(error)) from None

    def _deliberation(self, request: StartRequest, providers: Providers) -> CompletedInput:
        if request.workflow in PARTS:
            raise RequestError(f"{request.workflow} is a part of a batch and starts with it; start Batch instead")
        spec = PROTOCOLS.of_workflow(request.workflow)
        given = {
            key.removeprefix("--").replace("-", "_"): value for key, value in request.given.items() if value is not None
        }
        asked, title = _asked(given, spec), _title(given)
        is_private = self._settings.encryption_keys is not None
        price = providers.token_price
        means = Means(queues=providers.queues, private=is_private, salt=request.salt, token_price=price)
        for key in filter(given.__contains__, _NOT_HERE):
            raise RequestError(f"{key!r} cannot be given here: {_NOT_HERE[key]}. Leave it out")
        options = spec.options.of(given, providers.panels).limited(self._settings.max_usd)
        inp = spec.to_input(options, asked, means)
        inp = inp if title is None else inp.model_copy(update={"title": title})
        _refuse_missing_keys(inp, providers)
        refuse_unable_seats(providers, spec, inp)
        drawn = derived_draws(f"{request.salt} {request.workflow_id}", inp.panel)  # and so again after a reset
        return CompletedInput(
            input=inp.model_copy(update={"draws": drawn}).model_dump(mode="json"),
            columns=visibility.by_name(visibility.initial_attributes(spec.name, inp)),
            memo=visibility.memo(inp),
        )


def _refuse_missing_keys(inp: DeliberationInput, providers: Providers) -> None:
    try:
        providers.check(inp.panel)
    except MissingKeyError as error:
        missing = str(error).partition("\n")[0]
        raise RequestError(f'{missing}, or have scripted models answer: "rehearse": true') from None


def _asked(given: Given, spec: AnySpec) -> Given:
    """Take what is asked out of ``given``."""
    asked = {key: given.pop(key) for key in spec.question_keys if key in given}
    if "question" in given:
        last = spec.question_keys[-1]
        if last in asked:
            raise RequestError(f"'question' and {last!r} both say what is asked; leave one of them out")
        asked[last] = given.pop("question")
    texts = {key: value for key, value in asked.items() if key != "session"}
    for key, text in texts.items():
        _refuse_text(key, text_of(text) if isinstance(text, list) and text and not spec.judges else text)
    if not any(text_of(text).strip() for text in texts.values()):
        workflow = spec.workflow_type
        raise RequestError(f"nothing is asked. Give the workflow {workflow} for example {example_of(workflow)}")
    return asked


def _refuse_text(key: str, text: Any) -> None:
    if not isinstance(text, str):
        raise RequestError(f"{key!r} is {quoted(text)}, and text is needed")
    size = len(text.encode())
    if size > LARGEST:
        raise RequestError(f"{key!r} has {size:,} bytes, and at most {LARGEST:,} are taken")


def _title(given: Given) -> str | None:
    title = given.pop("title", None)
    if title is None:
        return None
    if not isinstance(title, str) or not title.strip() or len(title) > _LONGEST_TITLE:
        raise RequestError(f"'title' is {quoted(title)}, and a text of 1 to {_LONGEST_TITLE} characters is needed")
    return title
