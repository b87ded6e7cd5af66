"""The formats of a turn in a reply: an object, labelled lines, plain prose.

Quotations precede conclusions: the last object counts. An object from the prompt is a quotation, and so is one that
names its agent, unless it is the whole reply. Labelled lines behind an object that conclude anew (position, confidence
and vote) replace it. An object that was cut and has no position left is no prose.

Labelled lines are ``Position: …``, ``**Vote:** ACCEPT``, ``- Confidence (0-1): 0.8``, ``## Key points`` and below. Text
behind a label is stored under its name, as in an object. A quotation ("> Vote: MINOR") is another writer's, and so are
labels that are together in the prompt, with a position among them. Labels before the last position count only where
none behind it gives the same. A lonely digit at the very end of a mark may be the beginning of a number.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from protocols import debate
from protocols.debate.model.turn import Source, Stance, Vote
from protocols.debate.replies.field_names import HEADERS, NAMES, Given, agreed, entry_value, every, field_of, given, one
from protocols.debate.replies.field_values import confidence_of, stance_of, text_of, vote_of
from protocols.debate.replies.positions import IsShown, is_anew
from protocols.json_in_text import JsonMatch, Limits, RepeatedKeys, read_objects
from protocols.text_files import compile_patterns

_LIMITS = Limits(reach=16_000, marks=800)
"""A turn is long; over the worst ruins of that size the library takes about a second."""

_DEPTH = 3
"""How deep in objects and lists a turn may lie."""

_PAIR = 2
"""Fields that an object gives which is surely a turn."""

_ANSWERS = NAMES["position"].index("finalanswer")
"""The rank from which on a name of a position gives the final answer, or sums up, where another one gives it."""

_FEW = 8
"""Words; as few in front of an object that cannot be read are an introduction and no prose."""

_AGENTS = ("agent", "agentid", "agentname", "speaker")

_NAMES = "|".join((*NAMES["position"], *NAMES["held"], "final_(?:position|answer)", "reasoning", "explanation"))
_KEYED = re.compile(rf"[{{,\s][\"'“`]?(?:{_NAMES})[\"'”`]?\s{{0,9}}:", re.IGNORECASE)
_BROKEN = re.compile(rf"(?:```\w{{0,9}}\s{{0,9}})?\{{\s{{0,99}}[\"'“](?:{_NAMES})[\"'”]", re.IGNORECASE)
_OPENED = re.compile(r"(?:```\w{0,9}\s{0,9})?\{")
_OPEN_TEXT = re.compile(r"\"((?:[^\"\\]|\\.)*)", re.DOTALL)
_FENCES = re.compile(r"^[ \t]{0,9}```[^\n]*$", re.MULTILINE)
_ANY_LETTER = re.compile(r"[^\W\d_]")


class ReplyFormat(NamedTuple):
    """A turn as a reply gives it."""

    fields: Given
    source: Source
    prose: str
    """The text outside the object, or all of it: the reasoning if no other is given."""
    found: JsonMatch = JsonMatch(None)
    """The object; of labelled lines and prose there is none, but of lines the place behind the last mark."""
    is_quoted: bool = False
    """Whether the object names whose it is."""

    @property
    def written(self) -> str | None:
        """A broken object as it is."""
        return self.found.written if self.found.is_mended else None

    @property
    def behind(self) -> str:
        """Return the text after the object, or after the last line with a mark."""
        return self.found.text[self.found.end :]


_PATTERNS = compile_patterns(debate.__name__, "replies_reply_formats")
_LABELLED, _PAST, _OTHERS, _IN_OTHERS = (_PATTERNS[name] for name in ("labelled", "past", "others", "in_others"))
_CUT = re.compile(r"(?<![\d.,/CE])\d[.,]?\Z")
_EDGES = " \t\n*_`|"

_SHORT = ("confidence", "vote", "stance", "position")
"""Fields of one line, behind which a text is no part of them: of those of a position only a final answer."""
_REMARK = 120
"""Characters behind the last of them up to which a text is a remark on them, and no reasoning."""
_LISTED = ("claims", "references")
"""Lists that are read from the whole prose."""


def read_form(own: str, is_shown: IsShown) -> ReplyFormat | None:
    """Return the format of the turn in a reply; ``None`` for an empty reply and for an unreadable object."""
    found, rest = _in_object(own, is_shown)
    if not found and _PATTERNS["holds_others"].search(rest):
        return None
    anew = _in_lines(found.behind, is_shown) if found else None
    if anew and text_of(one(anew.fields, "position")) and None not in marks(anew.fields)[:_PAIR]:
        return anew
    return found or _in_lines(rest, is_shown) or _in_prose(rest)


def marks(
    fields: Given, written: str | None = None, changes: Sequence[re.Match[str]] = ()
) -> tuple[float | None, Vote | None, Stance | None]:
    """Return confidence, vote and stance; none that ``changes`` replace, ``written`` is the text of a broken object."""
    figures, votes = (
        [value for said in changes if (value := said.groupdict().get(name))] for name in ("confidence", "vote")
    )
    return (
        agreed(fields, "confidence", lambda value: confidence_of(value, written), figures),
        agreed(fields, "vote", vote_of, votes),
        agreed(fields, "stance", stance_of),
    )


def read_labels(own: str, is_shown: IsShown) -> Given:
    """Return the texts after labels, by field."""
    text = _CUT.sub("", own) if any(field_of(it["name"]) in _SHORT[:3] for it in _labels(own)[-1:]) else own
    labels = _unquoted(_labels(text), text, is_shown)
    pairs = [(label, content) for number, label in enumerate(labels) if (content := _text_after(text, labels, number))]
    stated = [(_is_position(it), at) for at, (it, _) in enumerate(pairs) if field_of(it["name"]) == "position"]
    last = max(stated, default=(True, 0))[1]
    before, behind = (
        given((label["name"], content) for label, content in several if field_of(label["name"]) not in _LISTED)
        for several in (pairs[:last], pairs[last:])
    )
    return {**before, **behind}


def _in_object(own: str, is_shown: IsShown) -> tuple[ReplyFormat | None, str]:
    """Return the last object that is surely or else possibly a turn, and the reply without quoted objects.

    An object that names an agent and is all of the reply is the model's own.
    """
    objects = list(read_objects(own, _objects, lambda region: _KEYED.search(region) is not None, _LIMITS))
    shown = [it for it in objects if is_shown(it.found.written)]
    quoted = [it.found for it in objects if it in shown or it.is_quoted]
    rest = _without(own, quoted)
    if len(objects) == len(quoted) == 1 and not (rest or shown):
        return objects[0], ""
    return min((it for it in reversed(objects) if it.found not in quoted), key=_doubt, default=None), rest


def _in_lines(own: str, is_shown: IsShown) -> ReplyFormat | None:
    """Return labelled lines with at least one field that is more than a text."""
    fields = read_labels(own, is_shown)
    texts = (text_of(one(fields, "position")), text_of(one(fields, "held")), *marks(fields))
    short = [it for it in _labels(own)[-1:] if field_of(it["name"]) in _SHORT and not _is_position(it)]
    end = short[0].end() if short and len(own) - short[0].end() <= _REMARK else len(own)
    found = JsonMatch(None, end, end, own)
    return ReplyFormat(fields, "text", own, found) if any(value not in ("", None) for value in texts) else None


def _in_prose(own: str) -> ReplyFormat | None:
    """Return all prose; before an unreadable object only the text in front of it."""
    broken = _OPENED.match(own) or _BROKEN.search(own)
    said = own[: broken.start()] if broken else own
    has_words = _ANY_LETTER.search(said) and not (broken and len(said.split()) < _FEW)
    return ReplyFormat({}, "prose", said.strip()) if has_words else None


def _without(own: str, quoted: Sequence[JsonMatch]) -> str:
    if not quoted:
        return own
    text, ends = quoted[0].text, (0, *(it.end for it in quoted))
    starts = (*(it.start for it in quoted), len(text))
    kept = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    return _FENCES.sub("", "\n".join(kept)).strip()


def _objects(found: JsonMatch) -> Iterator[ReplyFormat]:
    source: Source = "repaired" if found.is_mended else "json"
    around = found.text[: found.start] if found.is_mended else f"{found.text[: found.start]}\n{found.text[found.end :]}"
    for value, is_quoted in _turns(found.value):
        doubled = value.names if isinstance(value, RepeatedKeys) else frozenset[str]()
        whole = _uncut(value, found.written) if found.is_mended else value
        fields = given((name, inner) for name, inner in whole.items() if name not in doubled)
        if found.is_mended and "reasoning" not in fields:
            fields = {**fields, **_cut_reasoning(found)}
        is_other = is_quoted or bool(_IN_OTHERS.search(found.text, max(0, found.start - 200), found.start))
        form = ReplyFormat(fields, source, _FENCES.sub("", around).strip(), found, is_other)
        if _doubt(form) <= _PAIR:
            yield form


def _turns(value: JsonValue, depth: int = _DEPTH) -> Iterator[tuple[dict[str, JsonValue], bool]]:
    """Yield the outermost objects with a position, a reasoning or a header, and whether they name whose it is."""
    if isinstance(value, dict):
        if {"position", "reasoning", *HEADERS} & given(value.items()).keys():
            yield value, entry_value(value, *_AGENTS) is not None
            return
        value = [inner for name, inner in value.items() if not (_OTHERS if len(value) > 1 else _PAST).match(name)]
    if isinstance(value, list) and depth:
        for inner in value:
            yield from _turns(inner, depth - 1)


def _uncut(value: dict[str, JsonValue], written: str) -> dict[str, JsonValue]:
    """Return ``value`` without the claim in which it was cut, because its missing part would count against it."""
    if not value or written.rstrip().endswith("}"):
        return value
    name, last = [*value.items()][-1]
    return {**value, name: last[:-1]} if field_of(name) == "claims" and isinstance(last, list) else value


def _cut_reasoning(found: JsonMatch) -> Given:
    """Return a reasoning that was cut in the middle; other cut texts are dropped."""
    opening = _OPEN_TEXT.match(found.text, found.end) if _PATTERNS["cut_reasoning"].search(found.written) else None
    said = opening[1].replace('\\"', '"').replace("\\n", "\n").rstrip("\\` \n") if opening else ""
    return given([("reasoning", _PATTERNS["cut_tag"].sub("", said))])


def _doubt(found: ReplyFormat) -> int:
    """Return how unlikely an object is a turn: 0 is surely one, and more than 2 is none."""
    if text_of(one(found.fields, "position")):
        return 0 if len(found.fields) >= _PAIR else 1
    texts = [text_of(value) for name in ("reasoning", *HEADERS) for value in every(found.fields, name)]
    is_turn = len(texts) >= _PAIR or any(mark is not None for mark in marks(found.fields))
    return _PAIR if any(texts) and is_turn else _PAIR + 1


def _labels(text: str) -> list[re.Match[str]]:
    """Return the labels in a text; numbered ones may be those of a list, and count where no other gives a position."""
    labels = [found for found in _LABELLED.finditer(text) if _is_label(found)]
    plain = [found for found in labels if not found["number"]]
    return plain if any(map(_is_position, plain)) else labels


def _is_position(label: re.Match[str]) -> bool:
    """Return whether it names a position, and no final answer."""
    return given([(label["name"], True)]).get("position", [(_ANSWERS, True)])[0][0] < _ANSWERS


def _is_label(found: re.Match[str]) -> bool:
    """Return whether it names a field, with a colon after it or as a header on a separate line."""
    has_colon = bool(set(found["after"]) & set(":：|—–-"))
    return field_of(found["name"]) not in (None, "sections") and (
        has_colon or _PATTERNS["header"].match(found["before"]) is not None
    )


def _unquoted(labels: Sequence[re.Match[str]], text: str, is_shown: IsShown) -> list[re.Match[str]]:
    """Return ``labels`` without those that the model was shown together with a position, in any order."""
    runs: list[list[re.Match[str]]] = []
    for label in labels:
        if runs and is_shown(text[runs[-1][-1].start() : label.end()]):
            runs[-1].append(label)
        else:
            runs.append([label])
    kept = [label for run in runs if len(run) == 1 or not any(map(_is_position, run)) for label in run]
    is_lost = len(kept) < len(labels) and not any(map(_is_position, kept))  # an answer alone does not replace it
    return [label for label in kept if not is_lost or field_of(label["name"]) != "position"]


def _text_after(text: str, labels: Sequence[re.Match[str]], number: int) -> str:
    """Return the text after a label: on its line, else the paragraph below; a reasoning ends at the next label."""
    label, is_reasoning = labels[number], field_of(labels[number]["name"]) == "reasoning"
    others = (labels[at] for at in range(number + 1, len(labels)))  # no slice: of each label it would be quadratic
    behind = (other.start() for other in others if not (is_reasoning and field_of(other["name"]) in HEADERS))
    rest, below = label["rest"], text[label.end() : next(behind, len(text))]
    if '"' in label["before"]:
        inside = _PATTERNS["quoted"].fullmatch(rest)  # a line of an object that could not be read
        rest = inside[1] if inside else "" if '"' in rest else rest
    elif is_reasoning:
        rest = f"{rest}{below}"
    elif not rest.strip(_EDGES):
        paragraph = _PATTERNS["paragraph"].match(below)
        rest = paragraph["first"] if paragraph else ""
    elif _is_position(label) and is_anew(next_line := below.lstrip().partition("\n")[0]):
        rest = f"{rest}\n{next_line}"
    return rest.strip(_EDGES)
