"""Labelled lines: ``Position: …``, ``**Vote:** ACCEPT``, ``- Confidence (0-1): 0.8``, ``## Key points`` and below.

Text behind a label is stored under its name, as in an object. A quotation ("> Vote: MINOR") is another writer's,
and so are labels that are together in the prompt, with a position among them. Labels before the last
position count only where none behind it gives the same. A lonely digit at the very end may be the beginning of a number
that was cut off.
"""

import re
from collections.abc import Sequence

from protocols import debate
from protocols.debate.replies.field_names import HEADERS, Given, field_of, given
from protocols.debate.replies.positions import IsShown
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(debate.__name__, "replies_labelled_lines")
_LABELLED = _PATTERNS["labelled"]
_HEADER = re.compile(r"[ \t]{0,3}(?:#{1,6}[ ]|\*\*)")
_QUOTED = re.compile(r"[ \t]{0,9}\"((?:[^\"\\]|\\.)*)\"[ \t,}]{0,9}")
_CUT = re.compile(r"(?<![\d.])\d\.?\Z")
_PARAGRAPH = re.compile(r"\s*(?P<first>.+?)\s*(?:\n[ \t]*\n|\Z)", re.DOTALL)
_EDGES = " \t\n*_`|"

_LISTED = ("claims", "references")
"""Lists that are read from the whole prose."""


def read_labels(own: str, is_shown: IsShown) -> Given:
    """Return the texts after labels, by field."""
    text = _CUT.sub("", own)
    labels = _unquoted([found for found in _LABELLED.finditer(text) if _is_label(found)], text, is_shown)
    pairs = [(label, content) for number, label in enumerate(labels) if (content := _text_after(text, labels, number))]
    last = max((number for number, (label, _) in enumerate(pairs) if _field(label) == "position"), default=0)
    before, behind = (
        given((label["name"], content) for label, content in several if _field(label) not in _LISTED)
        for several in (pairs[:last], pairs[last:])
    )
    return {**before, **behind}


def _field(label: re.Match[str]) -> str | None:
    return field_of(label["name"])


def _is_label(found: re.Match[str]) -> bool:
    """Return whether it names a field, with a colon after it or as a header on a separate line."""
    has_colon = bool(set(found["after"]) & set(":：|"))
    return _field(found) not in (None, "sections") and (has_colon or _HEADER.match(found["before"]) is not None)


def _unquoted(labels: Sequence[re.Match[str]], text: str, is_shown: IsShown) -> list[re.Match[str]]:
    """Return ``labels`` without those that the model was shown together with a position, in any order."""
    runs: list[list[re.Match[str]]] = []
    for label in labels:
        if runs and is_shown(text[runs[-1][-1].start() : label.end()]):
            runs[-1].append(label)
        else:
            runs.append([label])
    quoted = (len(run) > 1 and any(_field(one) == "position" for one in run) for run in runs)
    return [label for run, is_quoted in zip(runs, quoted, strict=True) for label in run if not is_quoted]


def _text_after(text: str, labels: Sequence[re.Match[str]], number: int) -> str:
    """Return the text after a label: on its line, else the paragraph below; a reasoning ends at the next label."""
    label, is_reasoning = labels[number], _field(labels[number]) == "reasoning"
    others = (labels[at] for at in range(number + 1, len(labels)))  # no slice: of each label it would be quadratic
    behind = (other.start() for other in others if not (is_reasoning and _field(other) in HEADERS))
    rest, below = label["rest"], text[label.end() : next(behind, len(text))]
    if '"' in label["before"]:
        inside = _QUOTED.fullmatch(rest)  # a line of an object that could not be read
        rest = inside[1] if inside else "" if '"' in rest else rest
    elif is_reasoning:
        rest = f"{rest}{below}"
    elif not rest.strip(_EDGES):
        paragraph = _PARAGRAPH.match(below)
        rest = paragraph["first"] if paragraph else ""
    return rest.strip(_EDGES)
