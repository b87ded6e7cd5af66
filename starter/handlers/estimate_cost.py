"""The work of ``parley estimate``."""

from typing import Any

from parley.call_plans import Range, text_tokens, with_files
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.estimates import Limits, by_name, comparison, estimate_calls, is_of_the_seed
from parley.specs import PROTOCOLS
from parley.turns import text_of
from protocols.attachments import attached_tokens
from runtime.capacity import limit_of_calls
from runtime.settings import Settings
from starter.handlers.ask import prepare
from starter.handlers.preparation import with_config
from starter.terminal import print_result
from starter.views.estimates import estimates, limits_of

_QUESTIONS = {"question", "file", "prompt", "system", "application", "user"}


async def print_estimate(
    settings: Settings, protocol: str, given: dict[str, Any], *, tokens: int | None, json: bool
) -> None:
    """Print how many calls, tokens and dollars a deliberation may take, of a question of ``tokens`` if given."""
    providers = Providers.of(settings)
    is_asked = any(_QUESTIONS & part.keys() for part in with_config(given))
    if is_asked and tokens is not None:
        raise RequestError("the question is given twice: as text and as --tokens; leave one out")
    question = {} if is_asked else {"user" if PROTOCOLS[protocol].judges else "question": "?"}
    spec, asked, options, inp = await prepare(settings, providers, protocol, {**given, **question})
    before = text_tokens("".join(message.content for message in inp.context_messages))
    if not is_asked:
        prompt = None if tokens is None else Range(low=tokens, high=tokens)
        calls = spec.plan(options, inp.panel, prompt, before)
    elif spec.judges:
        calls = spec.plan(options, inp.panel, text_tokens("".join(map(text_of, asked.values()))), before)
    else:
        turns = [text_tokens(question) for question in (*inp.earlier, inp.question)]
        calls = spec.plan_turns(options, inp.panel, turns, before)
    if not options.attach:  # then a follow-up shows the files of the earlier one
        calls = with_files(calls, attached_tokens(inp.attachments))
    found = estimate_calls(protocol, calls, by_name(providers.price, options.assume_price), clarify=options.clarify)
    if cap := inp.cap:
        found = found.model_copy(update={"budget": Limits.model_validate(cap, from_attributes=True)})
    compared = comparison() if spec.judges and is_of_the_seed(found) else None
    beside = {} if compared is None else {"comparison": compared}
    seats = len(inp.panel.participants)
    most = limit_of_calls(settings.workers, settings.max_concurrent_calls, seats, f"the panel of {seats:,}")
    at_once = [most, *limits_of(providers, [inp.panel])]
    print_result({**dict(found), "at_once": at_once, **beside}, estimates(found, compared, at_once), json=json)
