"""Written texts for a few questions, to make the first deliberation meaningful.

A file of ``texts`` holds what good models might say to one question: answers with what reviewers find in
them, verdicts, drafts of a consensus, solutions of a problem, judgements of a prompt, arguments of a debate. All of it
was written by people for this project. A question is recognised by its words alone; to any other question scripted
models answer that they are scripted.

Makers of models get different texts, as far as there are enough, so that no two models of a usual panel give
the same one.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from rehearsal.models.seeded import fraction

_FAMILIES = ("claude", "gpt", "gemini", "glm", "grok", "deepseek", "qwen", "mistral", "llama", "kimi")
"""Parts of models' ids; the first four are those of the usual panel."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Answer:
    """One answer, how good it is in points of merit, and what reviewers may say of it."""

    text: str
    merit: float = 6.0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrittenTexts:
    """All texts for one question; scripts fill in the empty ones."""

    question: str
    answers: tuple[Answer, ...] = ()
    verdicts: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    """Of a consensus, each better than the one before; the last one is accepted by all."""
    curated: str = ""
    """The last draft as the curator leaves it."""
    right: str = ""
    solutions: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Of a problem: by final answer, the solutions that lead to it; all but the right one contain a mistake."""
    judgements: Mapping[frozenset[str], tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Of a prompt: by the kinds of pattern that are seen, what an evaluator says."""
    chair: tuple[str, ...] = ()
    """What the empty chair says of the prompt."""
    debate: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """Arguments by the names that ``debate_topics.Theme`` has for them."""

    def answer(self, seed: int, model: str) -> str:
        """Return the answer of ``model``; of drafts alone, the first one; empty without either."""
        return dealt([one.text for one in self.answers], seed, model) or (self.drafts[0] if self.drafts else "")

    def verdict(self, seed: int, model: str) -> str:
        """Return the conclusion of ``model``; empty without a written one."""
        return dealt(self.verdicts, seed, model)

    def solution(self, final: str, *keys: object) -> str:
        """Return a way of coming to ``final``; empty where none is written."""
        ways = self.solutions.get(final, ())
        return ways[int(fraction(*keys, "way", final) * len(ways))] if ways else ""

    def draft_number(self, text: str) -> int | None:
        """Return which of the drafts ``text`` is, from 0; ``None`` when it is none of them."""
        shown = _normal(text)
        return next((n for n, draft in enumerate(self.drafts) if _normal(draft) == shown), None)


def written_for(question: str) -> WrittenTexts | None:
    """Return what is written for ``question``, or ``None``."""
    return _library().get(_normal(question))


def known_answer(text: str) -> Answer | None:
    """Return the written answer that ``text`` is, or ``None``."""
    return _answers().get(_normal(text))


def dealt(texts: Sequence[str], seed: int, model: str) -> str:
    """Return the one of ``texts`` for ``model``: by its maker if known, otherwise by its name."""
    if not texts:
        return ""
    family = next((n for n, part in enumerate(_FAMILIES) if part in model.lower()), None)
    place = int(fraction(seed, "text of", model) * len(texts)) if family is None else family
    return texts[place % len(texts)]


@cache
def read_script(name: str) -> dict[str, Any]:
    """Return the content of the file ``name`` of ``scripts``, the texts that go with any question."""
    return tomllib.loads(files(__package__).joinpath("scripts", f"{name}.toml").read_text("utf-8"))


@cache
def _library() -> Mapping[str, WrittenTexts]:
    places = sorted(files(__package__).joinpath("texts").iterdir(), key=lambda place: place.name)
    found = [_read(tomllib.loads(place.read_text("utf-8"))) for place in places if place.name.endswith(".toml")]
    return {_normal(one.question): one for one in found}


@cache
def _answers() -> Mapping[str, Answer]:
    return {_normal(answer.text): answer for one in _library().values() for answer in one.answers}


def _read(values: Mapping[str, Any]) -> WrittenTexts:
    return WrittenTexts(
        question=values["question"],
        answers=tuple(
            Answer(one["text"].strip(), float(one["merit"]), tuple(one["remarks"])) for one in values.get("answers", ())
        ),
        verdicts=_stripped(values.get("verdicts", ())),
        drafts=_stripped(values.get("drafts", ())),
        curated=values.get("curated", "").strip(),
        right=values.get("right", ""),
        solutions={one["final"]: _stripped(one["ways"]) for one in values.get("solutions", ())},
        judgements={frozenset(one["kinds"]): _stripped(one["texts"]) for one in values.get("judgements", ())},
        chair=_stripped(values.get("chair", ())),
        debate=values.get("debate", _NOTHING),
    )


def _stripped(texts: Any) -> tuple[str, ...]:
    return tuple(text.strip() for text in texts)


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()
