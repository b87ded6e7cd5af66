"""What a secret looks like, and how a text is printed without it.

Two nets, because each has holes: the values that this process knows to be secret (environment variables with telling
names, whatever a caller adds), in every spelling a log line may give them; and shapes that are secret whoever owns
them, such as a bearer token or a password in an address.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote, quote_plus

MASK = "[redacted]"

_TELLING = re.compile(r"(_API_KEY|_TOKEN|_SECRET|_PASSWORD|_ENCRYPTION_KEYS|_ACCESS_KEY)$")
_SHORTEST = 8
"""Shorter values are words: masking them would make every line unreadable and hide nothing."""

_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)\b(bearer|basic)(\s+|%20)[\w.~+/=-]{8,}"), rf"\1 {MASK}"),
    (re.compile(r"\b(?:sk|csk|pk|rk)-[\w-]{8,}"), MASK),
    (re.compile(r"(?i)([?&](?:api[_-]?key|key|token|access_token|sig|signature)=)[^&\s'\"\\]+"), rf"\1{MASK}"),
    (re.compile(r"(\b[a-zA-Z][\w+.-]*://)[^\s/@'\"]+@"), rf"\1{MASK}@"),
)


def without_password(address: str) -> str:
    """``address`` with the password between name and host masked."""
    return re.sub(r"(://[^:/@\s]*:)[^@/]*@", rf"\1{MASK}@", address)


def secrets_of(environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """The values in the environment whose variable's name says that they are secret, and the keys within them."""
    values = (os.environ if environment is None else environment).items()
    telling = [value for name, value in values if _TELLING.search(name.upper())]
    parts = [part.partition(":")[2] for value in telling for part in value.split(",")]
    return frozenset(v.strip() for v in [*telling, *parts] if len(v.strip()) >= _SHORTEST)


def redactor(secrets: Iterable[str]) -> Callable[[str], str]:
    """A function that masks ``secrets``, in every spelling, and everything shaped like one."""
    spellings = sorted({s for secret in secrets for s in _spellings(secret)}, key=len, reverse=True)
    known = re.compile("|".join(map(re.escape, spellings))) if spellings else None

    def redact(text: str) -> str:
        masked = known.sub(MASK, text) if known else text
        for shape, replacement in _SHAPES:
            masked = shape.sub(replacement, masked)
        return masked

    return redact


def _spellings(secret: str) -> set[str]:
    in_json = json.dumps(secret)[1:-1]
    twice = json.dumps(in_json)[1:-1]
    return {secret, in_json, twice, repr(secret)[1:-1], quote(secret, safe=""), quote_plus(secret)}
