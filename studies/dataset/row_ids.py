"""The ids of rows: they are kept as the dataset has them, and ids of deliberations take a short form of them.

``Café 1/2`` becomes ``Cafe-1-2-`` and eight digits of its SHA-256, so that two ids have two forms everywhere.
"""

import hashlib
import re
import unicodedata

from protocols.constraints import quoted

LONGEST = 1_000
"""Characters of an id."""

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_OTHER = re.compile(r"[^A-Za-z0-9_]+")
_LONGEST_SHORT = 60
_DIGITS = 8
_ROUNDED = re.compile(r"\d[.,]?\d*E\+\d{1,3}", re.IGNORECASE)


def short_form(row_id: str) -> str:
    """Return ``row_id`` as part of a deliberation's id: at most 80 of A-Z a-z 0-9 _ . and -."""
    if _PLAIN.fullmatch(row_id):
        return row_id
    plain = unicodedata.normalize("NFKD", row_id).encode("ascii", "ignore").decode()
    words = _OTHER.sub("-", plain).strip("-")[:_LONGEST_SHORT].strip("-") or "row"
    return f"{words}-{hashlib.sha256(row_id.encode()).hexdigest()[:_DIGITS]}"


def why_no_id(row_id: str) -> str | None:
    """Return why ``row_id`` can be no id; ``None`` when it can."""
    if not row_id:
        return "the id is blank; fill it in, or leave dataset.id out and the lines are numbered"
    if len(row_id) > LONGEST:
        return (
            f"the id {row_id[:40]!r}… has {len(row_id):,} characters, more than {LONGEST:,}; is this the column of ids?"
        )
    if not row_id.isprintable():
        return f"the id {quoted(row_id)} has a character that cannot be shown; remove it"
    if _ROUNDED.fullmatch(row_id):
        return (
            f"the id {row_id!r} is a number that a spreadsheet has rounded; give its column the format Text there and "
            "save it once more"
        )
    return None
