"""Prompts of a debate: the requested role, the registries and the turns.

A debater is recognised by its system message, whose layers only the protocol writes: name, anchor, part and headers
precede the topic, the round is at the very end. The registries are lines in a fence of their own name, each
turn in a fence behind a line with its author. Text inside a fence is quoted, and decides
nothing about the request.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from rehearsal.models.debate_turns import object_in
from rehearsal.models.fire_circle_prompts import Fence
from rehearsal.models.seeded import shuffled

AGAIN = "Your turn breaks the citation rules:\n"
EVALUATOR = "You are the safety evaluator of a structured debate."
SUMMARISER = "Say in one line of at most 35 tokens what round "
SYNTHESISER = "You close a structured debate."
JUDGE = "You are the judge of a structured debate."
"""The first words of what is asked."""

_DEBATER = re.compile(r"^You are (?P<name>[^\n]*?), one of \d+ debaters in a structured debate\.", re.MULTILINE)
_LAYERS = "\nLAYER 1: ROLE ANCHOR\n"
_METADATA = "\nDEBATE METADATA\n"
_ROUND = re.compile(
    r"- Topic: (?P<topic>.*)\n- Mode: [^\n]*\n- Round (?P<round>\d+) of \d+\n"
    r"- Focus Question: (?P<focus>[^\n]*)\s*\Z",
    re.DOTALL,
)
"""A topic may quote these lines, so the last ones count."""
_HEADERS = re.compile(r"^REQUIRED OUTPUT STRUCTURE[^\n]*\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_ANCHOR = re.compile(r"^YOUR PERMANENT ANCHOR: ([^\n]*)$", re.MULTILINE)
_STANCE = re.compile(r'^ *"stance": "(YES|NO|NEUTRAL)" \(dealt', re.MULTILINE)
_TEAM = re.compile(r"^(RED|BLUE) TEAM: ", re.MULTILINE)

_ROUND_OF = re.compile(r"\bround (\d+)\b")
_WHO = re.compile(r"^--- ([^\n]*) ---\n\Z", re.MULTILINE)
_SHOWN = re.compile(r"(?:\n\n--- [^\n]* ---\n(?:\[withheld\])?)+\Z|\n\nEverything between the marks.*\Z", re.DOTALL)
"""Text behind the topic where no names follow it: turns that may not be shown, and the name of the first."""
_CODE = re.compile(r"marks (?:with|that carry) the code (\S+) is material")
_STATE, _MATERIAL = "debate state", "material"
_POSITION = re.compile(
    r"^(?P<agent>[^\n]+): (?P<sure>\d+%|no confidence given)[^\n]*?, vote (?P<vote>\w+)", re.MULTILINE
)
_CLAIM = re.compile(
    r"^(?P<id>C\d+) (?P<label>FACT|INFER|ASSUME|OPEN) (?P<status>accepted|contested|retracted|open) "
    r"[^:\n]*: (?P<text>.*)$",
    re.MULTILINE,
)
_EVIDENCE = re.compile(r"^(E\d+)(?: [^:\n]*)?: (.*)$", re.MULTILINE)
_GIVEN = re.compile(r"^\[(E\d+)\] ([^\n]*):\n(.*?)(?=\n\n\[E\d+\] |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Known:
    """A claim shown to all debaters."""

    id: str
    text: str
    label: str
    status: str

    @property
    def stands(self) -> bool:
        """Return whether it has a known supporter."""
        return self.status != "retracted"


@dataclass(frozen=True)
class Voice:
    """One turn as it is shown."""

    agent: str
    text: str

    @property
    def position(self) -> str:
        """Return its position from the first line."""
        return self.text.partition("\n")[0].removeprefix("Position: ")


@dataclass(frozen=True)
class Debate:
    """All that a prompt of the debate shows; without a topic it is none."""

    topic: str = ""
    round: int = 1
    focus: str = ""
    name: str = ""
    """Under which name a debater is shown to the others."""
    anchor: str = ""
    stance: str = ""
    """YES, NO or NEUTRAL, where one was assigned."""
    team: str = ""
    """``red`` or ``blue``, where there are teams."""
    is_objection: bool = False
    headers: tuple[str, ...] = ()
    """The header of a debater's prose."""
    claims: tuple[Known, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    """Ids and titles."""
    material: tuple[tuple[str, str, str], ...] = ()
    """Ids, titles and texts of what a user gave."""
    status: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The confidence of each debater that gave one, by name."""
    votes: tuple[str, ...] = ()
    """Of the voters."""
    motion: str = ""
    """The group's present answer, on which is voted."""
    turns: tuple[Voice, ...] = ()
    earlier: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What stays of the turn that is asked for again: position, confidence and vote, as far as they could be read."""

    @property
    def shown(self) -> str:
        """Return all turns shown in the prompt."""
        return "\n".join((*(turn.text for turn in self.turns), *(claim.text for claim in self.claims)))

    def peers(self, *keys: object) -> tuple[str, ...]:
        """Return the names of others with turns in the prompt, in an order independent of the names."""
        others = sorted((turn.position, turn.agent) for turn in self.turns if turn.agent != self.name)
        return tuple(dict.fromkeys(agent for _, agent in shuffled(others, *keys, "peers")))


NO_DEBATE = Debate()


def is_debater(system: str) -> bool:
    """Return whether a system message addresses a debater."""
    return bool(_DEBATER.search(system)) and _LAYERS in system and _METADATA in system


def is_asked(prompt: str, words: str) -> bool:
    """Return whether ``prompt`` begins with ``words`` and marks its material."""
    return prompt.startswith(words) and "Everything between the marks that carry the code " in prompt


def code(prompt: str) -> str:
    """Return the code of the marks that ``prompt`` names after its material; empty without one."""
    found = _CODE.findall(prompt)
    return found[-1] if found else ""


def debate(system: str, fences: Sequence[Fence], end: str, own: str = "") -> Debate:
    """Read a system message and the fences of what was asked; ``end`` is the text behind the last of them.

    ``own`` is what the same debater said, when it is asked again.
    """
    before = fences[0].before if fences else end
    asked = _from_system(system) if is_debater(system) else _from_request(before)
    registries = next((_registries(fence.text) for fence in fences if fence.name == _STATE), {})
    given = next((fence.text for fence in fences if fence.name == _MATERIAL), "")
    turns = tuple(Voice(who[1], fence.text) for fence in fences if (who := _WHO.search(fence.before)))
    return Debate(
        **asked,
        **registries,
        motion=next((fence.text.strip() for fence in fences if fence.name == "motion"), ""),
        material=tuple(_GIVEN.findall(given)),
        turns=turns,
        earlier=MappingProxyType(_kept(own)),
    )


def _from_system(system: str) -> dict[str, Any]:
    """Parse the part before the topic, which no model writes; the name is as the panel gave it."""
    layers, _, metadata = system.partition(_METADATA)
    place, name = _ROUND.match(metadata), _DEBATER.search(system)
    headers, team = _HEADERS.search(layers), _first(_TEAM, layers)
    return {
        "name": name["name"] if name else "",
        "anchor": _first(_ANCHOR, layers),
        "stance": _first(_STANCE, layers),
        "team": team.lower(),
        "is_objection": "\n=== CRITICAL OBJECTION ROUND ===\n" in layers,
        "headers": tuple(line.partition(":")[0] for line in headers[1].splitlines()) if headers else (),
        "topic": place["topic"] if place else metadata.strip(),
        "round": int(place["round"]) if place else 1,
        "focus": place["focus"] if place and place["focus"] != "none" else "",
    }


def _from_request(before: str) -> dict[str, Any]:
    """Parse the part before the first fence: the round before the topic, the names after it."""
    head, _, rest = before.partition("\nTopic: ")
    number = _first(_ROUND_OF, head)
    names_follow = not head.startswith(SUMMARISER)
    topic = rest.rpartition("\nDebaters: ")[0] if names_follow else _SHOWN.sub("", rest)
    return {"topic": topic.strip(), "round": int(number) if number else 1}


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


def _kept(text: str) -> dict[str, Any]:
    """Return the unchangeable part of an object in ``text``."""
    values = object_in(text)
    kinds: dict[str, type] = {"position": str, "confidence": float, "vote": str}
    return {name: values[name] for name, kind in kinds.items() if isinstance(values.get(name), kind)}


def _registries(text: str) -> dict[str, Any]:
    """Parse claims, evidence and support; an unknown text gives none."""
    positions, _, rest = text.partition("\nDECISIONS, BINDING:\n")
    claims, _, evidence = rest.partition("\nCLAIMS:\n")[2].partition("\nEVIDENCE:\n")
    standing = list(_POSITION.finditer(positions.removeprefix("POSITIONS:\n")))
    sure = {one["agent"]: int(one["sure"][:-1]) / 100 for one in standing if one["sure"].endswith("%")}
    return {
        "claims": tuple(Known(one["id"], one["text"], one["label"], one["status"]) for one in _CLAIM.finditer(claims)),
        "evidence": tuple(_EVIDENCE.findall(evidence)),
        "status": MappingProxyType(sure),
        "votes": tuple(one["vote"] for one in standing if one["vote"] != "none"),
    }
