"""Steps before a command does its work: reading the configuration file, checking the providers and the worker."""

from collections.abc import Sequence
from typing import Any

from parley.catalogue import Providers
from parley.errors import UpdateRefusedError
from parley.missing_keys import leaving_out
from parley.model_warnings import print_model_warnings
from parley.options.ask import Options
from parley.questions import read_config
from parley.session import Session
from parley.worker_status import pollers
from protocols.task_queues import TASK_QUEUE
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
    await print_model_warnings(providers, panel.models)


def with_config(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Merge the command line's values with the keys of its configuration file."""
    line = {name: value for name, value in given.items() if value is not None and value != ()}
    config = line.pop("config", None)
    return line, read_config(config) if config else {}


async def require_worker(session: Session) -> None:
    """Refuse a change while no worker runs: the update would wait for one without a message.

    Raises:
        UpdateRefusedError: no worker runs.
    """
    if not await pollers(session.parley.client, TASK_QUEUE):
        raise UpdateRefusedError(
            "no worker runs, so the change would not be applied. Start one with `parley up`, or follow the "
            "deliberation with `parley watch` in another window, and give the command again."
        )
