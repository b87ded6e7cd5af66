"""The table of modes (seed 003, sections 1 and 3.6): one row each, in the seed's order."""

from collections.abc import Mapping

from protocols import debate
from protocols.debate.model.io import ModeName
from protocols.debate.modes.mode import Mode
from protocols.text_files import read_toml

MODES: Mapping[ModeName, Mode] = {
    mode.name: mode for mode in map(Mode.model_validate, read_toml(debate.__name__, "modes.toml")["modes"])
}
"""Rows by name."""
