"""Labelled lines: ``Position: …``, ``**Vote:** ACCEPT``, ``- Confidence (0-1): 0.8``, ``## Key points`` and below.

What stands behind a label is given under its name, as in an object. A quotation ("> Vote: MINOR") is somebody else's,
and so are labels that stand together in what the model was shown, with a position among them. Labels before the last
position count only where none behind it gives the same. A lonely digit at the very end may be the beginning of a number
that was cut off.
"""

import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from protocols.debate.replies.names import HEADERS, field_of
from protocols.debate.replies.positions import IsShown

_LABELLED = re.compile(
    r"^(?P<before>[^\w\n>]{0,12})(?P<name>[^\W\d_][^\W\d]?(?:[^\W\d]|[ /-]){0,39}?)(?:[ ]?\([^()\n]{1,40}\))?"
    r"(?P<after>[*_\"'`]{0,4}[ ]?[:：|][*_`]{0,4}|[*_]{0,4}[ ]?$)(?P<rest>[^\n]*)",
    re.MULTILINE,
)
_HEADER = re.compile(r"[ \t]{0,3}(?:#{1,6}[ ]|\*\*)")
_QUOTED = re.compile(r"[ \t]{0,9}\"((?:[^\"\\]|\\.)*)\"[ \t,}]{0,9}")
_CUT = re.compile(r"(?<![\d.])\d\.?\Z")
_PARAGRAPH = re.compile(r"\s*(?P<first>.+?)\s*(?:\n[ \t]*\n|\Z)", re.DOTALL)
_EDGES = " \t\n*_`|"

Pairs = Sequence[tuple[str, JsonValue]]


def read_labels(own: str, is_shown: IsShown) -> tuple[Pairs, Pairs]:
    """Names and what stands behind them, in their order: from the last position on, and before it."""
    text = _CUT.sub("", own)
    labels = _unquoted([found for found in _LABELLED.finditer(text) if _is_label(found)], text, is_shown)
    pairs = [(pair, _field(label)) for number, label in enumerate(labels) for pair in _pair(text, labels, number)]
    last = max((number for number, (_, field) in enumerate(pairs) if field == "position"), default=0)
    return [pair for pair, _ in pairs[last:]], [pair for pair, _ in pairs[:last]]


def _field(label: re.Match[str]) -> str | None:
    return field_of(label["name"])


def _is_label(found: re.Match[str]) -> bool:
    """Whether it names a field, with a colon behind it or as a header of its own line."""
    has_colon = bool(set(found["after"]) & set(":：|"))
    return _field(found) not in (None, "sections") and (has_colon or _HEADER.match(found["before"]) is not None)


def _unquoted(labels: Sequence[re.Match[str]], text: str, is_shown: IsShown) -> list[re.Match[str]]:
    """``labels`` without those that the model was shown together with a position, in any order."""
    runs: list[list[re.Match[str]]] = []
    for label in labels:
        if runs and is_shown(text[runs[-1][-1].start() : label.end()]):
            runs[-1].append(label)
        else:
            runs.append([label])
    quoted = (len(run) > 1 and any(_field(one) == "position" for one in run) for run in runs)
    return [label for run, is_quoted in zip(runs, quoted, strict=True) for label in run if not is_quoted]


def _pair(text: str, labels: Sequence[re.Match[str]], number: int) -> Iterator[tuple[str, JsonValue]]:
    label, is_reasoning = labels[number], _field(labels[number]) == "reasoning"
    behind = (later.start() for later in labels[number + 1 :] if not (is_reasoning and _field(later) in HEADERS))
    told, below = label["rest"], text[label.end() : next(behind, len(text))]
    if '"' in label["before"]:
        inside = _QUOTED.fullmatch(told)  # a line of an object that could not be read
        told = inside[1] if inside else "" if '"' in told else told
    elif is_reasoning:
        told = f"{told}{below}"
    elif not told.strip(_EDGES):
        paragraph = _PARAGRAPH.match(below)
        told = paragraph["first"] if paragraph else ""
    if told.strip(_EDGES):
        yield label["name"], told.strip(_EDGES)
