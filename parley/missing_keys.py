"""Remedies for a missing key of a provider, with the names to use."""

from collections.abc import Collection

from parley.options.ask import Options
from protocols.named_panel import roles_of
from protocols.panel import UnknownModelNameError, provider_of, route

_FEWEST = 2
"""Models that are left where some of a list are left out."""


def leaving_out(options: Options, missing: Collection[str]) -> str | None:
    """Return the options that seat the same panel without the models of the providers ``missing``.

    ``None`` when too few models would be left.
    """
    roles = {role: getattr(options, role) for role in roles_of(options.PROTOCOL)}
    several = {role: models for role, models in roles.items() if isinstance(models, tuple) and models}
    main = next((role for role in options.SEATED_BY if role in several), None)
    left = {role: tuple(m for m in models if not _is_of(m, missing)) for role, models in several.items()}
    spare = left[main] if main else tuple(m for m in roles.values() if isinstance(m, str) and not _is_of(m, missing))
    if len(spare) < (_FEWEST if main else 1):
        return None
    alone = {role: model for role, model in roles.items() if isinstance(model, str) and _is_of(model, missing)}
    if alone.keys() & set(options.SEATED_BY):
        return None
    changed = {role: ",".join(models) for role, models in left.items() if models and models != several[role]}
    changed |= dict.fromkeys(alone, spare[0])
    return " ".join(f"--{role.replace('_', '-')} {models}" for role, models in changed.items()) or None


def _is_of(model: str, providers: Collection[str]) -> bool:
    try:
        return provider_of(route(model)) in providers
    except UnknownModelNameError:
        return False
