"""Patterns of secrets, and their removal from printed text.

Two filters, because each has gaps: the values that are secret in this process (environment variables with such
names, and those that a caller adds), in every form (``protocols.secret_text``); and shapes that are always secret,
such as a bearer token or a password in an address.
"""

import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

from protocols.secret_text import SecretScrubber

MASK = "[redacted]"

_TELLING = re.compile(r"(_KEY|_TOKEN|_SECRET|_PASSWORD|_ENCRYPTION_KEYS)$")
_SHORTEST = 8
"""Shorter values are words: masking them would make every line unreadable and hide nothing."""

_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)\b(bearer|basic)(\s+|%20)[\w.~+/=-]{8,}"), rf"\1 {MASK}"),
    (re.compile(r"(?i)\b(?:sk|csk|pk|rk)-[\w-]{8,}"), MASK),
    (re.compile(r"(?i)([?&](?:api[_-]?key|key|token|access_token|sig|signature)=)[^&\s'\"\\]+"), rf"\1{MASK}"),
    (re.compile(r"(\b[a-zA-Z][\w+.-]*://)[^\s/@'\"]+@"), rf"\1{MASK}@"),
)


def without_password(address: str) -> str:
    """Return ``address`` with the password between name and host masked."""
    return re.sub(r"(://[^:/@\s]*:).*@", rf"\1{MASK}@", address)


def passwords_in(address: str) -> set[str]:
    """Return the password of ``address``, as it is written there and as it is; nothing when it has none."""
    try:
        password = urlsplit(address).password
    except ValueError:
        return set()
    return {password, unquote(password)} if password else set()


def secrets_of(environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the values of environment variables named like secrets, and the keys within them."""
    values = (os.environ if environment is None else environment).items()
    telling = [value for name, value in values if _TELLING.search(name.upper())]
    parts = [part.partition(":")[2] for value in telling for part in value.split(",")]
    return frozenset(v.strip() for v in [*telling, *parts] if len(v.strip()) >= _SHORTEST)


def redactor(secrets: Iterable[str]) -> SecretScrubber:
    """Return what masks ``secrets``, in every form, and everything shaped like one."""
    return SecretScrubber(secrets, MASK, _SHAPES)
