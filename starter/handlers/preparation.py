"""Steps before models are asked: reading the configuration file, and checking the providers."""

from collections.abc import Sequence
from typing import Any

from parley.catalogue import Providers, models_of
from parley.missing_keys import leaving_out
from parley.model_warnings import print_model_warnings
from parley.options.ask import Options
from parley.questions import read_config
from starter.handlers.agreements import agree


async def check_providers(
    providers: Providers, options: Options, allowed: Sequence[str], *, keys: bool, may_ask: bool
) -> None:
    """Check addresses, keys and models of a panel before it is asked; scripted models need none."""
    if options.rehearse:
        return
    panel = options.seated()
    agree(providers, [panel], tuple(allowed), may_ask=may_ask)
    if keys:
        providers.check(panel, leaving_out=leaving_out(options, providers.without_key(panel)))
    await print_model_warnings(providers, models_of(panel))


def with_config(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Merge the command line's values with the keys of its configuration file."""
    line = {name: value for name, value in given.items() if value not in {None, ()}}
    config = line.pop("config", None)
    return line, read_config(config) if config else {}
