"""Order to labels, labels to authors, and names hidden from peers.

Peers see "Response A", never a model. Who gets which label is dealt from an order that the caller draws, so position
and label carry no identity; in what order a reviewer sees the answers is another draw, under the same labels.
"""

import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from protocols.exchange import Frozen, ModelId, ParticipantId
from protocols.panel import name_of

NEUTRAL = "this model"
"""What stands in place of a name that would tell peers who wrote an answer."""

_FAMILIES = (
    "ChatGPT|GPT-?\\d[\\w.-]*|GPT|Claude(?:[ -](?:Opus|Sonnet|Haiku|Instant))?(?:[ -]?\\d[\\w.]*)?|Gemini|Gemma|Bard|PaLM|"
    "Grok|Llama|Mistral|Mixtral|Qwen|DeepSeek|GLM|Command R|Nova|Phi|Kimi|Vicuna"
)
_MAKERS = "OpenAI|Anthropic|Google(?: DeepMind)?|DeepMind|xAI|Meta(?: AI)?|Mistral AI|Alibaba|Zhipu(?: AI)?|Z\\.ai|Cohere|Amazon|Microsoft|Moonshot AI"
_SELF_NAMING = re.compile(
    rf"\b(?P<lead>(?:as|I am|I'm|I’m|my name is|this is|called)\s+)(?P<name>(?:{_FAMILIES})[\w.-]*)"
    rf"|(?P<made>\b(?:made|created|built|developed|trained)\s+by\s+)(?P<maker>{_MAKERS})\b",
    re.IGNORECASE,
)


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
    """The names under which the panel's own models might give themselves away, longest first."""
    bare = {name_of(m).rpartition("/")[2].partition(":")[0] for m in models} | {name_of(m) for m in models}
    return tuple(sorted(bare, key=lambda n: (-len(n), n)))


def hide_names(text: str, own_names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Replace a model's naming of itself by a neutral word; return the text and what was found.

    Full ids of the panel's models (``own_names``) are replaced wherever they stand; family and maker names only where
    the model speaks of itself ("As Claude, …", "made by OpenAI"), because an answer may be *about* such a model.
    """
    found: list[str] = []

    def neutral(match: re.Match[str]) -> str:
        groups: Mapping[str, str | None] = match.groupdict()
        found.append(match.group(0))
        if groups["maker"]:
            return f"{groups['made']}its maker"
        return f"{groups['lead']}{NEUTRAL}"

    text = _SELF_NAMING.sub(neutral, text)
    for name in own_names:
        pattern = re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])", re.IGNORECASE)
        if pattern.search(text):
            found.append(name)
            text = pattern.sub(NEUTRAL, text)
    return text, tuple(found)
