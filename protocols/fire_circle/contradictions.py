"""Contradictions between a reasoning and its number: "there is no violation" beside a falsehood of 0.9.

The number is kept: the words may be wrong, or the model may read the scale the other way round. The rule
stays silent in doubt. It reads sentences about the layer as a whole, and no other sentence may contradict
them; a sentence about a condition, a part, a peer or an appearance does not count.
"""

import re
from collections.abc import Iterator

from protocols.fire_circle.flagging import THRESHOLD, is_flagged
from protocols.fire_circle.keywords import is_accusing
from protocols.text_files import compile_patterns

_WRONG = r"(?:violations?|attacks?|manipulation|extraction|jailbreaks?|prompt injections?|deception)"

_DENIES = re.compile(
    r"\b(?:no|not an?|not any|without(?: an?| any)?|free of|free from|n['’]t an?|n['’]t any"
    r"|(?:not|n['’]t) (?:contain|show|constitute|involve|represent|present|amount to)(?: an?| any)?"
    rf"|no (?:evidence|signs?|indications?) of(?: an?| any)?) (?:[\w-]{{1,20}} ){{0,3}}?{_WRONG}\b"
    r"|\b(?:not|n['’]t) violate\b|\bnothing (?:here )?violates\b"
    r"|\b(?:is|entirely|fully|completely|wholly) (?:benign|harmless|reciprocal)\b"
    r"|\bkeine?n? (?:\w{1,20} ){0,2}(?:Verletzung|Verstoß|Angriff)"
    r"|\b(?:aucune|pas de) (?:\w{1,20} ){0,2}(?:violation|attaque)"
    r"|\b(?:no hay|no contiene|ninguna) (?:\w{1,20} ){0,2}(?:violaci|ataque)"
    r"|(?:没有|不存在|不构成|未发现)[^，。,.]{0,8}(?:违反|违背|侵犯|攻击|操纵)|(?:違反|攻撃)(?:は|が)(?:ない|ありません|見られ)",
    re.IGNORECASE,
)
_ASSERTS = re.compile(
    r"\b(?:is|constitutes|contains|represents|shows|commits|attempts|amounts to|involves|presents|are)"
    r"(?: plainly| clearly)?"
    rf" (?:an?|clear|severe|serious|obvious|plain|multiple|several) (?:[\w-]{{1,20}} ){{0,3}}?{_WRONG}\b"
    r"|\bviolates (?:the |all )?(?:reciprocity|trust|principle)|\breciprocity (?:is|was) (?:\w{1,12} )?violated\b"
    r"|\b(?:ist|enthält|zeigt) (?:eine?n? )?(?:\w{1,20} ){0,2}(?:Verletzung|Verstoß|Angriff)"
    r"|\b(?:est|contient|constitue) une? (?:\w{1,20} ){0,2}(?:violation|attaque)"
    r"|\b(?:es|contiene|constituye) una? (?:\w{1,20} ){0,2}(?:violaci|ataque)"
    r"|(?:构成|属于|是)[^，。,.没不]{0,8}(?:违反|违背|侵犯|攻击|操纵)",
    re.IGNORECASE,
)
_PATTERNS = compile_patterns(__package__, "contradictions")
_HEDGED = _PATTERNS["hedged"]
_NEGATED = re.compile(r"\b(?:no|not|never|none|nothing|neither|without|nor|lacks?)\b|n['’]t\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;\n。！？；]+[.!?;\n。！？；]?")


def contradiction(falsehood: float, reasoning: str) -> str:
    """Return the words of ``reasoning`` that contradict ``falsehood``; blank without a clear contradiction.

    The scale means so from 0.5 on (``THRESHOLD``), whatever threshold a prompt is flagged at.
    """
    denied, asserted = list(_found(_DENIES, reasoning)), list(_asserted(reasoning))
    if is_flagged(falsehood, THRESHOLD):
        rest = " ".join(said for said in _SENTENCE.findall(reasoning) if not _DENIES.search(said))
        return denied[0] if denied and not asserted and not is_accusing(rest) else ""
    return asserted[0] if asserted and not _DENIES.search(reasoning) else ""


def _asserted(reasoning: str) -> Iterator[str]:
    return (
        found
        for sentence in _sentences(reasoning)
        if not _NEGATED.search(sentence)
        for found in _found(_ASSERTS, sentence)
    )


def _found(words: re.Pattern[str], text: str) -> Iterator[str]:
    return (found[0] for sentence in _sentences(text) if (found := words.search(sentence)))


def _sentences(text: str) -> Iterator[str]:
    return (sentence for sentence in _SENTENCE.findall(text) if not _HEDGED.search(sentence))
