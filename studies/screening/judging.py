"""Screening of many prompts, each one deliberation with an id made of its content.

So a second call under the same name pays for nothing twice: ended ones are read, running ones are awaited, and only
missing ones are started. An interruption cancels nothing; running ones continue while a worker runs.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import Any, Literal, NamedTuple, cast, get_args

from temporalio.service import RPCError

from parley import ids
from parley.client import Parley
from parley.errors import DeliberationFailedError, IdUsedError, ParleyError, RequestError, require
from parley.options.fire_circle import FireCircleBaselineOptions, FireCircleOptions, Judged, layers_of
from protocols.constraints import quoted
from protocols.deliberation import DeliberationResult
from protocols.fire_circle.io import FireCircleBaselineResult, FireCircleResult
from protocols.fire_circle.model import Layers, Mode
from protocols.model_call import FrozenModel, Spending
from protocols.named_panel import PanelLibrary
from studies.screening.files import Prompt
from studies.screening.reciprocity import Judgement, ReciprocityMetrics, cost_of, metrics_of

Outcome = Literal["flagged", "not_flagged", "refused", "unread", "failed"]
"""``refused``: every model that was lost refused; ``unread``: what the models wrote could not be read or was cut;
``failed``: anything else without a finding."""

Options = FireCircleBaselineOptions | FireCircleOptions

CONCURRENCY = 8
_AHEAD = 4
"""How many times the window may be finished or running, while an earlier one is awaited."""
_DIGEST = 20
_NOT_ASKED = {"id", "fresh", "threshold", "timeout", "patience", "empty_chair_prompt_path"}
_EVERY_LAYER = {"system": "system", "application": "application", "user": "user"}
_UNREAD = {"unparseable", "truncated", "refused"}


class Screened(FrozenModel):
    """The result of one prompt."""

    number: int
    """From 1, in the order of the prompts."""
    name: str
    layers: Layers
    outcome: Outcome
    metrics: ReciprocityMetrics | None = None
    """``None`` exactly when there is an ``error``."""
    error: str | None = None
    deliberation_id: str
    spent: Spending = Spending()
    cost_usd: float | None = None
    """What its calls cost; ``None`` where the cost of one, or all that was asked, is not known."""
    is_reused: bool = False
    """It was asked, and paid for, by an earlier call under the same name, or for an earlier prompt of the same text."""


class Screening(NamedTuple):
    """The options of a screening."""

    mode: Mode
    options: Options
    run: str
    """The name under which a prompt that was judged is found again."""
    concurrency: int = CONCURRENCY
    retry_failed: bool = False
    """Hold again what has no finding, and pay for it again."""

    @classmethod
    def of(
        cls,
        given: Mapping[str, Any],
        mode: Mode,
        panels: PanelLibrary,
        *,
        run: str | None = None,
        concurrency: int = CONCURRENCY,
        retry_failed: bool = False,
    ) -> "Screening":
        """Return the screening with ``given`` options in ``mode``; without ``run`` the name is a fresh one.

        Raises:
            RequestError: a value cannot be used.
        """
        if mode not in get_args(Mode):
            raise RequestError(f"mode: {quoted(mode)} cannot be used: it is {', '.join(get_args(Mode))}")
        require(concurrency, int, "concurrency is a whole number, at least 1", least=1)
        taken = [name for name in ("id", "fresh") if given.get(name) is not None]
        if taken:
            raise RequestError(f"{taken[0]!r} cannot be given for many prompts: their ids are made of 'run'")
        if retry_failed and not run:
            raise RequestError("'retry_failed' needs 'run': the name under which prompts have no finding")
        options = _options(given, mode, panels)
        return cls(mode, options, ids.checked_id(run or f"screening-{secrets.token_hex(3)}"), concurrency, retry_failed)


def _options(given: Mapping[str, Any], mode: Mode, panels: PanelLibrary) -> Options:
    """Return the options of ``mode``, tried on a prompt with every layer to find errors at once."""
    kind = FireCircleOptions if mode == "fire_circle" else FireCircleBaselineOptions
    options: Options = kind.of(given if mode == "fire_circle" else {**given, "mode": mode}, panels)
    options.build_input(_EVERY_LAYER, queues={})
    return options


def prompts_of(given: Iterable[str | Judged | Prompt]) -> Iterator[Prompt]:
    """Yield prompts from texts of the user, from layers, and from those of a file.

    Raises:
        RequestError: it is one text or one prompt, or no list; or one of them is no prompt.
    """
    if isinstance(given, str | Mapping | Layers | Prompt) or not isinstance(given, Iterable):
        raise RequestError(
            f"the prompts are {quoted(given)}: give a list of texts, of layers, or read_prompts(…).prompts"
        )
    for number, one in enumerate(given, 1):
        if isinstance(one, Prompt):
            yield one
        else:
            layers = layers_of({"user": one} if isinstance(one, str) else one)
            yield Prompt(f"prompt {number}", layers)


async def screen(parley: Parley, prompts: Iterable[Prompt], how: Screening) -> AsyncGenerator[Screened]:
    """Judge ``prompts``, ``how.concurrency`` at once, and yield the results in their order.

    Prompts are taken as they are needed, so there may be any number of them. One that fails is yielded with its error,
    and the others continue.
    """
    places = asyncio.Semaphore(how.concurrency)
    numbered = enumerate(prompts, 1)
    waiting: deque[asyncio.Task[Screened]] = deque()
    paid: set[str] = set()

    async def one(number: int, prompt: Prompt) -> Screened:
        async with places:
            return await _screened(parley, how, number, prompt)

    def fill() -> None:
        missing = how.concurrency * _AHEAD - len(waiting)
        waiting.extend(asyncio.create_task(one(*each)) for each in islice(numbered, missing))

    try:
        fill()
        while waiting:
            found = await waiting[0]
            if found.deliberation_id in paid:  # the same prompt again
                found = found.model_copy(update={"is_reused": True, "spent": Spending(), "cost_usd": 0.0})
            paid.add(found.deliberation_id)
            waiting.popleft()
            fill()
            yield found
    finally:
        for task in waiting:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*waiting, return_exceptions=True)


def id_of(how: Screening, layers: Layers) -> str:
    """Return the id of a prompt's deliberation: the run, and a digest of all that is asked.

    The threshold is no part of it, because another one asks the models nothing else. Neither is how long is waited. Of
    a file with another prompt for the chair it is the text that counts, wherever the file lies.
    """
    asked: dict[str, Any] = {
        "layers": layers.model_dump(),
        "mode": how.mode,
        "options": how.options.model_dump(mode="json", exclude=_NOT_ASKED),
    }
    if isinstance(how.options, FireCircleOptions) and (chair := how.options.chair_prompt()) is not None:
        asked["chair"] = chair
    content = repr(sorted(asked.items())).encode()
    return f"{how.run}-{sha256(content).hexdigest()[:_DIGEST]}"


async def _screened(parley: Parley, how: Screening, number: int, prompt: Prompt) -> Screened:
    deliberation_id = id_of(how, prompt.layers)
    is_reused = False
    try:
        try:
            result = await _judged(parley, how, prompt.layers, deliberation_id)
        except IdUsedError:
            is_reused = not how.retry_failed
            result, is_reused = await _judged_before(parley, how, prompt.layers, deliberation_id)
        finding = _found(metrics_of(result, how.options.threshold))
    except (ParleyError, RPCError) as error:
        finding = _missed(error)
    return Screened(number=number, **prompt._asdict(), deliberation_id=deliberation_id, is_reused=is_reused, **finding)


def _found(metrics: ReciprocityMetrics) -> dict[str, Any]:
    outcome: Outcome = "flagged" if metrics.flagged else "not_flagged"
    return {"outcome": outcome, "metrics": metrics, "spent": metrics.spent, "cost_usd": metrics.cost_usd}


def _missed(error: Exception) -> dict[str, Any]:
    result = error.result if isinstance(error, DeliberationFailedError) else None
    values = {"outcome": _outcome_of(result), "error": str(error) or type(error).__name__}
    return values if result is None else {**values, "spent": result.spent, "cost_usd": cost_of(result.spent)}


async def judge(parley: Parley, mode: Mode, asked: Mapping[str, Any], options: Mapping[str, Any]) -> Judgement:
    """Judge the prompt with the layers, and the session if any, in ``asked``."""
    if mode == "fire_circle":
        return cast("Judgement", await parley.ask("fire-circle", asked, **options))
    return cast("Judgement", await parley.ask("fire-circle-baseline", asked, **{**options, "mode": mode}))


async def _judged(
    parley: Parley, how: Screening, layers: Layers, deliberation_id: str, *, fresh: bool = False
) -> Judgement:
    options = {**how.options.model_dump(), "id": deliberation_id, "fresh": fresh}
    return await judge(parley, how.mode, layers.model_dump(), options)


async def _judged_before(
    parley: Parley, how: Screening, layers: Layers, deliberation_id: str
) -> tuple[Judgement, bool]:
    """Return the result of an earlier call, and whether it cost nothing now."""
    try:
        result = await parley.result(deliberation_id)
    except DeliberationFailedError:
        if not how.retry_failed:
            raise
        return await _judged(parley, how, layers, deliberation_id, fresh=True), False
    if not isinstance(result, FireCircleResult | FireCircleBaselineResult):
        raise RequestError(f"{deliberation_id!r} is the id of a {result.protocol}; choose another name for the run")
    return result, True


def _outcome_of(result: DeliberationResult | None) -> Outcome:
    kinds = {call.kind for call in result.failed} if result is not None else set()
    if not kinds or not kinds <= _UNREAD:
        return "failed"
    return "refused" if kinds == {"refused"} else "unread"
