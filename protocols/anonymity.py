"""Order to labels, labels to authors, and names hidden from peers, also those that a model writes about itself.

Peers see "Response A", never a model. The labels follow an order that the caller draws, so position
and label carry no identity; the order in which a reviewer sees the answers is another draw, under the same labels.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from string import ascii_letters, ascii_uppercase

from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import FrozenModel, ModelId, ParticipantId
from protocols.panel import name_of
from protocols.text_files import compile_patterns, read_toml

NEUTRAL = "this model"
"""The replacement of a name that would reveal to peers who wrote an answer."""

_INVISIBLE = lazy_pattern("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")

_TABLES = read_toml(__package__, "self_naming.toml")
_FAMILIES, _MAKERS = tuple(_TABLES["families"]), tuple(_TABLES["makers"])
_PLAIN_FAMILIES = frozenset(family.lower().replace(" ", "-") for family in _FAMILIES)
_NO_WORD_BEFORE = r"(?<![A-Za-z0-9À-ɏ_])"
_SHORTEST_NAME, _BEFORE_NAME, _BEHIND, _BEFORE_MAKER = 4, 80, 80, 120
_MOST_JUDGED = 1_000
"""Names in one text that are judged by their context; a text with more of them has all others hidden."""
_LETTERS = bytes(code | 0x20 if chr(code) in ascii_letters else 0x20 for code in range(256))
"""For each byte its small letter, and a blank for all that is no letter of ASCII."""
_READ_AS_ASCII = "ıſİ\N{KELVIN SIGN}"  # by a search that takes small and large letters for the same
_PATTERNS = compile_patterns(__package__, "anonymity")
_VERSION, _NOUN, _FROM_START = (_PATTERNS[name].pattern for name in ("version", "noun", "from_start"))
_ABOUT_MODELS, _SIGNED = _PATTERNS["about_models"], _PATTERNS["signed"]


class Labels(FrozenModel):
    """The labels of participants, in label order (A first)."""

    authors: tuple[ParticipantId, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """``Response A``, ``Response B``, … (seed 002, "Anonymized Ranking")."""
        return tuple(label(n) for n in range(len(self.authors)))

    def author(self, name: str) -> ParticipantId:
        """Return the author of the answer shown as ``name``.

        Raises:
            KeyError: no answer has that label.
        """
        return dict(zip(self.names, self.authors, strict=True))[name]

    def of(self, author: ParticipantId) -> str:
        """Return the label of the answer of ``author``.

        Raises:
            ValueError: ``author`` has no answer under a label.
        """
        return self.names[self.authors.index(author)]


def label(number: int) -> str:
    """Return the label of the answer at ``number`` (0 is A). Raises ``IndexError`` past the 26th."""
    return f"Response {ascii_uppercase[number]}"


def assign_labels(authors: Sequence[ParticipantId], order: Sequence[int]) -> Labels:
    """Give labels to ``authors`` in the ``order`` drawn, a permutation of their positions.

    Raises:
        ValueError: ``order`` is no permutation of the positions.
    """
    if sorted(order) != list(range(len(authors))):
        raise ValueError(f"order {list(order)!r} is no permutation of {len(authors)} positions")
    return Labels(authors=tuple(authors[i] for i in order))


def self_names(models: Sequence[ModelId]) -> tuple[str, ...]:
    """Return the names by which the panel's own models might identify themselves, longest first.

    A name without a digit or a joint, of a family ("command-r"), or of fewer than four characters, may be a plain word
    ("mistral", "o1") and is left out, because such names are replaced everywhere.
    """
    full = {name_of(m) for m in models}
    names = full | {name.rpartition("/")[2].partition(":")[0] for name in full}
    recognisable = {n for n in names if len(n) >= _SHORTEST_NAME and not n.isalpha()} - _PLAIN_FAMILIES
    return tuple(sorted(recognisable, key=lambda n: (-len(n), n)))


class Subject(FrozenModel):
    """The models mentioned in a question, to keep its answers intact when names are hidden."""

    names: tuple[str, ...] = ()
    """Names of models, families and makers that it contains; they are never replaced."""
    is_about_models: bool = False
    """It is about language models: names are hidden only where a text is about its own writer."""
    leaves_others: bool = True
    """The same holds in a text that names several kinds of models; else every name of the panel's models is hidden."""


def subject_of(question: str, own_names: Sequence[str]) -> Subject:
    """Return the models mentioned in ``question``; ``own_names`` are those of the panel."""
    plain = _INVISIBLE.sub("", question)
    found = [
        match[0]
        for pattern in (_families(plain), _makers(plain), _own(own_names, plain))
        if pattern
        for match in pattern.finditer(plain)
    ]
    names = tuple(dict.fromkeys(name.lower() for name in found))
    return Subject(names=names, is_about_models=bool(names) or _ABOUT_MODELS.search(plain) is not None)


def hide_names(text: str, own_names: Sequence[str], subject: Subject | None = None) -> tuple[str, tuple[str, ...]]:
    """Replace a model's naming of itself by a neutral word; return the text and what was found.

    Names of the panel's models (``own_names``) are replaced everywhere, also with blanks for their joints
    ("Claude Opus 4.6"); family and maker names only where the model writes about itself ("As Claude, …", "I was made by
    OpenAI", "我是Claude"), because an answer may be *about* such a model. A name that the question contains is left.
    Where the question is about models, or the text names several kinds of them and ``subject`` leaves others, an own
    name is replaced only where the model writes about itself. Invisible characters hide no name; where a name was found
    they are left out of the text.
    """
    shown = plain = text if text.isascii() else _INVISIBLE.sub("", text)
    if _names_nothing(plain, tuple(own_names)):
        return text, ()
    families, own = _families(plain), _own(own_names, plain)
    judge = _Judge(subject or Subject(), families, own, plain)
    for pattern, by_context, neutral in (
        (families, _names_writer, NEUTRAL),
        (_makers(plain), _names_maker, "its maker"),
        (own, _names_writer if judge.is_about_models else None, NEUTRAL),
    ):
        shown = judge.without_own(shown, pattern, by_context, neutral) if pattern else shown
    return (shown, tuple(judge.found)) if judge.found else (text, ())


_Context = Callable[[re.Match[str]], bool]
"""The decision about a name by the text around it."""


class _Judge:
    """The decision, for each name in one text, whether it is the writer's own."""

    def __init__(
        self, subject: Subject, families: re.Pattern[str] | None, own: re.Pattern[str] | None, text: str
    ) -> None:
        self.found: list[str] = []
        self._left = subject.names
        self._judged = 0
        self.is_about_models = subject.is_about_models or (
            subject.leaves_others and own is not None and self._names_several(families, own, text)
        )

    def without_own(self, text: str, pattern: re.Pattern[str], by_context: _Context | None, neutral: str) -> str:
        """Return ``text`` with ``neutral`` for the writer's own names; ``None`` takes all names for its own."""

        def replace(name: re.Match[str]) -> str:
            if not self._is_own(name, by_context):
                return name[0]
            self.found.append(name[0])
            return neutral

        return pattern.sub(replace, text)

    def _is_own(self, name: re.Match[str], by_context: _Context | None) -> bool:
        said = name[0].lower()
        if any(left in said or said in left for left in self._left):
            return False
        if by_context is None:
            return True
        self._judged += 1
        return self._judged > _MOST_JUDGED or by_context(name)

    def _names_several(self, families: re.Pattern[str] | None, own: re.Pattern[str], text: str) -> bool:
        """Return whether ``text`` names models of several kinds that are not its writer by its own words."""
        named = {match[0].lower().rpartition("/")[2] for match in own.finditer(text)}
        others = families.finditer(own.sub("", text)) if families else iter(())
        for name in islice(others, _MOST_JUDGED):
            family = name[0].lower()[:_SHORTEST_NAME]
            if not _names_writer(name) and not any(one.startswith(family) for one in named):
                named.add(family)
        return len(named) > 1


def _families(text: str) -> re.Pattern[str] | None:
    return _any_of(_FAMILIES, text, before=_NO_WORD_BEFORE, then=r"(?![A-Za-zÀ-ɏ])" + _VERSION)


def _makers(text: str) -> re.Pattern[str] | None:
    return _any_of(_MAKERS, text, before=_NO_WORD_BEFORE, then=r"(?: (?:DeepMind|AI|Cloud)\b)?(?![A-Za-z0-9À-ɏ_-])")


def _own(own_names: Sequence[str], text: str) -> re.Pattern[str] | None:
    return _any_of(own_names, text, before=r"(?<![A-Za-z0-9À-ɏ_/.-])", then=r"(?![A-Za-z0-9À-ɏ_/-])")


def _names_nothing(text: str, own_names: tuple[str, ...]) -> bool:
    """Return whether ``text`` certainly has no name; before and behind a name there is no other letter."""
    rare = _rarest(own_names)
    if rare is None or any(letter in text for letter in _READ_AS_ASCII):
        return False
    return rare.isdisjoint(text.encode("utf-8", "replace").translate(_LETTERS).split())


@lru_cache(maxsize=256)
def _rarest(own_names: tuple[str, ...]) -> frozenset[bytes] | None:
    """Return the longest run of letters of each name; ``None`` where a name has none, or others than those of ASCII."""
    words = (*_FAMILIES, *_MAKERS, *own_names)
    runs = [word.encode("utf-8", "replace").translate(_LETTERS).split() for word in words]
    return frozenset(max(run, key=len) for run in runs) if all(runs) and "".join(words).isascii() else None


def _any_of(words: Sequence[str], text: str, *, before: str, then: str) -> re.Pattern[str] | None:
    """Return a pattern of those of ``words`` that occur in ``text``: a search for all of them is slow."""
    lowered = text.lower()
    parts = [re.split(r"[-_\s]", word) for word in words]
    present = [r"[-_\s]".join(map(re.escape, part)) for part in parts if part[0].lower() in lowered]
    return re.compile(f"{before}(?:{'|'.join(present)}){then}", re.IGNORECASE) if present else None


def _before(match: re.Match[str], characters: int) -> str:
    return match.string[max(0, match.start() - characters) : match.start()]


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


TABLE = tuple(map(Phrases.model_validate, _TABLES["languages"]))

_I_AM = "|".join(phrase for row in TABLE for phrase in row.i_am)
I_AM = lazy_pattern(rf"(?:{_I_AM}){_NOUN}$", re.IGNORECASE)
"""What a text says before its own name; searched in the characters before a name."""

_ENDS_LINE = lazy_pattern(r"[*_.!]{0,4}[ \t]{0,4}(?:\n|$)")
_HERE = lazy_pattern(
    r"\s{1,2}(?:here|speaking)(?=\s{0,2}(?:[,.!:;—–-]|$|\n))|(?:として|로서|으로서|です)", re.IGNORECASE
)
_BEGINS = lazy_pattern(rf"(?:{_FROM_START}|\b(?:hi|hello|hey|this is)\W{{1,3}})[\s*_\"']{{0,3}}$", re.IGNORECASE)
_THIS_IS = lazy_pattern(rf"{_FROM_START}(?:this is|it['’]s|hier ist|hier spricht|ici)\s{{1,2}}$", re.IGNORECASE)
_STOPS = lazy_pattern(r"\s{0,2}(?:[,.!;—–]|\n|$)")
_AS = tuple((lazy_pattern(rf"(?P<as>{phrase})\s*$", re.IGNORECASE), row) for row in TABLE for phrase in row.as_name)
_GOES_ON = {row.language: lazy_pattern(row.goes_on, re.IGNORECASE) for row in TABLE if row.goes_on}
_SENTENCE = lazy_pattern(rf"{_FROM_START}$", re.IGNORECASE)
_NO_SELF = lazy_pattern(r"\b(?:such|same|well|good|known|far|much|long|soon)\s$", re.IGNORECASE)
_OF_ME = lazy_pattern(r"\b(?:I|my|me)\b[^.!?\n]{0,30}$")
_MADE = tuple(
    lazy_pattern(rf"(?:{row.myself})[^.!?。！？\n]{{0,80}}(?:{'|'.join(row.made_by)})\s*$", re.IGNORECASE)
    for row in TABLE
    if row.made_by
)


def _names_writer(name: re.Match[str]) -> bool:
    """Return whether the name of a model is the writer's own."""
    before, after = _before(name, _BEFORE_NAME), name.string[name.end() : name.end() + _BEHIND]
    if I_AM.search(before) or (_SIGNED.search(before) and _ENDS_LINE.match(after)):
        return True
    if (_HERE.match(after) and _BEGINS.search(before)) or (_THIS_IS.search(before) and _STOPS.match(after)):
        return True
    return any(_is_as(pattern, row, before, after) for pattern, row in _AS)


def _names_maker(name: re.Match[str]) -> bool:
    """Return whether the name of a maker is that of the writer's own."""
    before = _before(name, _BEFORE_MAKER)
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
