"""The work of ``parley estimate``."""

import os
from typing import Any

from parley.call_plans import with_files
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.estimates import Limits, by_name, comparison, estimate_calls, is_of_the_seed
from parley.follow_ups import is_timed
from parley.ranges import Range, text_tokens
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec, Means
from parley.turns import text_of
from protocols.attachments import attached_tokens
from protocols.deliberation import DeliberationInput
from protocols.panel import Panel
from runtime.capacity import limit_of_calls
from runtime.settings import Settings
from starter.handlers.ask import Asked, read_asked, read_continued
from starter.handlers.preparation import with_config
from starter.terminal import print_result
from starter.views.estimates import estimates
from starter.views.study_limits import limits_of

_QUESTIONS = {"question", "file", "prompt", "system", "application", "user"}
_PLACEHOLDER = "?"


async def print_estimate(
    settings: Settings, protocol: str, given: dict[str, Any], *, tokens: int | None, json: bool
) -> None:
    """Print how many calls, tokens and dollars a deliberation may take.

    Args:
        settings: The providers file and the panels file; for a follow-up the server too.
        protocol: A name of ``PROTOCOLS``.
        given: Question and options, as for the command that asks.
        tokens: The length of the question, in place of the question.
        json: Print a JSON document.

    Raises:
        RequestError: it cannot be asked like that.
    """
    providers, spec = Providers.of(settings, os.environ), PROTOCOLS[protocol]
    is_asked = any(_QUESTIONS & part.keys() for part in with_config(given))
    if is_asked and tokens is not None:
        raise RequestError("the question is given twice: as text and as --tokens; leave one out")
    question = {} if is_asked else {"user" if spec.judges else "question": _PLACEHOLDER}
    earlier = await read_continued(settings, spec, given)
    asked, options = read_asked({**given, **question}, spec, providers.panels, earlier)
    options = options.limited(settings.max_usd)
    means = Means(queues={}, private=False, salt="", token_price=providers.token_price)
    inp = spec.to_input(options, asked, means)  # refuses what cannot be asked
    inp, cap = earlier.continued(inp, options.context, is_timed=is_timed(given)) if earlier else inp, inp.cap
    before = text_tokens("".join(message.content for message in inp.context_messages))
    if is_asked:
        calls = spec.plan_turns(options, inp.panel, _turns(spec, asked, inp), before)
    else:
        prompt = None if tokens is None else Range(low=tokens, high=tokens)
        calls = spec.plan(options, inp.panel, prompt, before)
    if not options.attach:  # then a follow-up shows the files of the earlier one
        calls = with_files(calls, attached_tokens(inp.attachments))
    found = estimate_calls(protocol, calls, by_name(providers.price), clarify=options.clarify)
    found = found.model_copy(update={"budget": cap and Limits(usd=cap.usd, tokens=cap.tokens, on_budget=cap.on_budget)})
    compared = comparison() if spec.judges and is_of_the_seed(found) else None
    beside = {} if compared is None else {"comparison": compared.model_dump(mode="json")}
    at_once = _at_once(settings, inp.panel, providers)
    document = found.model_dump(mode="json") | {"at_once": at_once} | beside
    print_result(document, estimates(found, compared, at_once), json=json)


def _at_once(settings: Settings, panel: Panel, providers: Providers) -> list[str]:
    """Return the most calls at once, and what limits them."""
    seats = len(panel.participants)
    by_panel = f"the panel of {seats:,}"
    first = limit_of_calls(settings.workers, settings.max_concurrent_calls, seats, by_panel)
    return [first, *limits_of(providers, [panel])]


def _turns(spec: AnySpec, asked: Asked, inp: DeliberationInput) -> list[Range]:
    """Return the tokens of each question; a prompt that is judged has one."""
    if spec.judges:
        return [text_tokens("".join(map(text_of, asked.values())))]
    return [text_tokens(question) for question in (*inp.earlier, inp.question)]
