"""The protocols of arms: each protocol under its own name and under those of its presets.

``single`` is one model that answers a question once. Where the dataset maps the layers of a prompt, it is one model
that judges them; ``parallel`` and the fire circle always judge, and without layers they judge the question as what the
user wrote.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec


class ArmProtocol(NamedTuple):
    """The protocol of an arm."""

    spec: AnySpec
    fixed: Mapping[str, Any]
    """The options that its name sets."""


@cache
def protocol_names() -> tuple[str, ...]:
    """Return all names that an arm may give its protocol."""
    return tuple(dict.fromkeys(name for spec in PROTOCOLS.values() for name in (spec.name, *spec.presets)))


def checked_protocol(name: str) -> str:
    """Return ``name``.

    Raises:
        ValueError: no protocol has it.
    """
    if name not in protocol_names():
        raise ValueError(f"there is no protocol of that name; known are {', '.join(protocol_names())}")
    return name


def arm_protocol(name: str, *, judges: bool) -> ArmProtocol:
    """Return the protocol called ``name``; of two of one name, the judging one for datasets with layers."""
    named = [spec for spec in PROTOCOLS.values() if name in {spec.name, *spec.presets}]
    spec = next((one for one in named if one.judges is judges), named[0])
    return ArmProtocol(spec, spec.presets.get(name, {}))
