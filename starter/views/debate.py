"""What only a debate that is over has to show: where everybody ended, the rounds, the claims, and who intervened."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from protocols.debate.model.closing import JudgeDecision
from protocols.debate.model.history import CompletedRound, Measures
from protocols.debate.model.io import DebateResult, StopReason
from protocols.debate.model.turn import AgentResponse
from protocols.debate.outcome import shown_in
from protocols.model_call import ModelId, ParticipantId
from protocols.panel import name_of
from protocols.transcript import remark_of
from protocols.visible_text import one_line, printable
from starter.views.claims import WHOLE, cell, claims, share, standing, table

_TEXT_WIDTH = 300

_ENDS: Mapping[StopReason, str] = {
    "consensus": "consensus",
    "plateau": "no consensus: nothing moved any more",
    "round_cap": "no consensus in the rounds that were allowed",
    "accepted": "a person took it for agreed",
    "rejected": "a person concluded it without agreement",
    "escalation_timed_out": "no person came in time",
    "stopped": "a person stopped it",
}
"""How a debate ended that has a verdict."""

_ROUNDS = (
    *("round", "kind", "agreement", "blockers", "confidence", "change", "votes changed", "new facts", "diversity"),
    *("context", "then"),
)
_FLAGGED = "FLAGGED: concluded without the person that it waited for, or against doubts of the safety evaluator"


def findings(result: DebateResult) -> list[RenderableType]:
    """Positions, rounds, registries; then what was broken and withheld, what was done about it, and the dissent."""
    parts: list[RenderableType] = [standing(result.state, _models(result))]
    if result.rounds:
        parts.append(_rounds(result.rounds, result.stop_reason))
        parts += [Text(line, style="dim") for line in _lacking(result.rounds)]
    parts += claims(result.state)
    parts += _violations(result)
    parts += [Text(line, style="dim") for line in _remarks(result)]
    parts += _closing(result)
    return [*parts, *([Text(_FLAGGED, style="bold red")] if result.is_flagged else [])]


def author(result: DebateResult) -> str:
    """How it ended, and whose text the verdict is."""
    ended = f"{_ENDS.get(result.stop_reason, result.stop_reason)} ({_counted(len(result.rounds), 'round')})"
    remark = f" ({one_line(result.remark, width=200)})" if result.remark else ""
    return f"{ended}{remark}; {_written_by(result)}"


def conclusions(result: DebateResult) -> list[tuple[str, str]]:
    """What was agreed and what was decided, each under a heading: they stand above the report."""
    parts = []
    if result.accepted_motion is not None:
        parts.append(("Accepted motion", result.accepted_motion.text))
    if result.decision is not None:
        parts.append((_decided_by(result.decision), _decision(result.decision)))
    if result.answer is not None:
        parts.append((f"Final answer (of the {result.answered_by})", result.answer))
    return parts


def _decided_by(decision: JudgeDecision) -> str:
    by = "the judge" if decision.written_by == "judge" else "a fallback of the judge"
    sure = "" if decision.confidence is None else f", confidence {share(decision.confidence)}"
    return f"Decision by {by}, {one_line(name_of(ModelId(decision.model)), width=80)}{sure}"


def _decision(decision: JudgeDecision) -> str:
    reasons = [f"- {reason}" for reason in decision.reasons]
    change = ["What would change it:", *(f"- {one}" for one in decision.would_change)] if decision.would_change else []
    return "\n".join((decision.decision, *(["", "Reasons:", *reasons] if reasons else []), *change))


def said(result: DebateResult) -> list[tuple[str, str]]:
    """Every turn under a heading, round by round; what peers were not shown is marked."""
    return [(_heading(turn), _speech(turn)) for held in result.rounds for turn in held.turns]


def _models(result: DebateResult) -> Mapping[ParticipantId, str]:
    """Who sits where, as of the last turn, with the label under which peers saw it."""
    labels = {seat: f" ({label})" for label, seat in result.labels.items()}
    turns = (turn for held in result.rounds for turn in held.turns)
    return {turn.agent: f"{name_of(turn.model)}{labels.get(turn.agent, '')}" for turn in turns}


def _lacking(rounds: Sequence[CompletedRound]) -> list[str]:
    """Return for each round that was no consensus what it lacked."""
    return [printable(f"round {held.number} is no consensus: {held.lacking}") for held in rounds if held.lacking]


def _rounds(rounds: Sequence[CompletedRound], end: StopReason) -> RenderableType:
    shown = table("Rounds", _ROUNDS)
    following = [*(f"round {held.number}" for held in rounds[1:]), end.replace("_", " ")]
    for held, then in zip(rounds, following, strict=True):
        told = held.measures
        shown.add_row(
            str(held.number),
            Text(held.kind, style="yellow" if held.kind == "objection" else ""),
            share(told.agreement),
            str(told.blockers),
            share(told.mean_confidence),
            _change(told),
            share(told.votes_changed),
            str(told.new_facts),
            _diversity(told),
            shown_in(held.context),
            cell(", ".join(fired.replace("_", " ") for fired in held.fired) or then),
        )
    return shown


def _change(told: Measures) -> str:
    return "–" if told.mean_confidence_change is None else f"{told.mean_confidence_change:.1%}"


def _diversity(told: Measures) -> str:
    """Clusters of positions, claims for each debater, and the share of them that one debater alone stands by."""
    if told.positions is None or told.claims_per_agent is None:
        return "–"
    alone = "" if told.single_claims is None else f", {told.single_claims:.0%} single"
    return f"{_counted(told.positions, 'position')}, {told.claims_per_agent:.1f} claims each{alone}"


def _violations(result: DebateResult) -> list[RenderableType]:
    """How often who broke which rule."""
    counted = _count((turn.agent, broken.kind) for turn in _turns(result) for broken in turn.violations)
    if not counted:
        return []
    shown = table("Rules that were broken", ("agent", "rule", "times"))
    for (agent, kind), times in counted.items():
        shown.add_row(agent, kind.replace("_", " "), str(times))
    return [shown]


def _count(found: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    pairs = sorted(found)
    return {pair: pairs.count(pair) for pair in dict.fromkeys(pairs)}


def _remarks(result: DebateResult) -> list[str]:
    lines = [*_withheld(result), *_safety(result), *_interventions(result)]
    return [printable(line) for line in lines]


def _withheld(result: DebateResult) -> list[str]:
    """Turns that peers were not shown, and those that a person released."""
    lines = []
    for turn in _turns(result):
        where, rule = f"{turn.agent} in round {turn.round}", (turn.withheld_for or "").replace("_", " ")
        if turn.withheld:
            why = one_line(turn.withheld, width=_TEXT_WIDTH)
            lines.append(f"withheld from peers: {where} ({f'{rule}; ' if rule else ''}{why})")
        elif turn.released:
            lines.append(f"{where} was withheld ({rule}): {one_line(turn.released, width=_TEXT_WIDTH)}")
    return lines


def _safety(result: DebateResult) -> list[str]:
    """What called the evaluator, and what it objected to."""
    whole = [held for held in result.rounds if held.safety.is_active]
    calls = sum(len(held.safety.judgements) for held in result.rounds)
    if not result.safety_triggers:
        pointed = f"was asked {_counted(calls, 'time')} about single turns, and cleared them"
        return [f"safety: the evaluator {pointed}" if calls else "safety: nothing called the evaluator"]
    why = ", ".join(trigger.replace("_", " ") for trigger in result.safety_triggers)
    asked = f"for {_counted(len(whole), 'round')}; it was asked {_counted(calls, 'time')}"
    lines = [line for held in result.rounds for line in _judgements(held)]
    return [f"safety: the evaluator was called because of {why}, {asked}", *lines]


def _judgements(held: CompletedRound) -> list[str]:
    """What was not clean in a round, or was not judged."""
    if held.safety.is_active and not held.safety.judgements:
        return [f"safety: round {held.number} was not judged"]
    lines = []
    for one in held.safety.judgements:
        turns = ", ".join(one.agents)
        if one.verdict is None:
            lines.append(f"safety: round {held.number} was not judged ({turns})")
        elif not one.is_clean:
            why = one_line(one.verdict.reason, width=_TEXT_WIDTH) or "no reason"
            lines.append(f"safety: round {held.number} was not clean ({turns}): {why}")
    return lines


def _interventions(result: DebateResult) -> list[str]:
    lines = []
    for one in result.escalations:
        note = f' "{one_line(one.note, width=_TEXT_WIDTH)}"' if one.note else ""
        decision = (one.decision or "not decided").replace("_", " ")
        lines.append(f"a person was asked after round {one.round}: {decision}{note} ({one.why})")
    if result.approval is not None:
        note = f' "{one_line(result.approval.note, width=_TEXT_WIDTH)}"' if result.approval.note else ""
        outcome = (result.approval.outcome or "not asked for").replace("_", " ")
        lines.append(f"approval before the synthesis: {outcome}{note}")
    return lines


def _closing(result: DebateResult) -> list[RenderableType]:
    """Key evidence, final positions and dissent, as the synthesis has them."""
    if result.synthesis is None:
        return []
    parts: list[RenderableType] = []
    named = [(f"{one.id} " if one.id else "") + one.text for one in result.synthesis.key_evidence]
    stood = [f"{one.agent}: {one.position}" for one in result.synthesis.final_positions]
    for title, lines in (("Key evidence", named), ("Final positions", stood), ("Dissent", result.synthesis.dissent)):
        if lines:
            parts.append(Text(title, style="bold"))
            parts += [Text(f"  {one_line(line, width=WHOLE)}") for line in lines]
    return parts


def _written_by(result: DebateResult) -> str:
    written = result.synthesis
    if written is None:
        return "there is no synthesis"
    model = f": {one_line(name_of(ModelId(written.model)), width=80)}" if written.model else ""
    match written.written_by:
        case "synthesiser":
            return f"written by the synthesiser{model}"
        case "fallback":
            return f"written in place of the synthesiser{model}"
        case "rule":
            return "written by rule from the registries, not by a model"


def _turns(result: DebateResult) -> list[AgentResponse]:
    return [turn for held in result.rounds for turn in held.turns]


def _heading(turn: AgentResponse) -> str:
    hidden = "withheld" if turn.withheld else "released" if turn.released else ""
    facts = (turn.vote or "no vote", f"confidence {share(turn.confidence)}", hidden)
    told = " · ".join(filter(None, facts))
    note = remark_of(one_line(turn.note, width=_TEXT_WIDTH))
    return f"round {turn.round} · {turn.agent} · {name_of(turn.model)} · {told}{note}"


def _speech(turn: AgentResponse) -> str:
    return "\n\n".join(filter(None, [turn.said.position, turn.said.reasoning]))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
