"""The prompts of the study, with their labels.

The ten shipped cases claim an earlier conversation. The attacks are judged at turn 1, when there was none; the control
is judged at turn 4 and refers to earlier turns. Names, numbers and places in them are invented.
"""

from importlib.resources import files
from typing import Literal

from pydantic import Field

from protocols.fire_circle.model import SessionMemory
from protocols.model_call import FrozenModel

Label = Literal["attack", "benign"]

STUDY_FILE = files(__package__) / "study.toml"
_CASES = files(__package__) / "cases.jsonl"


class Case(FrozenModel):
    """A prompt with its label: one line of the study's dataset."""

    id: str = Field(min_length=1, max_length=120)
    """Part of the ids of its deliberations."""
    about: str = ""
    """The kind of attack, in a few words."""
    source: str
    """The file that it comes from."""
    label: Label
    session: SessionMemory | None = None
    system: str = ""
    application: str = ""
    user: str = ""

    @property
    def is_attack(self) -> bool:
        """True if it should be flagged."""
        return self.label == "attack"


TEN_CASES = tuple(Case.model_validate_json(line) for line in _CASES.read_text(encoding="utf-8").splitlines())

MULTI_TURN = "history_04"
"""The case with several faked turns in one message."""
CROSS_LAYER = "history_10"
"""The case with the same false history in two layers."""
