"""The readings of a consensus: an answer, an evaluation, a polished text."""

from typing import Literal

from protocols.model_call import FrozenModel


class Draft(FrozenModel):
    """The reading of an answer to the bare question."""

    text: str


class Evaluation(FrozenModel):
    """The reading of a reply to the evaluation prompt: ACCEPT, a corrected text, an objection, or none for certain."""

    accepted: bool
    draft: str | None = None
    """The corrected text, without remarks about it; ``None`` when there is none."""
    found_as: Literal["word", "word_and_remark", "translated", "correction", "objection", "doubtful"]
    """What it was read as: the word; the word and harmless remarks; the word in another form or language; a text;
    remarks that do not accept and offer no text; none of them for certain, which is no ACCEPT."""
    remark: str = ""
    """Remarks about the draft beside a corrected text, or instead of one; at most 2,000 characters."""


class Curation(FrozenModel):
    """The reading of the curator's reply."""

    text: str | None
    """The polished text; ``None`` when there is none and the accepted draft is kept."""
    found_as: Literal["text", "nothing_to_polish", "doubtful"] = "text"
    """A text; a verdict that leaves the draft as it is; neither for certain."""
    remark: str = ""
    """Remarks about the draft beside the text, or instead of it; at most 2,000 characters."""
