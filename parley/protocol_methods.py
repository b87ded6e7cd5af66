"""Two methods of ``Parley`` for each protocol: ``council`` waits for the result, ``start_council`` does not.

Their signatures are in ``protocol_methods.pyi``, their options in ``parley.options``.
"""

from functools import cached_property
from inspect import Parameter, Signature
from typing import Any

from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec


class ProtocolMethods:
    """Methods that start a deliberation or attach to a running one with the same ``id``.

    Raises:
        RequestError: it cannot be started as it was asked.
        IdUsedError: the id was used before; ``fresh=True`` runs it again.
        DeliberationFailedError: it has no verdict; carries the partial result. Only methods that wait raise it.
    """


def _method(spec: AnySpec, name: str, *, waits: bool) -> Any:
    """Return the method called ``name``, whose first argument is the question or the layers of a prompt."""
    first = "layers" if spec.judges else spec.question_keys[-1]
    options = Parameter("options", Parameter.VAR_KEYWORD)
    signature = Signature([*(Parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in ("self", first)), options])

    async def method(*args: Any, **keywords: Any) -> Any:
        bound = signature.bind(*args, **keywords).arguments
        given: dict[str, Any] = bound.get("options", {})
        asked = {first: bound[first]}
        if spec.judges:
            from parley.options.fire_circle import layers_of  # noqa: PLC0415 - the other protocols do not need it

            asked = {**layers_of(bound[first]).model_dump(), "session": given.pop("session", None)}
        started = await bound["self"].start(spec.name, asked, **given)
        return await started.result() if waits else started

    verb, end = ("Run", "wait for its result") if waits else ("Start", "return without waiting")
    method.__name__, method.__qualname__ = name, f"{ProtocolMethods.__name__}.{name}"
    method.__doc__ = f"{verb} a {spec.name.replace('-', ' ')} and {end}; the options: ``{spec.options.__name__}``."
    method.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect and help
    return method


class _LateMethod:
    """A method that is made when it is first looked up: the models of a protocol take time to import."""

    def __init__(self, protocol: str, name: str, *, waits: bool) -> None:
        self._protocol = protocol
        self._name = name
        self._waits = waits

    def __get__(self, owner: object | None, kind: type[object] | None = None) -> Any:
        return self._made if owner is None else self._made.__get__(owner, kind)

    @cached_property
    def _made(self) -> Any:
        return _method(PROTOCOLS[self._protocol], self._name, waits=self._waits)


for _protocol in PROTOCOLS:
    for _prefix in ("", "start_"):
        _name = _prefix + _protocol.replace("-", "_")
        setattr(ProtocolMethods, _name, _LateMethod(_protocol, _name, waits=not _prefix))
