"""The table of modes (seed 003, sections 1 and 3.6): one row each, in the seed's order."""

from collections.abc import Mapping

from protocols.debate.model.io import ModeName
from protocols.debate.modes.adversarial_modes import ADVERSARIAL, RED_BLUE
from protocols.debate.modes.collaborative_modes import COLLABORATIVE, DELPHI, EXPERT_PANEL
from protocols.debate.modes.mode import Mode
from protocols.debate.modes.questioning_modes import DEVILS_ADVOCATE, SOCRATIC

MODES: Mapping[ModeName, Mode] = {
    mode.name: mode for mode in (COLLABORATIVE, ADVERSARIAL, SOCRATIC, EXPERT_PANEL, DEVILS_ADVOCATE, DELPHI, RED_BLUE)
}
"""Rows by name."""
