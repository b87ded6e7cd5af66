"""The end of a debate in words: who wrote the verdict, the motion, the decision, and the parts of the synthesis."""

from collections.abc import Mapping

from protocols.debate.model.closing import JudgeDecision, Synthesis
from protocols.debate.model.io import DebateResult, StopReason
from protocols.model_call import ModelId, ParticipantId
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.tables import Note, Table, Utterance

_ENDS: Mapping[StopReason, str] = {
    "consensus": "consensus",
    "plateau": "no consensus: positions no longer changed",
    "round_cap": "no consensus in the rounds that were allowed",
    "accepted": "a user accepted the motion",
    "rejected": "a user concluded it without agreement",
    "escalation_timed_out": "no person answered in time",
    "stopped": "a user stopped it",
    "budget": "the budget was too small for the next calls",
}
"""The end of a debate that has a verdict."""

_WHOLE = 2000
"""Characters of a part of the synthesis on a terminal."""


def author(result: DebateResult) -> str:
    """Return how the debate ended and who wrote the verdict."""
    ended = f"{_ENDS.get(result.stop_reason, result.stop_reason)} ({counted(len(result.rounds), 'round')})"
    remark = f" ({result.remark})" if result.remark else ""
    return f"{ended}{remark}; {_written_by(result.synthesis)}"


def conclusions(result: DebateResult) -> tuple[Utterance, ...]:
    """Return the accepted motion, the judge's decision and the final answer, as far as the debate has them."""
    motion, decision = result.accepted_motion, result.decision
    return (
        *(
            [Utterance("Accepted motion", f"the position of {result.names.get(motion.by, motion.by)}", motion.text)]
            if motion
            else []
        ),
        *([_decision(decision)] if decision else []),
        *([Utterance("Final answer", f"of the {result.answered_by}", result.answer)] if result.answer else []),
    )


def reported(result: DebateResult) -> tuple[Table, ...]:
    """Return key evidence, final positions and dissent of the synthesis."""
    written = result.synthesis
    if written is None:
        return ()
    lists = {
        "Key evidence": [f"{one.id} {one.text}".strip() for one in written.key_evidence],
        "Final positions": [f"{_debater(one.agent, result)}: {one.position}" for one in written.final_positions],
        "Dissent": list(written.dissent),
    }
    return tuple(
        Table(title, notes=tuple(Note(line, "", _WHOLE) for line in lines)) for title, lines in lists.items() if lines
    )


def _debater(agent: str, result: DebateResult) -> str:
    """Return the name of a debater, who is ``p1 (model)`` in the prompts."""
    seat, separator, model = agent.partition(" (")
    return f"{result.names.get(ParticipantId(seat), seat)}{separator}{model}"


def _decision(decision: JudgeDecision) -> Utterance:
    parts = [decision.decision]
    for heading, points in (("Reasons:", decision.reasons), ("What would change it:", decision.would_change)):
        if points:
            parts += ["", heading, *(f"- {point}" for point in points)]
    by = "the judge" if decision.written_by == "judge" else "a fallback of the judge"
    sure = "" if decision.confidence is None else f" · confidence {decision.confidence:.0%}"
    return Utterance("Decision", f"by {by}, {name_of(ModelId(decision.model))}{sure}", "\n".join(parts))


def _written_by(written: Synthesis | None) -> str:
    if written is None:
        return "there is no synthesis"
    model = f": {name_of(ModelId(written.model))}" if written.model else ""
    match written.written_by:
        case "synthesiser":
            return f"written by the synthesiser{model}"
        case "fallback":
            return f"written in place of the synthesiser{model}"
        case "rule":
            return "written by rule from the registries, not by a model"
