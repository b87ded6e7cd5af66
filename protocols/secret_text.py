"""Secrets taken out of text, in every form in which they come back.

A provider may quote the key that it was sent: upper-cased, in Basic authentication, as hexadecimal digits, escaped for
an address, for JSON or for a page. A text is scrubbed before it is cut, and where it must be cut first, a part of a
secret that is left at the cut goes too.
"""

import base64
import json
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote, quote_plus

SHORTEST = 6
"""Shorter values are words: without them a text could not be read, and nothing would be hidden."""

_LIKE_A_WORD = re.compile(r"[^\W\d_]{1,19}(?:[-_ .][^\W\d_]{1,19})*")
"""Such a key (local servers take "ollama" or "lm-studio") looks like a model's own words."""
_LONGEST_WORDS = 24

_SHORTEST_FORM = 8
"""A shorter part of a base64 text occurs in many other texts."""
_SHORTEST_PART = 6
"""Characters at a cut by which the beginning of a secret is known."""
_MOST_BEHIND = 8_192
"""Characters behind a cut that are looked at, so that a secret across it is known whole."""


class SecretScrubber:
    """A function that removes known secrets from texts.

    Args:
        secrets: As they are; those that are too short, and so look like words, are skipped.
        mask: Their replacement.
        shapes: Of secrets that are known by their shape alone, each with its replacement.
    """

    def __init__(self, secrets: Iterable[str], mask: str, shapes: Sequence[tuple[re.Pattern[str], str]] = ()) -> None:
        known = [secret for secret in secrets if len(secret) >= SHORTEST]
        self._lowered = _lowered_forms(known)
        self._lowered_in_replies = _lowered_forms(secret for secret in known if not _is_like_a_word(secret))
        self._mask, self._shapes = mask, shapes
        self.longest = max(map(len, self._lowered), default=0)
        """Characters of the longest form of a secret."""

    def __call__(self, text: str) -> str:
        """Return ``text`` without secrets."""
        text = self._without(self._lowered, text)
        for shape, replacement in self._shapes:
            text = shape.sub(replacement, text)
        return text

    def exactly(self, text: str) -> str:
        """Return a model's own words without the known secrets; what only looks like one stays, or is like a word."""
        return self._without(self._lowered_in_replies, text)

    def head(self, text: str, longest: int) -> str:
        """Return at most the first ``longest`` characters of ``text`` without secrets, whole or cut."""
        window = text[: longest + _MOST_BEHIND]
        scrubbed = self(window)
        if len(window) < len(text):
            scrubbed = self.without_cut_end(scrubbed)
        return scrubbed[:longest]

    def without_cut_end(self, text: str) -> str:
        """Return ``text`` without the beginning of a known secret at its end."""
        end = text[-self.longest :].lower() if self.longest else ""
        for at in range(max(0, len(end) - _SHORTEST_PART + 1)):
            if any(form.startswith(end[at:]) for form in self._lowered):
                return text[: len(text) - len(end) + at] + self._mask
        return text

    def _without(self, forms: tuple[str, ...], text: str) -> str:
        lowered = text.lower() if forms else ""
        if not any(form in lowered for form in forms):
            return text
        return re.sub("|".join(map(re.escape, forms)), self._mask, text, flags=re.IGNORECASE)


def _lowered_forms(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return all forms of all secrets, the longest first."""
    return tuple(sorted({form.lower() for secret in secrets for form in forms_of(secret)}, key=len, reverse=True))


def _is_like_a_word(secret: str) -> bool:
    return len(secret) <= _LONGEST_WORDS and _LIKE_A_WORD.fullmatch(secret) is not None


def forms_of(secret: str) -> set[str]:
    """Return the forms of ``secret`` in a text, without regard to capitals."""
    raw = secret.encode("utf-8", "replace")
    in_json = json.dumps(secret)[1:-1]
    escaped = {in_json, json.dumps(in_json)[1:-1], repr(secret)[1:-1], quote(secret, safe=""), quote_plus(secret)}
    each = {
        "".join(f"%{byte:02x}" for byte in raw),
        "".join(f"\\x{byte:02x}" for byte in raw),
        "".join(f"\\u{ord(char):04x}" for char in secret),
        "".join(f"&#{ord(char)};" for char in secret),
        "".join(f"&#x{ord(char):x};" for char in secret),
    }
    return {secret, raw.hex(), raw.hex(" "), raw.hex(":"), *escaped, *each, *_in_base64(raw)}


def _in_base64(raw: bytes) -> Iterable[str]:
    """Return the common part of all base64 encodings of ``raw`` within other bytes, at each of three offsets."""
    for before, lost in ((0, 0), (1, 2), (2, 3)):
        encoded = base64.b64encode(b"\0" * before + raw).decode().rstrip("=")
        # The last character also holds bits of what follows.
        inside = encoded[lost:] if (before + len(raw)) % 3 == 0 else encoded[lost:-1]
        if len(inside) >= _SHORTEST_FORM:
            yield from (inside, inside.replace("+", "-").replace("/", "_"), quote(inside, safe=""))
