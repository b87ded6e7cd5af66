"""``parley models``: the providers, whose keys are there, and who sits when nobody is named."""

import os
from dataclasses import asdict
from typing import Any

import click

from protocols.consensus.model import CURATOR, DEFAULT_CURATOR, DEFAULT_SPEAKERS, SPEAKERS
from protocols.council.model import DEFAULT_CHAIRMAN_MODEL, DEFAULT_COUNCIL_MODELS
from protocols.debate.model.asked import DEFAULT_DEBATERS
from protocols.fire_circle.model import DEFAULT_CIRCLE
from runtime.settings import Settings
from starter.catalogue import Providers
from starter.errors import VERDICT
from starter.exits import run
from starter.terminal import as_json, console
from starter.views.lists import providers


@click.command("models")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(json_: bool) -> None:
    """Show the providers, whether their keys are set (never the keys), and the default panels."""

    async def work(settings: Settings) -> int:
        lines = Providers.of(settings, os.environ).lines()
        if json_:
            click.echo(as_json({"providers": [asdict(line) for line in lines], **_panels()}))
        else:
            console().print(providers(lines))
        return VERDICT

    run(work, json=json_)


def _panels() -> dict[str, Any]:
    council = {"models": DEFAULT_COUNCIL_MODELS, "chair": DEFAULT_CHAIRMAN_MODEL}
    seats = zip((*SPEAKERS, CURATOR), (*DEFAULT_SPEAKERS, DEFAULT_CURATOR), strict=True)
    return {
        "default_council": council,
        "default_consensus": dict(seats),
        "default_circle": DEFAULT_CIRCLE,
        "default_debate": DEFAULT_DEBATERS,
    }
