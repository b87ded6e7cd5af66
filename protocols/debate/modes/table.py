"""The table of modes (seed 003, sections 1 and 3.6): one row each, in the seed's order."""

from collections.abc import Mapping

from protocols.debate.model.asked import ModeName
from protocols.debate.modes.contentious import ADVERSARIAL, RED_BLUE
from protocols.debate.modes.cooperative import COLLABORATIVE, DELPHI, EXPERT_PANEL
from protocols.debate.modes.inquiring import DEVILS_ADVOCATE, SOCRATIC
from protocols.debate.modes.row import Mode

MODES: Mapping[ModeName, Mode] = {
    mode.name: mode for mode in (COLLABORATIVE, ADVERSARIAL, SOCRATIC, EXPERT_PANEL, DEVILS_ADVOCATE, DELPHI, RED_BLUE)
}
"""Rows by name."""
