"""The work of ``parley estimate``."""

import os
from collections.abc import Mapping
from typing import Any

from parley.call_plans import EstimateRequest
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.estimates import comparison, estimate, is_of_the_seed
from parley.panel_plans import seated
from parley.questions import read_argument, read_question
from parley.ranges import Range, text_tokens
from protocols.named_panel import DEFAULT, PanelLibrary, UnfitPanelError, UnknownPanelError
from protocols.vote.presets import PRESETS, Preset
from runtime.settings import Settings
from starter.terminal import print_result
from starter.views.estimates import estimates

_PRESETS: Mapping[str, Preset] = {name: preset for name, preset in PRESETS.items() if name != "single"}
_COMPARED = {"fire_circle", "single", "parallel"}
"""The modes of the seed's comparison."""

_COUNTED = {"vote": "samples", "mixture": "layers"}
"""What some protocols have in place of rounds."""


def print_estimate(settings: Settings, protocol: str, given: dict[str, Any], *, json: bool) -> None:
    """Print how many calls, tokens and dollars a deliberation may take."""
    providers = Providers.of(settings, os.environ)
    found = estimate(_estimate_request(protocol, given, providers.panels), providers.price)
    compared = comparison() if found.protocol in _COMPARED and is_of_the_seed(found) else None
    beside = {} if compared is None else {"comparison": compared.model_dump(mode="json")}
    print_result(found.model_dump(mode="json") | beside, estimates(found, compared), json=json)


def _estimate_request(protocol: str, given: dict[str, Any], panels: PanelLibrary) -> EstimateRequest:
    preset = _PRESETS.get(protocol)
    named: Any = "vote" if preset else protocol.replace("-", "_")  # click has made sure that it is one of them
    prompt = _prompt(given["question"], given["file"], given["tokens"])
    wish = EstimateRequest(named, given["models"], given["chair"], _rounds(protocol, given), prompt, given["mode"])
    try:
        if not wish.models or given["panel"] is not None:
            wish = seated(wish, panels.panel(given["panel"] or DEFAULT))
            wish = wish._replace(models=wish.models[:1]) if preset and preset.has_one_model else wish
        chair = wish.chair and panels.explicit(wish.chair)
        wish = wish._replace(models=tuple(map(panels.explicit, wish.models)), chair=chair)
        return wish if preset is None else _preset(protocol, preset, wish)
    except (UnknownPanelError, UnfitPanelError) as error:
        raise RequestError(str(error)) from None


def _preset(name: str, preset: Preset, wish: EstimateRequest) -> EstimateRequest:
    samples = preset.samples if wish.rounds is None else wish.rounds
    if refusal := preset.refusal(len(wish.models), samples):
        raise RequestError(f"{name}: {refusal}")
    return wish._replace(rounds=samples)


def _rounds(protocol: str, given: dict[str, Any]) -> int | None:
    """Count samples and layers as rounds, each under its protocol's own name."""
    own = "samples" if protocol in _PRESETS else _COUNTED.get(protocol, "rounds")
    for name in ("rounds", *_COUNTED.values()):
        if name != own and given[name] is not None:
            raise RequestError(f"protocol {protocol!r} has no {name} to choose; leave them out")
    found: int | None = given[own]
    return found


def _prompt(question: str | None, file: str | None, tokens: int | None) -> Range | None:
    if sum(one is not None for one in (question, file, tokens)) > 1:
        raise RequestError("what will be asked is given twice: leave all but one of --question, --file, --tokens out")
    if tokens is not None:
        return Range(low=tokens, high=tokens)
    text = read_question(file) if file is not None else question and read_argument(question)
    if text is None:
        return None
    if not text.strip():
        raise RequestError("what will be asked is blank")
    return text_tokens(text)
