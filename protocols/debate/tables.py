"""Tables of a debate: positions, rounds, registries, broken rules and interventions."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from protocols.debate.aliases import Aliases
from protocols.debate.closing_view import author, conclusions, reported
from protocols.debate.model.history import CompletedRound, DebateHistory
from protocols.debate.model.io import DebateInput, DebateResult, StopReason
from protocols.debate.model.turn import AgentResponse, Vote
from protocols.debate.modes import MODES
from protocols.debate.registry_tables import SeatNames, positions_table, registry_tables
from protocols.debate.results import shown_in, standing
from protocols.model_call import ModelId, ParticipantId
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.tables import (
    UNKNOWN,
    Cell,
    Chart,
    Curve,
    CurveStyle,
    Note,
    ResultView,
    StudyFigures,
    Table,
    Utterance,
    columns,
    notes,
    rows,
    share,
    speaker,
)

_VOTES: Mapping[Vote, float] = {"ACCEPT": 0.9, "MINOR": 0.45, "BLOCKER": 0.1}
_FLAGGED = "FLAGGED: concluded without the person that it waited for, or against doubts of the safety evaluator"


_CURVE = CurveStyle(
    "Convergence",
    "mean confidence",
    note="Debate: mean stated confidence of those that ran so long, so late rounds show the hardest questions only.",
)


def view(result: DebateResult) -> ResultView:
    """Return the view of an ended debate."""
    flagged = [Table(notes=(Note(_FLAGGED, "bad"),))] if result.is_flagged else []
    every = (
        positions_table(result.state, _models(result)),
        _rounds(result.rounds, result.stop_reason),
        _diversity(result.rounds),
        _confidence(result),
        _votes(result),
        *registry_tables(result.state, _models(result)),
        _violations(result),
        Table(notes=notes(*_withheld(result), *_safety(result), *_interventions(result))),
        *reported(result),
        *flagged,
    )
    return ResultView(
        tables=tuple(table for table in every if table.rows or table.notes),
        author=author(result),
        utterances=(*map(_utterance, _turns(result)), *_synthesis(result)),
        conclusions=conclusions(result),
        figures=StudyFigures(Curve([completed.measures.mean_confidence for completed in result.rounds], _CURVE)),
    )


def live_table(course: DebateHistory, names: Aliases, inp: DebateInput) -> Table:
    """Return the positions in a running debate (section 5.2, "AGENT POSITIONS"), and its last round below."""
    mode = MODES[inp.mode]
    teams = {seat: team for seat in inp.seats if (team := mode.part(inp.position(seat)).team) is not None}
    seats = SeatNames({seat: names[seat] for seat in inp.seats}, course.lost, teams, mode.has_stances)
    positions = positions_table(course.state, running=seats)
    return replace(positions, notes=notes(*(": ".join(line) for line in standing(course))))


def _models(result: DebateResult) -> Mapping[ParticipantId, str]:
    labels = {seat: f" ({label})" for label, seat in result.labels.items()}
    return {turn.agent: f"{name_of(turn.model)}{labels.get(turn.agent, '')}" for turn in _turns(result)}


def _rounds(completed: Sequence[CompletedRound], end: StopReason) -> Table:
    headings = ("round", "kind", "agreement", "blockers", "confidence", "change", "votes changed", "new facts", "then")
    following = [*(f"round {past.number}" for past in completed[1:]), end.replace("_", " ")]
    return Table(
        title="Rounds",
        columns=columns(*headings),
        rows=rows(_round(past, then) for past, then in zip(completed, following, strict=False)),
        notes=notes(
            *(f"round {past.number}: context {shown_in(past.context)}" for past in completed),
            *(f"round {past.number} is no consensus: {past.lacking}" for past in completed if past.lacking),
        ),
    )


def _round(completed: CompletedRound, then: str) -> tuple[str | Cell, ...]:
    found = completed.measures
    change = UNKNOWN if found.mean_confidence_change is None else f"{found.mean_confidence_change:.1%}"
    return (
        str(completed.number),
        Cell(completed.kind, "warning" if completed.kind == "objection" else ""),
        share(found.agreement),
        str(found.blockers),
        share(found.mean_confidence),
        change,
        share(found.votes_changed),
        str(found.new_facts),
        ", ".join(fired.replace("_", " ") for fired in completed.fired) or then,
    )


def _diversity(completed: Sequence[CompletedRound]) -> Table:
    """Return clusters of positions, claims of each debater, and the share of claims that one debater alone makes."""
    known = [past for past in completed if past.measures.positions is not None]
    return Table(
        title="Diversity by round",
        columns=columns("round", "different positions", "claims of each debater", "claims of one debater alone"),
        rows=rows(
            (
                str(past.number),
                _among(past.measures.positions, past),
                _among(past.measures.claims_per_agent, past),
                share(past.measures.single_claims),
            )
            for past in known
        ),
        chart="heatmap",
        across="measure",
        caption="Positions with common words count as one. The last column is a share of the claims before it.",
    )


def _among(value: float | None, completed: CompletedRound) -> Cell:
    """Return a number, drawn as its share of the debaters who spoke."""
    if value is None:
        return Cell(UNKNOWN)
    return Cell(f"{value:.2g}", value=min(1.0, value / max(1, len(completed.turns))))


def _confidence(result: DebateResult) -> Table:
    return _by_round(
        result,
        "Confidence by round",
        lambda turn: share(turn.confidence),
        chart="curves",
        across="stated confidence, 0 to 1",
        caption="As each debater states it; a gap is a turn without a number.",
    )


def _votes(result: DebateResult) -> Table:
    return _by_round(
        result,
        "Votes by round",
        lambda turn: Cell(turn.vote, value=_VOTES[turn.vote]) if turn.vote else Cell(UNKNOWN),
        chart="heatmap",
        across="round",
        caption="ACCEPT as it is, MINOR edits, or a BLOCKER that must change first; – is a turn without a vote.",
    )


def _by_round(
    result: DebateResult, title: str, cell: Callable[[AgentResponse], Cell], *, chart: Chart, across: str, caption: str
) -> Table:
    said = {(turn.agent, turn.round): turn for turn in _turns(result)}
    models = {turn.agent: name_of(turn.model) for turn in _turns(result)}
    numbers = [(completed.number, "*" if completed.kind == "objection" else "") for completed in result.rounds]
    return Table(
        title=title,
        columns=columns("seat", "model", *(f"{number}{mark}" for number, mark in numbers)),
        rows=rows(
            (
                seat,
                models.get(seat, ""),
                *(cell(said[seat, number]) if (seat, number) in said else Cell(UNKNOWN) for number, _ in numbers),
            )
            for seat in result.state.participants
        )
        if numbers
        else (),
        chart=chart,
        across=across,
        caption=caption,
        names=2,
        least="page",
    )


def _violations(result: DebateResult) -> Table:
    broken = Counter((turn.agent, one.kind) for turn in _turns(result) for one in turn.violations)
    return Table(
        title="Rules that were broken",
        columns=columns("agent", "rule", "times"),
        rows=rows((agent, kind.replace("_", " "), str(times)) for (agent, kind), times in sorted(broken.items())),
    )


def _withheld(result: DebateResult) -> Iterator[str]:
    for turn in _turns(result):
        where, rule = f"{turn.agent} in round {turn.round}", (turn.withheld_for or "").replace("_", " ")
        if turn.withheld:
            yield f"withheld from peers: {where} ({f'{rule}; ' if rule else ''}{turn.withheld})"
        elif turn.released:
            yield f"{where} was withheld ({rule}): {turn.released}"


def _safety(result: DebateResult) -> Iterator[str]:
    active = sum(completed.safety.is_active for completed in result.rounds)
    times = counted(sum(len(completed.safety.judgements) for completed in result.rounds), "time")
    if not result.safety_triggers:
        was_asked = any(completed.safety.judgements for completed in result.rounds)
        cleared = f"safety: the evaluator was asked {times} about single turns, and cleared them"
        yield cleared if was_asked else "safety: nothing called the evaluator"
        return
    why = ", ".join(trigger.replace("_", " ") for trigger in result.safety_triggers)
    yield f"safety: the evaluator was called because of {why}, for {counted(active, 'round')}; it was asked {times}"
    for completed in result.rounds:
        yield from _judgements(completed)


def _judgements(completed: CompletedRound) -> Iterator[str]:
    if completed.safety.is_active and not completed.safety.judgements:
        yield f"safety: round {completed.number} was not judged"
    for one in completed.safety.judgements:
        named = one.verdict.withhold if one.verdict and not one.verdict.is_doubtful else ()
        agents = ", ".join([it.agent for it in named] or one.agents)
        if one.verdict is None:
            yield f"safety: round {completed.number} was not judged ({agents})"
        elif not one.is_clean:
            yield f"safety: round {completed.number} was not clean ({agents}): {one.verdict.reason or 'no reason'}"


def _interventions(result: DebateResult) -> Iterator[str]:
    for one in result.escalations:
        decision = (one.decision or "not decided").replace("_", " ")
        yield f"a user was asked after round {one.round}: {decision}{_quoted(one.note)} ({one.why})"
    if result.approval is not None:
        outcome = (result.approval.outcome or "not asked for").replace("_", " ")
        yield f"approval before the synthesis: {outcome}{_quoted(result.approval.note)}"


def _quoted(note: str) -> str:
    return f' "{note}"' if note else ""


def _turns(result: DebateResult) -> list[AgentResponse]:
    return [turn for completed in result.rounds for turn in completed.turns]


def _utterance(turn: AgentResponse) -> Utterance:
    hidden = (f"[withheld from the others: {turn.withheld}]" if turn.withheld else "", turn.released)
    broken = "; ".join(
        f"{one.kind.replace('_', ' ')}{f' ({one.detail})' if one.detail else ''}" for one in turn.violations
    )
    parts = (*hidden, turn.said.position, turn.said.reasoning, broken and f"[rules broken: {broken}]")
    state = "withheld" if turn.withheld else "released" if turn.released else ""
    facts = (turn.vote or "no vote", f"confidence {share(turn.confidence).text}", state, turn.note)
    return Utterance(
        who=speaker(turn.agent, turn.model),
        where=f"round {turn.round}",
        text="\n\n".join(filter(None, parts)),
        note=" · ".join(filter(None, facts)),
    )


def _synthesis(result: DebateResult) -> tuple[Utterance, ...]:
    written = result.synthesis
    if written is None:
        return ()
    by = name_of(ModelId(written.model)) if written.model else f"by {written.written_by}"
    return (Utterance(by, "synthesis", written.executive_summary),)
