"""Ballots, answers and councils without models, for tests of counts and reports."""

from typing import Any

from protocols.anonymity import Labels, label
from protocols.council.model import Ballot, SubmittedBallot
from protocols.council.readers import read_opinion
from protocols.model_call import Answered, Failed, FailureKind, ModelId, ParticipantId, Usage


def seat(number: int) -> ParticipantId:
    """``p1`` for 0, ``p2`` for 1 and so on: the author of the label of that number."""
    return ParticipantId(f"p{number + 1}")


def model(number: int) -> ModelId:
    """The model on that seat."""
    return ModelId(f"openrouter:maker/model-{number + 1}")


def labels(count: int) -> Labels:
    """Labels assigned in panel order."""
    return Labels(authors=tuple(seat(n) for n in range(count)))


def models(count: int) -> dict[ParticipantId, ModelId]:
    """Who wrote what."""
    return {seat(n): model(n) for n in range(count)}


def ballot(letters: str, count: int) -> Ballot:
    """A ballot that places ``letters`` in this order among ``count`` labels; ``=`` ties two: ``CA=DB``."""
    places: list[list[str]] = []
    for number, letter in enumerate(letters):
        if letter != "=":
            tied = number > 0 and letters[number - 1] == "="
            places[-1:] = [[*places[-1], f"Response {letter}"]] if tied else [*places[-1:], [f"Response {letter}"]]
    ranking = [name for place in places for name in place]
    standing = "void" if not ranking else "complete" if len(ranking) == count else "partial"
    found_as = "numbered" if ranking else "nothing"
    return Ballot.model_validate({"ranking": ranking, "places": places, "standing": standing, "found_as": found_as})


def cast(letters: str, count: int, reviewer: int = 0) -> SubmittedBallot:
    """That ballot, cast by one that sits on seat ``reviewer``."""
    return SubmittedBallot(
        reviewer=seat(reviewer),
        model=model(reviewer),
        own_label=label(reviewer) if reviewer < count else None,
        shown_order=tuple(label(n) for n in range(count)),
        ballot=ballot(letters, count),
    )


def election(*ballots: str, count: int) -> list[SubmittedBallot]:
    """Ballots cast by p1, p2 and so on."""
    return [cast(letters, count, reviewer) for reviewer, letters in enumerate(ballots)]


def opinion(number: int, text: str, **changes: Any) -> Answered:
    """The stage 1 answer of that seat, with its reading."""
    return _answered(number, text, read_opinion(text, {}).model_dump(mode="json"), changes)


def review(number: int, letters: str, count: int, **changes: Any) -> Answered:
    """The stage 2 review of that seat, with its reading."""
    return _answered(number, f"I rank {letters}.", ballot(letters, count).model_dump(mode="json"), changes)


def lost(number: int, kind: FailureKind = "timeout") -> Failed:
    """A call of that seat that was lost."""
    return Failed(
        kind=kind,
        call_id=f"opinion-{seat(number)}",
        participant=seat(number),
        model=model(number),
        error_type=f"provider.{kind}",
        message="no answer within 120 s",
        attempts=3,
    )


def _answered(number: int, text: str, reading: Any, changes: dict[str, Any]) -> Answered:
    given = {
        "call_id": f"call-{seat(number)}",
        "participant": seat(number),
        "model": model(number),
        "text": text,
        "reading": reading,
        "usage": Usage(prompt_tokens=10, completion_tokens=number),
        "provider": "openrouter",
    }
    return Answered.model_validate({**given, **changes})
