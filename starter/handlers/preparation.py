"""Steps before a command does its work: reading the configuration file, checking the providers and the worker.

A user agrees to the addresses in a providers file, once for each. On a terminal the command asks before it sends
anything; anywhere else ``--allow-provider NAME`` or ``parley allow`` says it. What was agreed to is kept for this user,
see ``activities.providers.agreements``.
"""

import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any

import click

from parley.catalogue import Agreement, Providers
from parley.errors import UpdateRefusedError
from parley.model_warnings import print_model_warnings
from parley.notices import notify
from parley.options.ask import Options
from parley.options.roles import Seat
from parley.questions import read_config
from parley.session import Session
from parley.workers import pollers
from protocols.panel import Panel, UnknownModelNameError, provider_of, route
from protocols.task_queues import TASK_QUEUE
from protocols.visible_text import printable
from protocols.written_seat import names_of
from runtime.shutdown import interruptible

_FEWEST = 2
"""Models that are left where some are left out; a protocol whose models have a role each cannot do with one less."""


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


def agree(providers: Providers, panels: Iterable[Panel], allowed: Collection[str], *, may_ask: bool = True) -> None:
    """Ask for agreement to every address of ``panels`` without one."""
    for name in allowed:
        providers.agreement(name)
    for wanted in providers.unconfirmed(panels):
        if wanted.provider in allowed or (may_ask and _is_confirmed(wanted)):
            allow(providers, wanted.provider)


def allow(providers: Providers, name: str) -> None:
    """Record the agreement to the address of the provider ``name``, and report it."""
    wanted = providers.agreement(name)
    kept = providers.remember(wanted)
    notify(f"agreed: {wanted.text}" if kept else f"{name}: no agreement is needed ({wanted.text})")


def leaving_out(options: Options, missing: Collection[str]) -> str | None:
    """Return the options that seat the same panel without the models of the providers ``missing``.

    ``None`` when too few models would be left, or the seats have settings, which these options do not carry.
    """
    roles = {role: getattr(options, role) for role in options.roles()}
    several = {role: models for role, models in roles.items() if isinstance(models, tuple) and models}
    single = {role: seat for role, seat in roles.items() if seat and not isinstance(seat, tuple)}
    seats = (*single.values(), *(seat for named in several.values() for seat in named))
    if not all(isinstance(seat, str) for seat in seats):
        return None
    main = next((role for role in options.SEATED_BY if role in several), None)
    left = {role: tuple(m for m in models if not _is_of(m, missing)) for role, models in several.items()}
    spare = left[main] if main else tuple(m for m in single.values() if not _is_of(m, missing))
    alone = {role: model for role, model in single.items() if _is_of(model, missing)}
    if len(spare) < (_FEWEST if main else 1) or alone.keys() & set(options.SEATED_BY):
        return None
    changed = {role: ",".join(models) for role, models in left.items() if models and models != several[role]}
    changed |= dict.fromkeys(alone, spare[0])
    return " ".join(f"--{role.replace('_', '-')} {models}" for role, models in changed.items()) or None


def _is_confirmed(wanted: Agreement) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    notify(f"The providers file of this directory sends to an address that was not used before: {wanted.provider}")
    with suppress(click.Abort), interruptible():  # the end of the input is no agreement
        return click.confirm(f"Keys go to: {printable(wanted.text)}. Use it from now on?", default=False, err=True)
    return False


def _is_of(seat: Seat, providers: Collection[str]) -> bool:
    try:
        return provider_of(route(names_of(seat)[0])) in providers
    except UnknownModelNameError:
        return False
