"""``parley estimate``: what a deliberation may take and cost, before anything is spent."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import click

from parley.call_plans import Estimated, Wish
from parley.catalogue import Providers
from parley.errors import VERDICT, RequestError
from parley.estimates import comparison, estimate, is_of_the_seed
from parley.panel_plans import seated
from parley.questions import read_argument, read_question
from parley.ranges import Span, text_tokens
from protocols.debate.model.io import ModeName
from protocols.named_panel import DEFAULT, PanelLibrary, UnfitPanelError, UnknownPanelError
from protocols.vote.presets import PRESETS, Preset
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.estimates import estimates

_PRESETS: Mapping[str, Preset] = {name: preset for name, preset in PRESETS.items() if name != "single"}
_PROTOCOLS = [*(name.replace("_", "-") for name in get_args(Estimated)), *_PRESETS]
_COMPARED = {"fire_circle", "single", "parallel"}
"""The modes of the seed's comparison."""

_COUNTED = {"vote": "samples", "mixture": "layers"}
"""What some protocols have in place of rounds."""


def _split(ctx: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG001 - the signature of a callback of click
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


@click.command("estimate")
@click.argument("protocol", type=click.Choice(_PROTOCOLS))
@click.option("--models", multiple=True, callback=_split, help="Who takes part: a,b,c; may be repeated.")
@click.option("--panel", metavar="NAME", help="Who takes part, by a panel's name; see parley panels.")
@click.option("--chair", help="Who concludes: the council's chair, the consensus's curator, the synthesiser …")
@click.option("--rounds", type=int, help="The most rounds, for a consensus, a fire circle or a debate.")
@click.option("--samples", type=int, help="Of each model in a vote; 1 by default, 5 for self-consistency.")
@click.option("--layers", type=int, help="Layers of a mixture's proposers; 2 by default.")
@click.option("--mode", type=click.Choice(get_args(ModeName)), help="Of a debate; collaborative by default.")
@click.option("--question", help="What will be asked: text, @FILE, or - for standard input.")
@click.option("--file", "file", help="Read what will be asked from this file; - is standard input.")
@click.option("--tokens", type=click.IntRange(1, 10_000_000), help="How many tokens long it is.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(protocol: str, json_: bool, **given: Any) -> None:
    """Say how many calls, tokens and dollars a deliberation may take, from the shortest to the longest.

    Nothing is asked and nothing is spent. Prices are those of the price list; one that is not in it is unknown.
    """

    async def work(settings: Settings) -> int:
        providers = Providers.of(settings, os.environ)
        told = estimate(_wish(protocol, given, providers.panels), providers.price)
        compared = comparison() if told.protocol in _COMPARED and is_of_the_seed(told) else None
        if json_:
            beside = {} if compared is None else {"comparison": compared.model_dump(mode="json")}
            click.echo(as_json(told.model_dump(mode="json") | beside))
        else:
            console().print(estimates(told, compared))
        return VERDICT

    run(work, json=json_)


def _wish(protocol: str, given: dict[str, Any], panels: PanelLibrary) -> Wish:
    preset = _PRESETS.get(protocol)
    named: Any = "vote" if preset else protocol.replace("-", "_")  # click has made sure that it is one of them
    prompt = _prompt(given["question"], given["file"], given["tokens"])
    wish = Wish(named, given["models"], given["chair"], _rounds(protocol, given), prompt, given["mode"])
    try:
        if not wish.models or given["panel"] is not None:
            wish = seated(wish, panels.panel(given["panel"] or DEFAULT))
            wish = wish._replace(models=wish.models[:1]) if preset and preset.has_one_model else wish
        chair = wish.chair and panels.explicit(wish.chair)
        wish = wish._replace(models=tuple(map(panels.explicit, wish.models)), chair=chair)
        return wish if preset is None else _preset(protocol, preset, wish)
    except (UnknownPanelError, UnfitPanelError) as error:
        raise RequestError(str(error)) from None


def _preset(name: str, preset: Preset, wish: Wish) -> Wish:
    samples = preset.samples if wish.rounds is None else wish.rounds
    if refusal := preset.refusal(len(wish.models), samples):
        raise RequestError(f"{name}: {refusal}")
    return wish._replace(rounds=samples)


def _rounds(protocol: str, given: dict[str, Any]) -> int | None:
    """Samples and layers are counted as rounds are, each under the name that its protocol has for them."""
    own = "samples" if protocol in _PRESETS else _COUNTED.get(protocol, "rounds")
    for name in ("rounds", *_COUNTED.values()):
        if name != own and given[name] is not None:
            raise RequestError(f"protocol {protocol!r} has no {name} to choose; leave them out")
    found: int | None = given[own]
    return found


def _prompt(question: str | None, file: str | None, tokens: int | None) -> Span | None:
    if sum(one is not None for one in (question, file, tokens)) > 1:
        raise RequestError("what will be asked is given twice: leave all but one of --question, --file, --tokens out")
    if tokens is not None:
        return Span(low=tokens, high=tokens)
    text = read_question(file) if file is not None else question and read_argument(question)
    if text is None:
        return None
    if not text.strip():
        raise RequestError("what will be asked is blank")
    return text_tokens(text)
