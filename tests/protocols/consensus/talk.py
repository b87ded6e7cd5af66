"""Turns of a consensus without models: replies with their readings, and where a consensus is after them."""

from functools import cache
from typing import Any

from protocols.consensus import rules
from protocols.consensus.model import (
    SPEAKERS,
    ConsensusState,
    Curation,
    Draft,
    Evaluation,
    Opinion,
    Speaker,
    SpeakerState,
)
from protocols.consensus.readers import read_evaluation
from protocols.model_call import Answered, Cost, Failed, FailureKind, FrozenModel, ModelId, ParticipantId, Usage
from protocols.transcript import Turn

EVALUATION = """\
Evaluate this response for accuracy and completeness.
If it correctly answers the original question with no major errors or omissions, respond with ONLY the word: ACCEPT
If it has errors or is missing critical information, provide a corrected version."""
"""The unified prompt, byte for byte as it is in seed 004 under "Consensus Check"."""

DRAFT = "The draft as it stands."


def model(seat: str) -> ModelId:
    """The model behind a seat."""
    return ModelId(f"openrouter:maker/{seat}")


def drafts(speaker: str, text: str, **changes: Any) -> Answered:
    """An answer to the bare question."""
    return _answered(speaker, text, Draft(text=text), changes)


def accepts(speaker: str, **changes: Any) -> Answered:
    """The word, and nothing but the word."""
    return _answered(speaker, "ACCEPT", Evaluation(accepted=True, found_as="word"), changes)


def corrects(speaker: str, text: str, **changes: Any) -> Answered:
    """A corrected version."""
    return _answered(speaker, text, Evaluation(accepted=False, draft=text, found_as="correction"), changes)


def puzzles(speaker: str, **changes: Any) -> Answered:
    """A reply that neither accepts nor corrects for certain."""
    return _answered(speaker, "Correct.", Evaluation(accepted=False, found_as="doubtful"), changes)


def objects(speaker: str, **changes: Any) -> Answered:
    """A remark that does not accept and offers no text."""
    return _answered(speaker, "I cannot ACCEPT.", Evaluation(accepted=False, found_as="objection"), changes)


def evaluates(speaker: str, text: str, **changes: Any) -> Answered:
    """A reply to the unified prompt as the protocol's own reader understands it."""
    return _answered(speaker, text, understood(text), changes)


@cache
def understood(text: str, shown: str = DRAFT) -> Evaluation:
    """The protocol's own reading of a reply to ``shown``; the same replies come again and again."""
    return read_evaluation(text, {"shown": shown})


def polishes(text: str | None, **changes: Any) -> Answered:
    """The curator's reply; ``None``: it found nothing to polish and wrote only that."""
    reading = Curation(text=text, found_as="text" if text else "nothing_to_polish")
    return _answered("curator", text or "ACCEPT", reading, changes)


def lost(speaker: str, kind: FailureKind = "timeout") -> Failed:
    """A call of that seat that was lost."""
    return Failed(
        kind=kind,
        call_id=f"r01-{speaker}",
        participant=ParticipantId(speaker),
        model=model(speaker),
        error_type=f"provider.{kind}",
        message="no data for six hours",
        attempts=3,
    )


def turn(stage: str, text: str, round_number: int = 1, *, by: str | None = None) -> Turn:
    """A turn; the speaker is the stage's own unless it is ``by`` another."""
    seat = by or stage
    return Turn(participant=ParticipantId(seat), model=model(seat), round=round_number, stage=stage, text=text)


def opinions(*given: Opinion | None) -> dict[Speaker, Opinion | None]:
    """Opinions of the generator, the refiner and the validator, or of as many as are given."""
    return dict(zip(SPEAKERS, given, strict=False))


def replies(*given: Opinion | None) -> dict[Speaker, Answered | Failed | None]:
    """Replies in a check that give these opinions: the word, an objection, none."""
    by_opinion = {"NO": accepts, "YES": objects}
    return {name: None if one is None else by_opinion[one](name) for name, one in opinions(*given).items()}


def course(**changes: Any) -> ConsensusState:
    """Before the first check, with a draft by the generator."""
    return ConsensusState(draft=DRAFT, draft_by=ParticipantId("generator")).model_copy(update=changes)


def checked(before: ConsensusState, *given: Opinion | None, draft: str | None = None) -> ConsensusState:
    """After one more check with these opinions; ``draft`` is what the turns made of it, else it was unchanged."""
    now = before if draft is None else before.model_copy(update={"draft": draft})
    return rules.apply_check(now, len(now.rounds) + 1, replies(*given))


def zombies(*speakers: Speaker) -> dict[Speaker, SpeakerState]:
    """Speakers of whom these were lost twice in a row."""
    dead = SpeakerState(failures=2, is_zombie=True)
    return {name: dead if name in speakers else SpeakerState() for name in SPEAKERS}


def _answered(seat: str, text: str, reading: FrozenModel, changes: dict[str, Any]) -> Answered:
    given = {
        "call_id": f"r01-{seat}",
        "participant": seat,
        "model": model(seat),
        "text": text,
        "reading": reading.model_dump(mode="json"),
        "usage": Usage(prompt_tokens=10, completion_tokens=5),
        "cost": Cost(usd=0.001, source="provider"),
        "provider": "openrouter",
    }
    return Answered.model_validate({**given, **changes})
