"""The seven modes, from ``protocols/debate/modes.toml`` (seed 003, sections 1, 3.6 and 9.2), and the prompt pack.

The modes are wording too: they are in the pack, each as JSON under ``mode_`` and its name. So a run keeps the parts
that it started with, and the fingerprint covers them.
"""

import functools
from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from protocols.debate.model.io import DebateInput, ModeName
from protocols.debate.model.turn import Stance
from protocols.model_call import FrozenModel
from protocols.prompt_pack import load_pack
from protocols.text_files import read_toml

Order = Literal["parallel", "sequential", "team"]
"""All at once; one after the other, seeing those before; one team at once, then the other, seeing the first."""

Team = Literal["red", "blue"]

Anchor = Literal["Risk-Attentive", "Implementation-Focused", "Evidence-Calibrated", "Systems-Aware"]
"""The four permanent frameworks (decision 5)."""


class Section(FrozenModel):
    """A header of the required output structure, with its content."""

    name: str
    about: str


class Part(FrozenModel):
    """One role: its texts in the four layers."""

    role: str
    """As the table of section 1 names it: Synthesizer, Challenger …"""
    identity: str
    """Continues "YOU ARE ": the whole sentence of the role anchor."""
    mission: str
    helping: str
    """What being helpful means in this role."""
    must: tuple[str, ...] = Field(min_length=1)
    must_not: tuple[str, ...] = Field(min_length=1)
    priorities: tuple[str, ...] = Field(min_length=1)
    """The first is the key constraint of section 1."""
    failure: str
    first: tuple[Section, ...] = Field(min_length=1)
    """Sections of the output in round 1."""
    later: tuple[Section, ...] = Field(min_length=1)
    stance: Stance | None = None
    """Assigned by position, in devil's advocate alone."""
    team: Team | None = None


class Mode(FrozenModel):
    """One row."""

    name: ModeName
    title: str
    order: Order
    parts: tuple[Part, ...] = Field(min_length=1)
    """Assigned to the debaters by position, again and again from the first."""
    questions: tuple[str, str]
    """The two beside the seven universal ones (decision 6)."""
    anchors: tuple[Anchor, Anchor, Anchor, Anchor]
    """In the order in which they are assigned by position."""
    is_anonymous: bool = False
    """Peers are shown under labels, with the statistics of the group."""
    is_constrained: bool = False
    """Layer 2 has P3's safety constraints."""
    is_sensitive: bool = False
    """The mode by itself calls the safety evaluator (decision 2, tier 2)."""

    is_judged: bool = False
    """A judge decides at the end."""

    @property
    def has_stances(self) -> bool:
        """Return whether stances are assigned."""
        return any(part.stance for part in self.parts)

    @property
    def has_motion(self) -> bool:
        """Return whether debaters vote on a motion: not in modes with assigned stances or teams."""
        return not any(part.stance or part.team for part in self.parts)

    def part(self, position: int) -> Part:
        """Return the role of the debater at ``position`` (0 is the first), the same in all rounds."""
        return self.parts[position % len(self.parts)]

    def anchor(self, position: int) -> Anchor:
        """Return the permanent anchor of the debater at ``position``."""
        return self.anchors[position % len(self.anchors)]


MODES: Mapping[ModeName, Mode] = {
    mode.name: mode for mode in map(Mode.model_validate, read_toml(__package__, "modes.toml")["modes"])
}
"""Rows by name, in the seed's order."""

PACK = load_pack(__package__, **{f"mode_{name}": mode.model_dump_json() for name, mode in MODES.items()})
"""The templates that a new run starts with."""

_written = functools.cache(Mode.model_validate_json)  # every prompt asks for its mode several times


def mode_of(inp: DebateInput) -> Mode:
    """Return the mode with which the run started."""
    return _written(inp.prompts.templates[f"mode_{inp.mode}"])
