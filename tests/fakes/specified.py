"""Deliberations of any protocol, from its specification alone, and replies to whatever it asks."""

from typing import Any

from parley.options.roles import rehearsed
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Means
from protocols.deliberation import DeliberationInput
from protocols.model_call import ModelCall
from protocols.panel import name_of
from protocols.update_requests import TokenPrice
from rehearsal.models.behaviours import BEHAVIOURS, reply_of
from rehearsal.models.prompt_recognition import recognise
from rehearsal.models.replies import Speaker

QUESTION = "Should the library open on Sundays?"
NEW_MODEL = rehearsed("new/model")
PRICE = TokenPrice(input=5, output=25)
_SEED = 7


def chosen(name: str, **options: Any) -> Any:
    """Return the options of a protocol with scripted models on the panel ``small``."""
    spec = PROTOCOLS[name]
    return spec.options.of({"panel": "small", "rehearse": True, **spec.study_options, **options})


def specified(name: str, *, asked: Any = QUESTION, **options: Any) -> Any:
    """Return the argument of a protocol's workflow."""
    spec = PROTOCOLS[name]
    inp: DeliberationInput = spec.to_input(
        chosen(name, **options),
        {spec.question_keys[-1]: asked},
        Means(queues={}, private=False, salt="", token_price=lambda _: PRICE),
    )
    return inp


def scripted_reply(call: ModelCall) -> str:
    """Return what the rehearsal's plain model writes to a call."""
    prompt = recognise([message.model_dump() for message in call.messages])
    return reply_of(BEHAVIOURS["plain"], Speaker(_SEED, name_of(call.model)), prompt).text or ""
