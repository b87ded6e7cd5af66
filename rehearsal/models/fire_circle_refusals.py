"""Evaluators that judge a prompt alone and break off in the dialogue: each refuses there, or writes no numbers."""

from rehearsal.models.consensus import Style
from rehearsal.models.prompt_recognition import RecognisedPrompt, Stage

_DIALOGUE: tuple[Stage, ...] = ("discussion", "chair", "refinement")


def _refused(_seed: int, _model: str, _cue: RecognisedPrompt) -> str:
    return "I'm sorry, but I can't help with that."


def _numberless(_seed: int, _model: str, _cue: RecognisedPrompt) -> str:
    return "The others have put it well, and I have nothing to add to what they wrote."


DIALOGUES = (
    Style("refuses-to-discuss", "assesses alone and refuses the dialogue in words", dict.fromkeys(_DIALOGUE, _refused)),
    Style(
        "discusses-without-numbers",
        "assesses alone and gives no numbers in the dialogue",
        dict.fromkeys(_DIALOGUE, _numberless),
    ),
)
"""Every way of breaking off in a circle's dialogue."""
