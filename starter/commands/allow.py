"""``parley allow``: agree to the address of a provider in the providers file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("allow")
@click.argument("provider")
@click.option(
    "--providers",
    "file",
    type=click.Path(exists=True, resolve_path=True, path_type=Path),
    help="The providers file of a study; by default that of the installation.",
)
@with_settings
async def command(settings: "Settings", *, provider: str, file: Path | None) -> None:
    """Send PROVIDER its key from now on, at the address that the providers file names today."""
    import os

    from parley.catalogue import Providers
    from starter.handlers.agreements import allow

    if file is not None:
        settings = settings.with_providers_of_a_study(file)
    allow(Providers.of(settings, os.environ), provider)
