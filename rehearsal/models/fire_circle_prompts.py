"""Prompts of a fire circle: the layers, the judged one, the turn, and the dialogue.

The fence behind ``Layer to Evaluate:`` is the layer that is judged, those before it are the prompt it belongs to, and
those behind it are the circle's words. Names and numbers are outside the fences, on the line before a peer's words,
where the judged prompt cannot forge them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_JUDGED = "Layer to Evaluate:"
_NUMBERS = re.compile(
    r"(?P<name>Evaluator [A-J]|You) \(round (?P<round>\d+)(?:, empty chair)?\): "
    r"T=(?P<t>[\d.]+) I=(?P<i>[\d.]+) F=(?P<f>[\d.]+)"
)
_TURN = re.compile(r"^Turn (\d+) of the conversation[^\n]*\n\nFull Prompt Context:\n\Z", re.MULTILINE)


@dataclass(frozen=True)
class Fence:
    """The text between two marks, and the text before them."""

    before: str
    name: str
    text: str


@dataclass(frozen=True)
class Voice:
    """One evaluation as the others see it."""

    name: str
    round: int
    truth: float
    indeterminacy: float
    falsehood: float
    text: str
    """Reasoning and patterns."""


@dataclass(frozen=True)
class Circle:
    """All that a prompt of the circle shows; without a judged layer it is none."""

    layers: tuple[tuple[str, str], ...] = ()
    judged: str = ""
    """The name of the layer that is judged."""
    turn: int = 1
    voices: tuple[Voice, ...] = ()
    gathered: tuple[str, ...] = ()
    """What was gathered from a round without numbers: the patterns, line by line, and the empty chair's words."""
    task: str = ""
    """Text outside the fences behind the judged layer."""
    key: str = ""
    """Under which name patterns are asked for; empty where none are."""

    @property
    def text(self) -> str:
        """Return all layers as one text."""
        return "\n".join([self.judged, *(f"{name}: {text}" for name, text in self.layers)])

    def layer(self, name: str) -> str:
        """Return the text of one layer; empty if it is not shown."""
        return dict(self.layers).get(name, "")


NO_CIRCLE = Circle()


def circle(fences: Sequence[Fence], end: str) -> Circle:
    """Read the fences of a prompt; ``end`` is the text behind the last of them."""
    place = next((n for n, fence in enumerate(fences) if fence.before.rstrip("\n").endswith(_JUDGED)), None)
    if place is None:
        return NO_CIRCLE
    shown, judged, said = fences[:place], fences[place], fences[place + 1 :]
    task = "".join([*(fence.before for fence in said), end])
    return Circle(
        layers=tuple((fence.name, fence.text) for fence in shown),
        judged=judged.name,
        turn=_turn(fences[0].before),
        voices=tuple(voice for fence in said for voice in _voices(fence)),
        gathered=tuple(line for fence in said if not _voices(fence) for line in fence.text.splitlines()),
        task=task,
        key=next((key for key in ("patterns_observed", "consensus_patterns") if key in task), ""),
    )


def _turn(before: str) -> int:
    """Return the turn number from the last line, because a user's words for the chair may precede it."""
    found = _TURN.search(before)
    return int(found.group(1)) if found else 1


def _voices(fence: Fence) -> tuple[Voice, ...]:
    line = _NUMBERS.fullmatch(fence.before.rstrip("\n").rpartition("\n")[2])
    if not line:
        return ()
    return (
        Voice(line["name"], int(line["round"]), float(line["t"]), float(line["i"]), float(line["f"]), text=fence.text),
    )
