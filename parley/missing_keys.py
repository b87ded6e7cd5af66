"""Remedies for a missing key of a provider, with the names to use."""

from collections.abc import Collection

from parley.options.ask import Options
from parley.options.roles import Seat
from protocols.panel import UnknownModelNameError, provider_of, route
from protocols.written_seat import names_of

_FEWEST = 2
"""Models that are left where some are left out; a protocol whose models have a role each cannot do with one less."""


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
    if len(spare) < (_FEWEST if main else 1):
        return None
    alone = {role: model for role, model in single.items() if _is_of(model, missing)}
    if alone.keys() & set(options.SEATED_BY):
        return None
    changed = {role: ",".join(models) for role, models in left.items() if models and models != several[role]}
    changed |= dict.fromkeys(alone, spare[0])
    return " ".join(f"--{role.replace('_', '-')} {models}" for role, models in changed.items()) or None


def _is_of(seat: Seat, providers: Collection[str]) -> bool:
    try:
        return provider_of(route(names_of(seat)[0])) in providers
    except UnknownModelNameError:
        return False
