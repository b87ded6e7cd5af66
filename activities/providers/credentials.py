"""Keys: read once from the environment, checked, hidden when printed, and kept out of every text.

A key with a line break in it would be refused by the HTTP library in an error that shows the key; so it is checked
before it is used. Providers quote keys in their messages; so every text from outside is scrubbed.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache

from pydantic import SecretStr

from activities.providers.catalogue import Catalogue, Provider
from activities.providers.errors import ConfigError
from protocols.secret_text import SecretScrubber

_KEY = re.compile(r"[!#-&(-~]{1,4096}")
_REHEARSAL_KEY = SecretStr("rehearsal")

_SUSPICIOUS = (
    (re.compile(r"(?i)\b(bearer|basic)\s+\S+"), r"\1 [key]"),
    (re.compile(r"(?i)\b(?:[cg]?sk[-_][\w*.…-]{6,}|(?:pk|rk|xai|hf|key)[-_][\w*.…-]{20,})"), "[key]"),
    (
        re.compile(r"(?i)\b(authorization|api[-_ ]?key|x-api-key|token|secret|password)(\"?\s*[:=]\s*\"?)[^\s\"',;&]+"),
        r"\1\2[key]",
    ),
    (re.compile(r"://[^/\s@]+@"), "://[key]@"),
)


def read_key(provider: Provider, environ: Mapping[str, str]) -> SecretStr | None:
    """Return the key for ``provider``, or ``None`` if it needs none.

    Raises:
        ConfigError: the variable is not set, or what it holds cannot be a key. The text names the variable only.
    """
    if provider.rehearsal:
        return _REHEARSAL_KEY
    if provider.key_variable is None:
        return None
    key = environ.get(provider.key_variable, "").strip()
    if not key:
        said = f"provider {provider.name!r} needs a key: set {provider.key_variable} in the worker's environment"
        raise ConfigError(said, error_type="config.missing_key")
    if not _KEY.fullmatch(key):
        said = (
            f"the environment variable {provider.key_variable} does not hold a key: it has characters that no key has "
            "(quotes, white space, control or non-ASCII characters)"
        )
        raise ConfigError(said, error_type="config.bad_key")
    return SecretStr(key)


def with_keys(catalogue: Catalogue, environ: Mapping[str, str]) -> list[str]:
    """Return the providers that have their key or need none."""
    found = []
    for provider in catalogue.providers.values():
        with suppress(ConfigError):
            read_key(provider, environ)
            found.append(provider.name)
    return found


def scrubber(key: SecretStr | None) -> SecretScrubber:
    """Return a function that removes ``key``, and any text like a key, from a text."""
    return _scrubber("" if key is None or key is _REHEARSAL_KEY else key.get_secret_value())


@lru_cache(maxsize=64)  # the forms of a key take longer to write than all texts of a call to search
def _scrubber(secret: str) -> SecretScrubber:
    return SecretScrubber([secret] if secret else [], "[key]", _SUSPICIOUS)
