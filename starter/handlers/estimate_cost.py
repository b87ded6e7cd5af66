"""The work of ``parley estimate``."""

import os
from typing import Any

from parley.catalogue import Providers
from parley.errors import RequestError
from parley.estimates import Limits, comparison, estimate_calls, is_of_the_seed
from parley.ranges import Range, text_tokens
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Means
from parley.turns import read_turns, text_of
from runtime.settings import Settings
from starter.handlers.ask import read_asked
from starter.handlers.preparation import with_config
from starter.terminal import print_result
from starter.views.estimates import estimates

_QUESTIONS = {"question", "file", "prompt", "system", "application", "user"}
_PLACEHOLDER = "?"


def print_estimate(settings: Settings, protocol: str, given: dict[str, Any], *, tokens: int | None, json: bool) -> None:
    """Print how many calls, tokens and dollars a deliberation may take.

    Args:
        settings: The providers file and the panels file.
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
    asked, options = read_asked({**given, **question}, spec, providers.panels)
    options = options.limited(settings.max_usd)
    means = Means(queues={}, private=False, salt="", token_price=providers.token_price)
    cap = spec.to_input(options, asked, means).cap  # refuses what cannot be asked
    text = text_tokens("".join(map(text_of, asked.values()))) if is_asked else None
    prompt = text if tokens is None else Range(low=tokens, high=tokens)
    turns = 1 if spec.judges else 1 + len(read_turns(asked[spec.question_keys[-1]]).before)
    calls = [*spec.plan(options, options.seated(), prompt)] * turns
    found = estimate_calls(protocol, calls, providers.price, clarify=options.clarify)
    found = found.model_copy(update={"budget": cap and Limits(usd=cap.usd, tokens=cap.tokens, on_budget=cap.on_budget)})
    compared = comparison() if spec.judges and is_of_the_seed(found) else None
    beside = {} if compared is None else {"comparison": compared.model_dump(mode="json")}
    print_result(found.model_dump(mode="json") | beside, estimates(found, compared), json=json)
