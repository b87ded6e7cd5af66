"""The claims of a turn: those that its object lists, or else the tagged sentences of its prose.

Section 2, P0, gives the form: ``Your claim here.[FACT][1]``. Models also write the tag before the full stop, the
citations before the tag, and ``[FACT] Your claim here. [1]``: where a line begins with a tag, every tag in it precedes
its claim. A label that is none of the four is OPEN: the claim is not lost, and nothing unknown passes for a
FACT. Registered evidence is cited by its id, as in ``[E1]`` or ``(E1)``.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from pydantic import JsonValue

from protocols import debate
from protocols.debate.model.turn import Label, ParsedClaim
from protocols.debate.replies.field_names import entry_value
from protocols.debate.replies.field_values import SHORT, ids_of, numbers_of, objects_of, text_of, without_bullet
from protocols.text_files import compile_patterns

MOST_CLAIMS = 40

_LABELS: dict[str, Label] = {"FACT": "FACT", "INFE": "INFER", "ASSU": "ASSUME"}
_PATTERNS = compile_patterns(debate.__name__, "replies_claims")
_LABEL, _TAG, _NAMED, _ENDED = (_PATTERNS[name] for name in ("label", "tag", "named", "ended"))
_CITATION, _UNCITED, _WRAPPED, _QUOTED = (_PATTERNS[name] for name in ("citation", "uncited", "wrapped", "quoted"))
_TEXTS = ("text", "claim", "statement", "content", "claimtext", "assertion")
_CALLED = ("label", "tag", "type", "epistemiclabel", "epistemicstatus", "category")
_WORD = re.compile(r"\w")
_OWN_ID = re.compile(r"\W*(?:(?:claim )?C?\d{1,4}\W*)?", re.IGNORECASE)
"""In front of a tag: nothing, or the id that a claim may have."""


def read_claims(values: Sequence[JsonValue], *proses: str) -> tuple[ParsedClaim, ...]:
    """Return the claims of an object, or else the tagged claims of the first prose with any."""
    found = (list(several) for several in (_listed(values), *map(_tagged, proses)))
    return tuple(next(filter(None, found), ()))[:MOST_CLAIMS]


def _listed(values: Sequence[JsonValue]) -> Iterator[ParsedClaim]:
    for entry in islice(objects_of(map(_by_label, values)), 2 * MOST_CLAIMS):
        is_prose = entry.keys() == {"text"} and len(_TAG.findall(text_of(entry["text"]))) > 1
        yield from _tagged(text_of(entry["text"])) if is_prose else filter(None, [_entry(entry)])


def _by_label(value: JsonValue) -> JsonValue:
    """Return ``{"facts": [...], "inferences": [...]}`` (section 5.1) as a list of claims with labels."""
    if not isinstance(value, dict) or entry_value(value, *_TEXTS):
        return value
    pairs = ((key, entry) for key, inner in value.items() for entry in objects_of([inner]))
    return [{"label": key, **entry} if _LABEL.fullmatch(key) else entry for key, entry in pairs]


def _entry(entry: dict[str, JsonValue]) -> ParsedClaim | None:
    said = _NAMED.sub(r"[\1]\2", text_of(entry_value(entry, *_TEXTS), SHORT))
    tag = _TAG.search(said)
    label = entry_value(entry, *_CALLED) or (tag and tag["label"])
    found = [*_CITATION.findall(f"{said} {label}"), (tag and tag["inside"]) or ""]
    cited = entry_value(entry, "citations", "citation", "references", "refs", "sources") or found
    return _claim(
        _UNCITED.sub("", _TAG.sub("", said)),
        _label(label),
        numbers_of(cited),
        evidence=ids_of([entry_value(entry, "evidence"), cited, found], "E"),
        supports=ids_of(entry_value(entry, "supports"), "C"),
        opposes=ids_of(entry_value(entry, "opposes"), "C"),
    )


def _label(value: JsonValue) -> Label:
    found = _LABEL.fullmatch(value) if isinstance(value, str) else None
    return _LABELS[found[1].upper()] if found else "OPEN"


def _claim(said: str, label: Label, citations: tuple[int, ...], **ids: tuple[str, ...]) -> ParsedClaim | None:
    text = text_of(" ".join(said.split()), SHORT)
    return ParsedClaim(text=text, label=label, citations=citations, **ids) if _WORD.search(text) else None


def _tagged(prose: str) -> Iterator[ParsedClaim]:
    for line in _NAMED.sub(r"[\1]\2", _WRAPPED.sub(" ", _QUOTED.sub("", prose))).splitlines():
        if tags := list(_TAG.finditer(line)):
            is_leading = _OWN_ID.fullmatch(without_bullet(line[: tags[0].start()]))
            yield from filter(None, _led(line, tags) if is_leading else _followed(line, tags))


def _led(line: str, tags: Sequence[re.Match[str]]) -> Iterator[ParsedClaim | None]:
    """Yield the claims of ``[FACT] Your claim here. [1]``: after a tag, up to the end of the sentence."""
    ends = [tag.start() for tag in tags[1:]]
    for tag, end in zip(tags, [*ends, len(line)], strict=True):
        ended = _ENDED.search(line, tag.end(), end)
        yield _sentence(line[tag.end() : ended.end() if ended else end], tag)


def _followed(line: str, tags: Sequence[re.Match[str]]) -> Iterator[ParsedClaim | None]:
    """Yield the claims of ``Your claim here.[FACT][1]``: the sentence before a tag."""
    start = 0
    for tag in tags:
        ended = [found.end() for found in _ENDED.finditer(line, start, tag.start())]
        yield _sentence(line[ended[-1] if ended else start : tag.start()], tag)
        start = tag.end()


def _sentence(said: str, tag: re.Match[str]) -> ParsedClaim | None:
    cited = " ".join([*_CITATION.findall(said), tag["inside"] or "", tag["cited"]])
    text = without_bullet(_UNCITED.sub("", said).strip()).lstrip(".:;,-–— ").strip("*_ ")
    return _claim(text, _label(tag["label"]), numbers_of(cited), evidence=ids_of(cited, "E"))
