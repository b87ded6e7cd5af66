"""Replies of scripted models, their speakers, and the rows of the table of behaviours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rehearsal.models.prompt_recognition import RecognisedPrompt, Stage

Finish = Literal["stop", "length", "content_filter", "error"]

REFUSAL = "I'm sorry, but I can't help with that."


@dataclass(frozen=True)
class Page:
    """One page of a provider's list of sources."""

    url: str
    title: str
    snippet: str
    place: tuple[int, int] | tuple[()] | None = None
    """The place of the citation in the text, in characters: empty if none is given, ``None`` finds its number."""


@dataclass(frozen=True)
class Reply:
    """A model's reply before a provider's dialect."""

    text: str | None
    reasoning: str | None = None
    refusal: str | None = None
    finish: Finish = "stop"
    seconds: float = 0.0
    """Seconds beyond the server's latency."""
    tokens: tuple[int | None, int | None] = (None, None)
    """Prompt and completion tokens to be counted, where they are known."""
    pages: tuple[Page, ...] = ()
    """What the provider's search returned."""


@dataclass(frozen=True)
class Speaker:
    """A speaker: the seed and the bare name of the model."""

    seed: int
    model: str


Text = Callable[[int, str, RecognisedPrompt], str]
"""The text of a model's reply to a prompt, from the seed and the model's name."""
Speak = Callable[[Speaker, RecognisedPrompt], Reply]
Twist = Callable[[Speaker, RecognisedPrompt, Reply], Reply]
"""From the reply of a speaker to the actual reply."""


@dataclass(frozen=True)
class Behaviour:
    """A row of the table: ``speakers`` replace the plain model at a stage; ``twist`` then changes the reply."""

    name: str
    about: str
    speakers: Mapping[Stage, Speak] = field(default_factory=dict)
    twist: Twist | None = None


def replying(text: Text) -> Speak:
    """Return a speaker that replies with ``text``."""
    return lambda actor, cue: Reply(text(actor.seed, actor.model, cue))


def writing(name: str, about: str, texts: Mapping[Stage, Text]) -> Behaviour:
    """Return a behaviour that replies with ``texts``, by stage."""
    return Behaviour(name, about, {stage: replying(text) for stage, text in texts.items()})
