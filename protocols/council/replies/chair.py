"""The reader of a chair's fields: lists under headers with the code, then the verdict; or one JSON object.

A header counts with the code alone, so that no list and no verdict of a peer can be taken for the chair's; where no
code is asked for, a line of the header's words is one. Points are the items of a list, or its lines; "none" is no
point.
"""

from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from protocols import council, json_in_text
from protocols.answers import reading
from protocols.council.chair import FIELDS, ChairAnalysis, ChairRead, ChairReply
from protocols.council.replies.headers import carries
from protocols.council.wording import CHAIR_FIELDS, NO_POINT, squashed
from protocols.lazy_patterns import lazy_pattern
from protocols.reply_reader import text_in
from protocols.text_files import compile_patterns

_READ = 200_000
_LONGEST_HEADER = 160
_LONGEST_POINT = 2_000
_MOST_POINTS = 50
_BULLET = lazy_pattern(r"^\s{0,12}(?:[-*•–—]|\d{1,2}[.)])\s{1,4}")
_PATTERNS = compile_patterns(council.__name__, "replies_chair")
_SECTIONS = (*FIELDS, "verdict")


def read_chair(text: str, needs: Mapping[str, JsonValue]) -> ChairRead:
    """Return fields and verdict of a chair's reply, and the final answer in the form ``needs["form"]``."""
    nonce = text_in(needs, "nonce") or None
    read = _of_object(text) or _of_sections(text[:_READ], nonce)
    final = None if needs.get("form") is None else reading(read.verdict if read else text, needs)
    return read.model_copy(update={"final": final}) if read else ChairRead(analysis=None, final=final)


def _of_object(text: str) -> ChairRead | None:
    value = {_section(squashed(key)): given for key, given in (json_in_text.whole_object(text) or {}).items()}
    said = value.get("verdict")
    if not isinstance(said, str) or not said.strip() or not value.keys() & set(FIELDS):
        return None
    lists = {name: [given] if isinstance(given := value.get(name, []), str) else given for name in FIELDS}
    try:
        reply = ChairReply.model_validate({**lists, "verdict": said})
    except ValidationError:
        return None
    points = {name: _points("\n".join(f"- {point}" for point in getattr(reply, name))) for name in FIELDS}
    return ChairRead(analysis=ChairAnalysis.model_validate(points), verdict=reply.verdict.strip())


def _of_sections(text: str, nonce: str | None) -> ChairRead | None:
    """Return the sections of a text; ``None`` without a verdict, or without any field before it."""
    found: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        header, rest = ("", "") if name == "verdict" else _header(line, nonce)
        if header is None:
            return None
        name = header or name
        if name:
            found[name] = (found[name] + "\n" + line if not header else rest) if name in found or header else line
    verdict = found.get("verdict", "").strip()
    if not verdict or not found.keys() & set(FIELDS):
        return None
    points = {field: _points(found[field]) for field in FIELDS if field in found}
    return ChairRead(analysis=ChairAnalysis.model_validate(points), verdict=verdict)


def _header(line: str, nonce: str | None) -> tuple[str | None, str]:
    """Return the section that a line opens, ``None`` for one with the code alone, and the text after its colon."""
    if len(line) > _LONGEST_HEADER or not line.strip() or (nonce and not carries(line, nonce)):
        return "", ""
    before, _, rest = line.partition(":")
    plain = squashed(_PATTERNS["filler"].sub("", _BULLET.sub("", before.replace(nonce, "") if nonce else before)))
    return _section(plain) or (None if nonce else ""), rest.strip(" *_`")


def _section(name: str) -> str | None:
    return next((one for one in _SECTIONS if name in map(squashed, CHAIR_FIELDS[one])), None)


def _points(section: str) -> tuple[str, ...]:
    """Return the items of a list; lines without a sign belong to the item before them."""
    points: list[str] = []
    for line in section.split("\n"):
        said = _BULLET.sub("", line).strip()
        if not said or _PATTERNS["nothing"].fullmatch(said):
            continue
        if points and not _BULLET.match(line) and line.startswith((" ", "\t")):
            points[-1] = f"{points[-1]} {said}"
        else:
            points.append(said)
    kept = [point[:_LONGEST_POINT] for point in points if squashed(point) not in NO_POINT]
    return tuple(kept[:_MOST_POINTS])
