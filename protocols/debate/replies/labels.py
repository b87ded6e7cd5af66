"""Labelled lines: ``Position: …``, ``**Vote:** ACCEPT``, ``- Confidence (0-1): 0.8``, ``## Key points`` and below.

What stands behind a label is given under its name, as in an object; of several the last counts. A quotation ("> Vote:
MINOR") is somebody else's. A lonely digit at the very end may be the beginning of a number that was cut off.
"""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from protocols.debate.replies.fields import field_of

_LABELLED = re.compile(
    r"^(?P<before>[^\w\n>]{0,12})(?P<name>[A-Za-z][A-Za-z _-]{2,40}?)(?:[ ]?\([^()\n]{1,40}\))?"
    r"(?P<after>[*_\"'`]{0,4}[ ]?[:：|][*_`]{0,4}|[*_]{0,4}[ ]?$)(?P<rest>[^\n]*)",
    re.MULTILINE,
)
_HEADER = re.compile(r"[ \t]{0,3}(?:#{1,6}[ ]|\*\*)")
_QUOTED = re.compile(r"[ \t]{0,9}\"((?:[^\"\\]|\\.)*)\"[ \t,}]{0,9}")
_CUT = re.compile(r"(?<![\d.])\d\.?\Z")
_PARAGRAPH = re.compile(r"\s*(?P<first>.+?)\s*(?:\n[ \t]*\n|\Z)", re.DOTALL)
_EDGES = " \t\n*_`|"

Pairs = Sequence[tuple[str, JsonValue]]


def read_labels(own: str) -> Pairs:
    """Names and what stands behind them, in their order."""
    text = _CUT.sub("", own)
    labels = [found for found in _LABELLED.finditer(text) if _is_label(found)]
    ends = [*(label.start() for label in labels[1:]), len(text)]
    below = [text[label.end() : end] for label, end in zip(labels, ends, strict=False)]
    return [pair for label, told in zip(labels, below, strict=True) for pair in _pair(label, told)]


def _is_label(found: re.Match[str]) -> bool:
    """Whether it names a field, with a colon behind it or as a header of its own line."""
    has_colon = bool(set(found["after"]) & set(":：|"))
    return field_of(found["name"]) is not None and (has_colon or _HEADER.match(found["before"]) is not None)


def _pair(label: re.Match[str], below: str) -> Iterator[tuple[str, JsonValue]]:
    told = label["rest"]
    if '"' in label["before"]:
        inside = _QUOTED.fullmatch(told)  # a line of an object that could not be read
        told = inside[1] if inside else "" if '"' in told else told
    elif field_of(label["name"]) == "reasoning" or not told.strip(_EDGES):
        told = _block(f"{told}{below}", label["name"])
    if told.strip(_EDGES):
        yield label["name"], told.strip(_EDGES)


def _block(behind: str, name: str) -> str:
    """What follows a label: all of it when it is the reasoning, and else one paragraph."""
    if field_of(name) == "reasoning":
        return behind
    first = _PARAGRAPH.match(behind)
    return first["first"] if first else ""
