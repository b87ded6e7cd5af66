"""Shared readers for the closing and safety seats: objects in a reply, its headings, and its final answer."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from protocols import debate
from protocols.answers import AnswerForm, final_answer, read_answer
from protocols.debate.replies.field_names import letters
from protocols.debate.replies.field_values import SHORT, text_of
from protocols.json_in_text import JsonMatch, Limits, read_objects
from protocols.text_cleaning import untagged
from protocols.text_files import compile_patterns

_T = TypeVar("_T")

_LIMITS = Limits(reach=12_000, marks=500)
_CLOSED = frozenset({"choice", "yes_no"})
"""Kinds of answers of which a whole sentence says the answer without a header."""

_OBJECT = re.compile(r"\{\s{0,99}[\"'“]\w")
_PATTERNS = compile_patterns(debate.__name__, "replies_role_replies")
_BLOCK_MARK = re.compile(r"\A[^\S\n]*[>|][-+]?[^\S\n]*\n")
"""What YAML writes before a text of several lines."""
_EDGES = ' \t\n*_"“”'


class ReplySection(NamedTuple):
    """The text under one heading."""

    field: str
    name: str
    text: str


def objects_in(
    said: str, keyed: re.Pattern[str], read: Callable[[dict[str, JsonValue], JsonMatch], _T | None]
) -> list[_T]:
    """Return the readings of the objects in ``said``; a broken one is repaired if it has a ``keyed`` name.

    An object without a reading has that of the one object in it with any, as in a call of a function.
    """

    def made(value: JsonValue, found: JsonMatch, depth: int = 3) -> _T | None:
        if not isinstance(value, dict) or (own := read(value, found)) is not None or not depth:
            return own if isinstance(value, dict) else None
        deeper = [one for inner in value.values() if (one := made(inner, found, depth - 1)) is not None]
        return deeper[0] if len(deeper) == 1 else None

    def each(found: JsonMatch) -> Iterator[_T]:
        several = found.value if isinstance(found.value, list) else [found.value]
        return (one for value in several if (one := made(value, found)) is not None)

    return list(read_objects(said, each, lambda region: keyed.search(region) is not None, _LIMITS))


def ends_reply(found: JsonMatch) -> bool:
    """Return whether no text follows an object, so that it is the conclusion."""
    return not found.text[found.end :].strip("`} \t\r\n*_")


def has_object(said: str) -> bool:
    """Return whether an object begins in ``said``, sound or broken."""
    return _OBJECT.search(said) is not None


def parts_of(said: str, names: Mapping[str, tuple[str, ...]]) -> list[ReplySection]:
    """Return the sections of ``said`` under headings with one of the ``names`` of a field."""
    fields = {letters(name): field for field, several in names.items() for name in several}
    said = untagged(said, lambda name: letters(name) in fields)
    headings = [one for one in _PATTERNS["heading"].finditer(said) if letters(one["name"]) in fields]
    ends = [*(one.start() for one in headings[1:]), len(said)]
    return [
        ReplySection(
            fields[letters(one["name"])], one["name"], _BLOCK_MARK.sub("", said[one.end() : end]).strip(_EDGES)
        )
        for one, end in zip(headings, ends, strict=False)
    ]


def squeezed(text: str) -> str:
    """Return ``text`` without blanks, in which an object is the same however it is indented."""
    return "".join(text.split())


def stated_answer(needs: Mapping[str, JsonValue], field: JsonValue, said: str, sentence: str) -> str | None:
    """Return the answer of a reply in the form of ``needs["answer"]``; ``None`` without a form or an answer.

    Args:
        needs: Of the reader.
        field: What the reply gives as its answer.
        said: The whole reply, whose last line may contain the answer.
        sentence: What the reply holds or decides, for the kinds of answers that a sentence can open with.
    """
    if not needs.get("answer"):
        return None
    form = AnswerForm.model_validate(needs["answer"])
    wording = ("yes" if field else "no") if isinstance(field, bool) else " ".join(text_of(field, SHORT).split())
    given = read_answer(f"FINAL ANSWER: {wording}", form, said) if wording else None
    named = given or final_answer(said, form)
    return named if named or form.kind not in _CLOSED else read_answer(sentence, form)
