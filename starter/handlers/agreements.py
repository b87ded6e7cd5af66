"""A user agrees to the addresses in a providers file, once for each.

On a terminal the command asks before it sends anything; anywhere else ``--allow-provider NAME`` or ``parley allow``
says it. What was agreed to is kept for this user, see ``activities.providers.agreements``.
"""

import sys
from collections.abc import Collection, Iterable

import click

from parley.catalogue import Agreement, Providers
from parley.notices import notify
from protocols.panel import Panel
from protocols.visible_text import printable


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


def _is_confirmed(wanted: Agreement) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    notify(f"The providers file of this directory sends to an address that was not used before: {wanted.provider}")
    return click.confirm(f"Keys go to: {printable(wanted.text)}. Use it from now on?", default=False, err=True)
