"""The arguments of an arm's deliberations, kept once and by what sets each apart.

The deliberations of an arm differ in little beside the question, while panel and prompts make up nearly all of what
they begin with. So an arm has a *template*, the argument of its first deliberation, and each of its deliberations only
the changes to it::

    changes = differences(template, whole)
    merged(template, changes) == whole

Both sides are JSON objects, compared key by key on the first level: a value that differs anywhere is kept whole.
"""

from collections.abc import Mapping

from pydantic import JsonValue

_SET = "set"
_GONE = "gone"

Whole = Mapping[str, JsonValue]
"""The argument of a workflow, as JSON."""


def differences(template: Whole, whole: Whole) -> dict[str, JsonValue]:
    """Return the changes that make ``whole`` of ``template``: ``set`` has keys with values, ``gone`` missing keys."""
    is_set = {key: value for key, value in whole.items() if key not in template or not _same(template[key], value)}
    gone: list[JsonValue] = [key for key in template if key not in whole]
    return {**({_SET: is_set} if is_set else {}), **({_GONE: gone} if gone else {})}


def merged(template: Whole, changes: Whole) -> dict[str, JsonValue]:
    """Return the argument made of ``template`` and the ``changes`` that ``differences`` returned for it.

    Raises:
        ValueError: ``changes`` was not made by ``differences``.
    """
    is_set, gone = changes.get(_SET, {}), changes.get(_GONE, [])
    if not isinstance(is_set, Mapping) or not isinstance(gone, list) or changes.keys() - {_SET, _GONE}:
        raise ValueError(f"changes have {_SET!r} and {_GONE!r} alone, and these have {sorted(changes)}")
    return {key: value for key, value in {**template, **is_set}.items() if key not in gone}


def _same(left: JsonValue, right: JsonValue) -> bool:
    """Return whether both are written alike in JSON: ``1``, ``1.0`` and ``true`` are three values there."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and left == right
