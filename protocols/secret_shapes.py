"""Names and values that are those of keys, recognised by their shape alone."""

import re

_NAMES = re.compile(
    r"api[-_ ]?key|authori[sz]ation|bearer|password|passwd|secret|credential|cookie|headers?$|^auth$|private[-_ ]?key"
    r"|^key$|(^|[-_ ])token$|access[-_ ]?key",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"\b(?:bearer|basic)\s+[\w.~+/=-]{8,}"
    r"|\b(?:[cg]?sk|pk|rk|xai|hf|gh[opsu]|xox[abpr]|key)[-_][\w-]{12,}"
    r"|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|://[^\s/@'\"]+:[^\s/@'\"]+@",
    re.IGNORECASE,
)


def names_secret(name: str) -> bool:
    """Return whether ``name`` is one under which keys are sent."""
    return _NAMES.search(name) is not None


def looks_secret(text: str) -> bool:
    """Return whether ``text`` holds something with the shape of a key."""
    return _VALUES.search(text) is not None
