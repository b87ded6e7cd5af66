"""Order to labels, labels to authors, and names hidden from peers.

Peers see "Response A", never a model. Who gets which label is dealt from an order that the caller draws, so position
and label carry no identity; in what order a reviewer sees the answers is another draw, under the same labels.
"""

import re
from collections.abc import Callable, Sequence
from string import ascii_uppercase

from protocols.exchange import Frozen, ModelId, ParticipantId
from protocols.panel import name_of

NEUTRAL = "this model"
"""What stands in place of a name that would tell peers who wrote an answer."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")

_FAMILIES = (
    *("ChatGPT", "GPT", "Claude", "Gemini", "Gemma", "Bard", "PaLM", "Grok", "Llama", "Mistral", "Mixtral", "Qwen"),
    *("DeepSeek", "GLM", "Command R", "Nova", "Phi", "Kimi", "Vicuna"),
)
_MAKERS = (
    *("OpenAI", "Anthropic", "Google", "DeepMind", "xAI", "Meta", "Mistral", "Alibaba", "Zhipu", "Z.ai", "Cohere"),
    *("Amazon", "Microsoft", "Moonshot"),
)
_VERSION = (
    r"(?:[ -]?v?\d\w*+(?:\.\w+)*+"
    r"|[ -](?:Opus|Sonnet|Haiku|Instant|Pro|Flash|Ultra|Mini|Nano|Turbo|Large|Small|Fast|Preview|Chat|Instruct)\b)*+"
)
_I_AM = re.compile(
    r"\b(?:(?:I am|I['’]m)(?: called)?|my name is|call me|(?:speaking|writing|answering) as)\s+$|(?<!\w )\bas\s+$",
    re.IGNORECASE,
)
_AS = re.compile(r"\bas\s+$", re.IGNORECASE)
_GOES_ON_AS_I = re.compile(r",? I\b")
_MADE_ME = re.compile(
    r"\b(?:I am|I['’]m|I was|as an?)\b[^.!?\n]{0,80}"
    r"\b(?:(?:made|created|built|developed|trained)\s+by|(?:model|assistant|AI|chatbot)\s+(?:by|from))\s+$",
    re.IGNORECASE,
)
_SHORTEST_NAME = 4


class Labels(Frozen):
    """Which label belongs to whom, in label order (A first)."""

    authors: tuple[ParticipantId, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """``Response A``, ``Response B``, … (seed 002, "Anonymized Ranking")."""
        return tuple(label(n) for n in range(len(self.authors)))

    def author(self, name: str) -> ParticipantId:
        """Who wrote the answer shown as ``name``.

        Raises:
            KeyError: no answer has that label.
        """
        return dict(zip(self.names, self.authors, strict=True))[name]

    def of(self, author: ParticipantId) -> str:
        """The label under which the answer of ``author`` is shown.

        Raises:
            ValueError: ``author`` has no answer under a label.
        """
        return self.names[self.authors.index(author)]


def label(number: int) -> str:
    """The label of the answer at ``number`` (0 is A). Raises ``IndexError`` past the 26th."""
    return f"Response {ascii_uppercase[number]}"


def deal(authors: Sequence[ParticipantId], order: Sequence[int]) -> Labels:
    """Give labels to ``authors`` in the ``order`` drawn, a permutation of their positions.

    Raises:
        ValueError: ``order`` is no permutation of the positions.
    """
    if sorted(order) != list(range(len(authors))):
        raise ValueError(f"order {list(order)!r} is no permutation of {len(authors)} positions")
    return Labels(authors=tuple(authors[i] for i in order))


def self_names(models: Sequence[ModelId]) -> tuple[str, ...]:
    """The names under which the panel's own models might give themselves away, longest first.

    A name without a digit or a joint, or of fewer than four characters, may be a plain word ("mistral", "o1") and is
    left out, for such names are replaced wherever they stand.
    """
    full = {name_of(m) for m in models}
    names = full | {name.rpartition("/")[2].partition(":")[0] for name in full}
    told = {n for n in names if len(n) >= _SHORTEST_NAME and not n.isalpha()}
    return tuple(sorted(told, key=lambda n: (-len(n), n)))


def hide_names(text: str, own_names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Replace a model's naming of itself by a neutral word; return the text and what was found.

    Names of the panel's models (``own_names``) are replaced wherever they stand, also with blanks for their joints
    ("Claude Opus 4.6"); family and maker names only where the model speaks of itself ("As Claude, …", "I was made by
    OpenAI"), because an answer may be *about* such a model. Characters nobody sees hide no name; where a name was
    found they are left out of the text.
    """
    shown = plain = _INVISIBLE.sub("", text)
    found: list[str] = []
    for pattern, is_own, neutral in (
        (_any_of(_FAMILIES, plain, then=r"(?![^\W\d_])" + _VERSION), _names_itself, NEUTRAL),
        (_any_of(_MAKERS, plain, then=r"(?: (?:DeepMind|AI|Cloud)\b)?(?![\w-])"), _names_its_maker, "its maker"),
        (_any_of(own_names, plain, before=r"(?<![\w/.-])", then=r"(?![\w/-])"), _always, NEUTRAL),
    ):
        shown = _replaced(shown, pattern, is_own, neutral, found) if pattern else shown
    return (shown, tuple(found)) if found else (text, ())


def _any_of(words: Sequence[str], text: str, *, before: str = r"\b", then: str) -> re.Pattern[str] | None:
    """A pattern for those of ``words`` that may stand in ``text``: most hold none, and a search for all is slow."""
    lowered = text.lower()
    parts = [re.split(r"[-_\s]", word) for word in words]
    held = [r"[-_\s]".join(map(re.escape, part)) for part in parts if part[0].lower() in lowered]
    return re.compile(f"{before}(?:{'|'.join(held)}){then}", re.IGNORECASE) if held else None


def _replaced(
    text: str, pattern: re.Pattern[str], is_own: Callable[[re.Match[str]], bool], neutral: str, found: list[str]
) -> str:
    def replace(match: re.Match[str]) -> str:
        if not is_own(match):
            return match[0]
        found.append(match[0])
        return neutral

    return pattern.sub(replace, text)


def _names_itself(name: re.Match[str]) -> bool:
    before = _before(name, 24)
    if _I_AM.search(before):
        return True
    return bool(_AS.search(before) and _GOES_ON_AS_I.match(name.string, name.end()))


def _names_its_maker(maker: re.Match[str]) -> bool:
    return bool(_MADE_ME.search(_before(maker, 120)))


def _before(match: re.Match[str], characters: int) -> str:
    return match.string[max(0, match.start() - characters) : match.start()]


def _always(_name: re.Match[str]) -> bool:
    return True
