"""``parley allow``: a person agrees to the address of a provider in the providers file."""

import os
from pathlib import Path

import click

from parley.catalogue import Providers
from parley.errors import VERDICT
from runtime.settings import Settings
from starter.agreements import allow
from starter.command_runner import run


@click.command("allow")
@click.argument("provider")
@click.option(
    "--providers",
    "file",
    type=click.Path(exists=True, resolve_path=True),
    help="The providers file, of a study for example.",
)
def command(provider: str, file: str | None) -> None:
    """Let PROVIDER of the providers file get its key from now on, at the address that the file names today."""

    async def work(settings: Settings) -> int:
        if file is not None:
            settings = settings.with_providers_of_a_study(Path(file))
        allow(Providers.of(settings, os.environ), provider)
        return VERDICT

    run(work)
