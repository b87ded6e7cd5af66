"""Results of debates that were never held, for what is done with results."""

from typing import Any

from protocols.debate.model.closing import FinalPosition, KeyEvidence, Synthesis
from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import (
    Approval,
    CompletedRound,
    Escalation,
    Judgement,
    Measures,
    SafetyRound,
    SafetyVerdict,
    WithheldTurn,
)
from protocols.debate.model.io import DebateResult
from protocols.debate.model.state import (
    PERSON,
    AgentStatus,
    Claim,
    DebateState,
    Decision,
    Evidence,
    GlobalSummary,
    HistoricalRound,
    RoundSummary,
)
from protocols.debate.model.turn import AgentResponse, TurnReading, Violation, Vote
from protocols.model_call import LostCall, ModelId, ParticipantId, Spending

FIRST, SECOND, THIRD = (ParticipantId(f"p{number}") for number in (1, 2, 3))
_MODELS = {
    FIRST: ModelId("openrouter:maker/one"),
    SECOND: ModelId("openrouter:maker/two"),
    THIRD: ModelId("ollama:three:8b"),
}


def turn(seat: ParticipantId, number: int, vote: Vote | None = "ACCEPT", **changes: Any) -> AgentResponse:
    """What ``seat`` said in round ``number``."""
    given = {
        "agent": seat,
        "model": _MODELS[seat],
        "round": number,
        "said": TurnReading(
            position=f"{seat} is for it in round {number}.",
            reasoning="Traffic fell in comparable cities.[FACT][1]",
            confidence=0.8,
            vote=vote,
            source="json",
        ),
    }
    return AgentResponse.model_validate({**given, **changes})


def held(number: int, *turns: AgentResponse, **changes: Any) -> CompletedRound:
    """A round with these turns."""
    whole = RoundSummary.model_validate({"global": GlobalSummary(one_liner="They moved closer.")})
    given = {
        "number": number,
        "turns": turns,
        "summary": HistoricalRound(round=number, summary=whole),
        "measures": Measures(agreement=2 / 3, blockers=1, mean_confidence=0.8, new_facts=2, facts_per_agent=2 / 3),
        "context": ContextUse(state=100, previous=900, total=2345),
    }
    return CompletedRound.model_validate({**given, **changes})


JUDGED = SafetyRound(
    judgements=(
        Judgement(
            agents=(FIRST, THIRD),
            verdict=SafetyVerdict(is_clean=False, withhold=(WithheldTurn(agent=THIRD),), reason="It told how."),
        ),
    ),
    is_active=True,
    triggers=("intent",),
)

ROUNDS = (
    held(
        1,
        turn(FIRST, 1),
        turn(SECOND, 1, "BLOCKER", violations=(Violation(kind="fact_uncited"), Violation(kind="fact_uncited"))),
        turn(THIRD, 1, None, withheld="the safety evaluator: It told how.", withheld_for="exploit_steps"),
        fired=("early_convergence",),
        safety=JUDGED,
    ),
    held(
        2,
        turn(FIRST, 2),
        turn(SECOND, 2, "MINOR", violations=(Violation(kind="no_counterargument"),)),
        kind="objection",
        measures=Measures(
            agreement=1.0, mean_confidence=0.85, mean_confidence_change=0.034, votes_changed=0.5, new_facts=0
        ),
        context=ContextUse(total=8000, claims_shortened=2),
        safety=SafetyRound(is_active=True),
    ),
)
"""Two rounds: groupthink is suspected after the first, and the second, an objection round, brings no fact."""

STATE = DebateState(
    topic="Should a city close its centre to cars?",
    round=2,
    participants=(FIRST, SECOND, THIRD),
    claims=(
        Claim(
            id="C1",
            text="Traffic fell in comparable cities",
            label="FACT",
            status="accepted",
            introduced_round=1,
            last_updated_round=2,
            support=("E1",),
            introduced_by=FIRST,
            supporters=(FIRST, SECOND),
        ),
        Claim(
            id="C2",
            text="Shops lose trade",
            label="ASSUME",
            status="contested",
            introduced_round=2,
            last_updated_round=2,
            opposition=("C1",),
            introduced_by=SECOND,
            supporters=(SECOND,),
            opponents=(FIRST,),
        ),
    ),
    evidence=(
        Evidence(
            kind="person",
            id="E1",
            title="Lund, A. (2021). City Traffic.",
            url="https://lab.example/lund",
            supports=("C1",),
            gist="Traffic fell by a tenth.",
            added_round=1,
            added_by=PERSON,
        ),
    ),
    decisions=(Decision(id="D1", text="Deliveries stay possible.", round=2),),
    agent_status=(
        AgentStatus(agent=FIRST, confidence=0.8, vote="ACCEPT", key_point="Close it in steps."),
        AgentStatus(agent=SECOND, confidence=0.9, confidence_delta=0.1, vote="MINOR", key_point="Mind the shops."),
        AgentStatus(agent=THIRD, is_lost=True),
    ),
)

SYNTHESIS = Synthesis(
    executive_summary="Close the centre in steps.",
    key_evidence=(KeyEvidence(id="E1", text="Traffic fell elsewhere."),),
    final_positions=(FinalPosition(agent="p1 (one)", position="For it."),),
    dissent=("p2 fears for the shops.",),
    written_by="synthesiser",
    model="openrouter:maker/one",
)

ESCALATION = Escalation(
    round=2, why="the objection round brought no new fact", decision="continue", note="Deliveries stay possible."
)


def lost_debater(**changes: Any) -> LostCall:
    """The third model, which was lost in the second round."""
    given = {
        "participant": THIRD,
        "model": _MODELS[THIRD],
        "stage": "turns",
        "round": 2,
        "kind": "api_error",
        "error_type": "provider.unavailable",
        "message": "three is down",
        "attempts": 6,
    }
    return LostCall.model_validate({**given, **changes})


def debate_result(**changes: Any) -> DebateResult:
    """Two rounds, the second an objection round that failed; a user had it continue and it ended there."""
    given = {
        "deliberation_id": "debate-cars-000001",
        "question": STATE.topic,
        "mode": "collaborative",
        "verdict": SYNTHESIS.executive_summary,
        "synthesis": SYNTHESIS,
        "stop_reason": "round_cap",
        "consensus_reached": False,
        "rounds": ROUNDS,
        "state": STATE,
        "escalations": (ESCALATION,),
        "safety_triggers": ("intent",),
        "partial": True,
        "failed": (lost_debater(),),
        "spent": Spending(calls=8, prompt_tokens=1000, completion_tokens=234, usd=0.0123, calls_of_unknown_cost=1),
        "prompts": "1@abcdef012345",
    }
    return DebateResult.model_validate({**given, **changes})


APPROVED = Approval(outcome="approved", note="Go ahead.")
