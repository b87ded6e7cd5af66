"""Ids that read: ``council-why-is-the-sky-blue-3fa91c``.

An id is part of addresses, lists and filters, so it has only ASCII letters, digits, ``.``, ``_``, ``-``
and ``/``: it needs no quoting anywhere.
"""

import re
import secrets
import unicodedata

from parley.errors import RequestError
from protocols.constraints import quoted
from protocols.visible_text import one_line

LONGEST_SLUG = 40
UNSENDABLE = re.compile("[\0\ud800-\udfff]")  # what no request to a server can carry
_READ = 2_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")
_TITLE_LENGTH = 120


def slug(text: str) -> str:
    """Return the first words of ``text`` as lower-case ASCII, joined by hyphens; at most 40 characters, never empty."""
    plain = unicodedata.normalize("NFKD", text[:_READ]).encode("ascii", "ignore").decode().lower()
    taken = ""
    for word in re.findall(r"[a-z0-9]+", plain):
        longer = f"{taken}-{word}" if taken else word[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        taken = longer
    return taken or "question"


def new_id(protocol: str, question: str | None) -> str:
    """Return a new id; ``question=None`` keeps its words out, for encrypted runs."""
    return "-".join([protocol, *([slug(question)] if question is not None else []), secrets.token_hex(3)])


def looked_up_id(given: object) -> str:
    """Return ``given`` if it can be the id of a deliberation.

    Raises:
        RequestError: it is no text, is blank, or has characters that no request can carry.
    """
    if not isinstance(given, str) or not given.strip() or UNSENDABLE.search(given):
        raise RequestError(f"{repr(given)[:80]} is no id of a deliberation, which is a text; parley list shows them")
    return given


def checked_id(given: object) -> str:
    """Return ``given`` if it is a valid id for a new deliberation.

    Raises:
        RequestError: it is blank, too long or holds a character that would need quoting somewhere.
    """
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise RequestError(
            f"the id {quoted(given)} cannot be used: an id is 1 to 200 of the characters A-Z a-z 0-9 . _ / - "
            "and begins with a letter or a digit"
        )
    return given


def title_of(question: str) -> str:
    """Return the first non-blank line of ``question``, in at most 120 printable characters."""
    lines = (one_line(line, width=_TITLE_LENGTH) for line in question.splitlines())
    return next(filter(None, lines), "question")
