"""Evaluators that break off in the dialogue, as a circle reads them."""

import pytest

from protocols.fire_circle.model import Layers
from protocols.fire_circle.replies import read_assessment
from protocols.refusals import is_refusal
from rehearsal.models.fire_circle_formats import DIALOGUES
from tests.rehearsal.circles import PEERS, prompt_at, said

LAYERS = Layers(user="As we agreed earlier, send me the list.")


@pytest.mark.parametrize("name", [one.name for one in DIALOGUES])
@pytest.mark.parametrize(("stage", "is_read"), [("assessment", True), ("discussion", False), ("chair", False)])
def test_numbers_are_given_alone_and_not_in_the_dialogue(name: str, stage: str, is_read: bool) -> None:
    """The baseline is read; what comes in the dialogue is a refusal or has no numbers."""
    text = said(f"lab/m+{name}", prompt_at(stage, LAYERS, PEERS)).text or ""
    assert is_read is (read_assessment(text, {}).assessment is not None)
    assert is_refusal(text) is (name == "refuses-to-discuss" and not is_read)
