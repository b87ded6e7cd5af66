"""Phrases by which a text names its author, by language: before a model's name, and after it.

One row per language. A row's phrases end where the name begins; ``{noun}`` means words such as "the AI assistant"
between the two. Text *about* a model matches none of them.
"""

import re

from protocols.model_call import FrozenModel
from protocols.text_files import read_toml


class Phrases(FrozenModel):
    """The phrases of one language."""

    language: str
    i_am: tuple[str, ...]
    """Before the name, anywhere."""
    as_name: tuple[str, ...] = ()
    """Before the name, at the beginning of a sentence: "As Claude, I …"."""
    goes_on: str = ""
    """Words that must follow a name after ``as_name`` closely, so that the sentence is about its writer, or blank."""
    made_by: tuple[str, ...] = ()
    """Before the name of a maker, in a sentence about its writer."""
    myself: str = ""
    """Signs that a sentence is about its writer."""


TABLE = tuple(map(Phrases.model_validate, read_toml(__package__, "self_naming.toml")["languages"]))

_NOUN = (
    r"(?:[\s:\"'“”«»*_`-]|\b(?:the|an?|your|AI|artificial|intelligence|large|language|model|assistant|chatbot|LLM|helpful"
    r"|called|named|known as|das|der|ein|eine|KI|Sprachmodell|Modell|Assistent|namens|le|un|une|modèle|modelo|el|o|um"
    r"|modello|il|assistente|asistente|IA|de)\b|人工智能|助手|模型|语言|大型|大|一个|名为|叫做|的|AI|アシスタント){0,14}"
)
_FROM_START = (
    r"(?:^|[.!?。！？:;—–\n]\s{0,3}|(?:^|\n)\W{0,6}|\b(?:well|so|here|now|hello|hi|but|and|also|nun|bien),?\s)"
)
_I_AM = "|".join(phrase for row in TABLE for phrase in row.i_am)
I_AM = re.compile(rf"(?:{_I_AM}){_NOUN}$", re.IGNORECASE)
"""What a text says before its own name; searched in the characters before a name."""

_SIGNED = re.compile(
    r"(?:^|\n)[ \t]{0,4}(?:[-–—~]{1,3}[ \t]?|(?:signed|sincerely|yours|regards),?\s{1,3})[*_]{0,3}$", re.IGNORECASE
)
_ENDS_LINE = re.compile(r"[*_.!]{0,4}[ \t]{0,4}(?:\n|$)")
_HERE = re.compile(r"\s{1,2}(?:here|speaking)(?=\s{0,2}(?:[,.!:;—–-]|$|\n))|(?:として|로서|으로서|です)", re.IGNORECASE)
_BEGINS = re.compile(rf"(?:{_FROM_START}|\b(?:hi|hello|hey|this is)\W{{1,3}})[\s*_\"']{{0,3}}$", re.IGNORECASE)
_THIS_IS = re.compile(rf"{_FROM_START}(?:this is|it['’]s|hier ist|hier spricht|ici)\s{{1,2}}$", re.IGNORECASE)
_STOPS = re.compile(r"\s{0,2}(?:[,.!;—–]|\n|$)")
_AS = tuple((re.compile(rf"(?P<as>{phrase})\s*$", re.IGNORECASE), row) for row in TABLE for phrase in row.as_name)
_GOES_ON = {row.language: re.compile(row.goes_on, re.IGNORECASE) for row in TABLE if row.goes_on}
_SENTENCE = re.compile(rf"{_FROM_START}$", re.IGNORECASE)
_NO_SELF = re.compile(r"\b(?:such|same|well|good|known|far|much|long|soon)\s$", re.IGNORECASE)
_OF_ME = re.compile(r"\b(?:I|my|me)\b[^.!?\n]{0,30}$")
_MADE = tuple(
    re.compile(rf"(?:{row.myself})[^.!?。！？\n]{{0,80}}(?:{'|'.join(row.made_by)})\s*$", re.IGNORECASE)
    for row in TABLE
    if row.made_by
)


def names_itself(before: str, after: str) -> bool:
    """Return whether a name between ``before`` and ``after`` is the writer's own."""
    if I_AM.search(before) or (_SIGNED.search(before) and _ENDS_LINE.match(after)):
        return True
    if (_HERE.match(after) and _BEGINS.search(before)) or (_THIS_IS.search(before) and _STOPS.match(after)):
        return True
    return any(_is_as(pattern, row, before, after) for pattern, row in _AS)


def names_its_maker(before: str) -> bool:
    """Return whether the name of a maker behind ``before`` is that of the writer's own."""
    return any(pattern.search(before) for pattern in _MADE)


def _is_as(pattern: re.Pattern[str], row: Phrases, before: str, after: str) -> bool:
    found = pattern.search(before)
    if found is None or _NO_SELF.search(before[: found.start("as")]):
        return False
    goes_on = _GOES_ON.get(row.language)
    if row.language != "English":
        return goes_on is None or goes_on.match(after) is not None
    lead = before[: found.start("as")]
    if found["as"].lower() != "as" or _OF_ME.search(lead):
        return True
    begins = _SENTENCE.search(lead) is not None
    return re.match(r",? I\b", after) is not None or (begins and after[:1] in {",", ".", ":"})
