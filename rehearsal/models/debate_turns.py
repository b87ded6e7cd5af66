"""One turn of a debate as it is thought, and how it is written down: an object as asked, or plain prose.

The prose of the object is under the headers that the prompt asks for, every claim with its tag behind it and the
References at its end.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import Any, Literal

_NUMBER = re.compile(r"\d+")

Label = Literal["FACT", "INFER", "ASSUME", "OPEN"]
_POSITIONS = ("Position", "Assessment", "Synthesis")
"""Headers under which a mode asks for the position."""


@dataclass(frozen=True)
class Claim:
    """One statement with its label; citations are numbers of the turn's own references."""

    text: str
    label: Label
    citations: tuple[int, ...] = ()
    opposes: tuple[str, ...] = ()

    def tagged(self) -> str:
        """Return the claim in prose: a sentence, its tag, its citations."""
        return f"{self.text}.[{self.label}]{''.join(f'[{number}]' for number in self.citations)}"


@dataclass(frozen=True)
class Turn:
    """One turn of a debater."""

    position: str
    confidence: float
    vote: str
    confidence_reason: str = ""
    stance: str = ""
    alignment: str = ""
    answer: str = ""
    """The final answer, where the topic asks for one."""
    claims: tuple[Claim, ...] = ()
    reinforces: tuple[str, ...] = ()
    challenges: tuple[str, ...] = ()
    retracts: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """Works that are cited, the first under [1]."""
    replies_to: tuple[str, ...] = ()
    steelman: str = ""
    concerns: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, str], ...] = ()
    risks: tuple[tuple[str, str], ...] = ()
    uncertainty: str = ""
    headers: tuple[str, ...] = ()
    """The header of the prose, from the prompt."""
    aside: str = ""
    """Text in the prose before the References that belongs to no header."""
    prose: str = ""
    """The whole prose, where it is not to be made from the rest."""

    def and_also(self, **changes: Any) -> "Turn":
        """Return the same turn with other values for some fields."""
        return replace(self, **changes)

    @property
    def reasoning(self) -> str:
        """The prose of the turn."""
        return self.prose or "\n\n".join(part for part in (*self._sections(), self.aside, self._references()) if part)

    def _sections(self) -> list[str]:
        """Distribute the statements over the headers."""
        said = [self.steelman, *(claim.tagged() for claim in self.claims), *self._answers()]
        headers = self.headers or ("Reasoning",)
        shares = [said[n :: len(headers)] for n in range(len(headers))]
        return [f"{header}:\n{' '.join(filter(None, share))}" for header, share in zip(headers, shares, strict=True)]

    def _answers(self) -> list[str]:
        named = " and ".join(self.replies_to)
        stands_by = f"{_both('I stand by', self.reinforces)}{_both('I do not follow', self.challenges)}"
        text = f"To {named}: {stands_by or 'I have read what you say.'}".strip() if named else stands_by.strip()
        return [text, *(f"{concern}." for concern in self.concerns)]

    def _references(self) -> str:
        numbered = [f"[{number}] {source}." for number, source in enumerate(self.sources, 1)]
        return "\n".join(["References:", *numbered]) if numbered else ""


def _both(words: str, ids: tuple[str, ...]) -> str:
    return f"{words} {' and '.join(ids)}. " if ids else ""


def as_object(speech: Turn) -> str:
    """Return one JSON object with the prompt's fields, without empty ones."""
    return json.dumps(fields(speech), indent=2, ensure_ascii=False)


_FIRST = ("position", "reasoning", "confidence", "confidence_reason", "vote", "stance")


def fields(speech: Turn) -> Mapping[str, Any]:
    """Return the object before it is serialised."""
    values = {
        **{name: getattr(speech, name) for name in _FIRST},
        "debate_alignment": speech.alignment,
        "answer": speech.answer,
        "claims": [_given(asdict(claim)) for claim in speech.claims],
        "reinforces": speech.reinforces,
        "challenges": speech.challenges,
        "retracts": speech.retracts,
        "key_points": [speech.position, *(claim.text for claim in speech.claims[:1])],
        "references": [
            {"number": number, "text": f"{source}.", "url": url_of(source)}
            for number, source in enumerate(speech.sources, 1)
        ],
        "replies_to": speech.replies_to,
        "steelman": speech.steelman,
        "concerns": speech.concerns,
        "alternatives": [{"text": text, "rejected_because": why} for text, why in speech.alternatives],
        "risks": [{"text": text, "mitigation": mitigation} for text, mitigation in speech.risks],
        "uncertainty": speech.uncertainty,
    }
    return _given(values)


def object_in(text: str) -> dict[str, Any]:
    """Return the object that a turn is, in a fence or not; empty for prose."""
    try:
        values = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def url_of(source: str) -> str:
    """Return a placeholder address under a name that never resolves."""
    return f"https://rehearsal.invalid/{'-'.join(_NUMBER.findall(source)) or 'none'}"


def as_prose(speech: Turn) -> str:
    """Return an essay, the other side first: no object, no labels, no confidence number."""
    claims = [claim.text for claim in speech.claims]
    joined = ". ".join(text for pair in zip_longest(claims, speech.concerns) for text in pair if text)
    return f"{speech.steelman}\n\nMy position is this: {speech.position}\n\n{joined}."


def as_headers(speech: Turn) -> str:
    """Return one JSON object keyed by the mode's headers, with the position under one of them."""
    claims = [claim.text for claim in speech.claims]
    headers = speech.headers or ("Assessment", "Evidence")
    shares = (claims[n :: len(headers)] for n in range(len(headers)))
    sections = {header: ". ".join(share) for header, share in zip(headers, shares, strict=True)}
    asked = next((header for header in headers if header in _POSITIONS), headers[0])
    return json.dumps({**sections, asked: f"I would put it so: {speech.position}"}, indent=2, ensure_ascii=False)


def _given(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields without empty ones."""
    return {name: value for name, value in values.items() if value not in ("", (), [])}
