"""Debates without models: inputs, readings, replies, turns and whole courses."""

from datetime import UTC, datetime
from typing import Any

from protocols.debate.aliases import Aliases, open_aliases
from protocols.debate.model.history import CompletedRound, DebateHistory, Measures
from protocols.debate.model.io import DebateInput, panel_of
from protocols.debate.model.state import (
    Claim,
    DebateState,
    Evidence,
    GlobalSummary,
    HistoricalRound,
    RoundSummary,
)
from protocols.debate.model.turn import AgentResponse, ParsedClaim, Reference, TurnReading
from protocols.model_call import Answered, Failed, FailureKind, ModelId, ParticipantId
from protocols.prompt_pack import PromptPack
from protocols.sources import SourceLink

NOON = datetime(2025, 10, 12, 12, tzinfo=UTC)
TOPIC = "Should a city of 200,000 close its centre to cars?"
PAPER = PromptPack(protocol="debate", version="1", templates={"turn": "{{topic}}"})


def seat(number: int) -> ParticipantId:
    """``p1`` for 1 and so on."""
    return ParticipantId(f"p{number}")


def model(number: int) -> ModelId:
    """The model on that seat."""
    return ModelId(f"openrouter:lab/model-{number}")


def debate(mode: str = "collaborative", debaters: int = 3, **changes: Any) -> DebateInput:
    """A debate of so many debaters."""
    models = tuple(f"lab/model-{number}" for number in range(1, debaters + 1))
    panel = panel_of(models, "lab/writer", evaluator="lab/guard", summariser="lab/clerk")
    whole = {"question": TOPIC, "title": "Cars", "mode": mode, "panel": panel, "prompts": PAPER}
    return DebateInput.model_validate(whole | changes)


def names_of(inp: DebateInput) -> Aliases:
    """Everyone under an open name."""
    return open_aliases(inp.panel)


def claim(text: str, label: str = "INFER", **fields: Any) -> ParsedClaim:
    """A claim as a turn makes it."""
    return ParsedClaim.model_validate({"text": text, "label": label, **fields})


def reference(number: int, text: str, url: str = "") -> Reference:
    """One entry of the References section."""
    return Reference(number=number, text=text, url=url)


def page(number: int, title: str, url: str = "", **fields: Any) -> SourceLink:
    """A page that a provider names as a source."""
    return SourceLink(number=number, url=url or f"https://pages.example/{number}", title=title, **fields)


def reading(*claims: ParsedClaim, **fields: Any) -> TurnReading:
    """The reading of a turn that is sound in every way and votes ACCEPT, unless ``fields`` say otherwise."""
    whole: dict[str, Any] = {
        "position": "Close the centre to cars in steps.",
        "reasoning": "Traffic falls where streets close.[INFER]",
        "confidence": 0.8,
        "vote": "ACCEPT",
        "claims": claims,
        "key_points": ("Close it in steps.",),
        "steelman": "Shops depend on customers who drive.",
        "concerns": ("Deliveries need a window.",),
        "alternatives": (
            {"text": "A toll", "rejected_because": "it divides by income"},
            {"text": "A ring road", "rejected_because": "it brings more cars"},
        ),
        "risks": (
            {"text": "Detours", "mitigation": "calmed side streets"},
            {"text": "Lost trade", "mitigation": "a count every month"},
            {"text": "Late deliveries", "mitigation": "windows in the morning"},
        ),
        "uncertainty": "Whether shops lose trade.",
        "source": "json",
    }
    return TurnReading.model_validate(whole | fields)


def reply(number: int, said: TurnReading | None = None, **changes: Any) -> Answered:
    """The reply of that seat with its reading."""
    given = {
        "call_id": f"r01-{seat(number)}",
        "participant": seat(number),
        "model": model(number),
        "text": "Well.",
        "reading": (said or reading()).model_dump(mode="json"),
        "provider": "openrouter",
        "attempts": 2,
    }
    return Answered.model_validate(given | changes)


def unread(number: int, why: str = "no position") -> Answered:
    """A reply of that seat in which no position was found."""
    return reply(number, TurnReading(why=why))


def lost(number: int, kind: FailureKind = "timeout") -> Failed:
    """A call of that seat that was lost."""
    return Failed(
        kind=kind,
        call_id=f"r01-{seat(number)}",
        participant=seat(number),
        model=model(number),
        error_type=f"provider.{kind}",
        message="no answer within 60 s",
        attempts=3,
    )


def turn(number: int, held: int = 1, said: TurnReading | None = None, **changes: Any) -> AgentResponse:
    """A turn of that seat in the round ``held``, as it is kept."""
    whole = {"agent": seat(number), "model": model(number), "round": held, "said": said or reading()}
    return AgentResponse.model_validate(whole | changes)


def state(debaters: int = 3, **changes: Any) -> DebateState:
    """The registries, empty unless ``changes`` fill them."""
    seats = tuple(seat(number) for number in range(1, debaters + 1))
    return DebateState.model_validate({"topic": TOPIC, "participants": seats, "round": 1, **changes})


def registered(number: int, text: str, by: int = 1, **changes: Any) -> Claim:
    """The claim ``C<number>`` as the registry holds it, introduced in round 1."""
    whole = {
        "id": f"C{number}",
        "text": text,
        "label": "INFER",
        "introduced_round": 1,
        "last_updated_round": 1,
        "introduced_by": seat(by),
        "supporters": (seat(by),),
    }
    return Claim.model_validate(whole | changes)


def evidence(number: int, title: str, by: int = 1, **changes: Any) -> Evidence:
    """The evidence ``E<number>`` as the registry holds it, added in round 1."""
    whole = {"id": f"E{number}", "kind": "provider", "title": title, "added_round": 1, "added_by": seat(by)}
    return Evidence.model_validate(whole | changes)


def held(number: int, *turns: AgentResponse, **changes: Any) -> CompletedRound:
    """A round that has ended, with nothing measured unless ``changes`` say so."""
    short = HistoricalRound(round=number, summary=RoundSummary(overall=GlobalSummary(one_liner="They spoke.")))
    whole = {"number": number, "turns": turns, "summary": short, "measures": Measures()}
    return CompletedRound.model_validate(whole | changes)


def course(debaters: int = 3, **changes: Any) -> DebateHistory:
    """A course before the first turn, unless ``changes`` say otherwise."""
    return DebateHistory.model_validate({"state": state(debaters), "limit": 5, **changes})
