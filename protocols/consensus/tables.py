"""Tables of a consensus: the opinion of each speaker on the draft of each round."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat

from protocols.consensus.model import SPEAKERS, ConsensusResult, RoundSummary, Speaker, Stance, StopReason
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.tables import (
    Cell,
    Curve,
    CurveStyle,
    ResultView,
    StudyFigures,
    Table,
    Tone,
    Utterance,
    columns,
    notes,
    rows,
    utterance,
)

_ACCEPT = "ACCEPT"
_TONES: Mapping[str, Tone] = {
    _ACCEPT: "good",
    "correction": "warning",
    "objection": "warning",
    "unread": "bad",
    "cut": "bad",
}
_VALUES: Mapping[str, float] = {_ACCEPT: 0.9, "correction": 0.12, "objection": 0.12}
_NO_STANCE = {"NO": _ACCEPT, "YES": "no ACCEPT", None: "-"}
"""The opinion in words where no stance was recorded."""

_UNPOLISHED = "{who} accepted after {rounds}, and no curator's text could be had: this is the accepted draft"
_NOT_AGREED: dict[StopReason, str] = {
    "round_limit": "no consensus after {rounds}: this is the last draft",
    "majority": "no consensus: after {rounds} most accepted this draft",
    "deadlock": "no consensus: after {rounds} this draft no longer changed",
    "accepted": "a user accepted this draft as the verdict",
    "stopped": "no consensus: a user stopped it; this is the last draft",
    "budget": "no consensus: the budget was too small for the next calls; this is the last draft",
    "quorum_lost": "no consensus: fewer than two speakers were left; this is the last draft",
}
"""Which text the verdict is where no curator polished it."""


_CURVE = CurveStyle(
    "Convergence",
    "share accepting",
    note="Consensus: the share of those asked that accepted the round's draft; one that ended with all stays at 1.",
    stays_at_one=True,
)


def view(result: ConsensusResult) -> ResultView:
    """Return the view of an ended consensus."""
    zombies = ", ".join(result.zombies)
    gone = f"asked no more after two losses in a row: {zombies}" if zombies else ""
    shown = rounds_table(result.rounds, remarks=(result.reason, gone))
    empty = Table(notes=notes("no round completed its check"))
    return ResultView(
        tables=(shown if result.rounds else empty,),
        author=_author(result),
        utterances=tuple(_utterances(result)),
        figures=_figures(result),
    )


def _figures(result: ConsensusResult) -> StudyFigures:
    """Return the share that accepts, round by round; a missing opinion does not accept."""
    accepting = [one.accepts / max(len(one.opinions), 1) for one in result.rounds]
    rounds = len(result.rounds) if result.consensus_achieved else None
    return StudyFigures(curve=Curve(accepting, _CURVE), rounds_to_consensus=rounds)


def rounds_table(
    completed: Sequence[RoundSummary],
    checking: tuple[Mapping[Speaker, Stance | None], str | None] | None = None,
    *,
    remarks: Sequence[str] = (),
) -> Table:
    """Return the completed rounds; ``checking`` holds the stances so far of the check in progress and its author."""
    shown = [
        (str(one.round), *(opinion(opinion_of(one, name)) for name in SPEAKERS), one.draft_by or "-", _draft(one))
        for one in completed
    ]
    if checking is not None:
        stances, writer = checking
        words = [opinion(word_of(stances[name]) if name in stances else "no vote") for name in SPEAKERS]
        shown.append((str(len(shown) + 1), *words, writer or "-", "being checked"))
    return Table(
        title="Rounds",
        columns=columns("round", *SPEAKERS, "draft by", "draft", right={"round"}),
        rows=rows(shown),
        notes=notes(*remarks),
        chart="heatmap",
        across="opinion of the round's draft",
        caption="- is an opinion that was not obtained.",
    )


def opinion(word: str) -> Cell:
    """Return the cell of an opinion."""
    return Cell(word, _TONES.get(word, "muted"), _VALUES.get(word))


def opinion_of(one: RoundSummary, speaker: Speaker) -> str:
    """Return in a word the opinion of ``speaker`` on the draft of a round."""
    if speaker not in one.opinions:
        return "no vote"
    return word_of(one.stances.get(speaker)) if speaker in one.stances else _NO_STANCE[one.opinions[speaker]]


def word_of(stance: Stance | None) -> str:
    """Return the word for a stance."""
    return "-" if stance is None else _ACCEPT if stance == "accept" else stance


def _draft(one: RoundSummary) -> str:
    if not one.draft_changed:
        return "unchanged"
    return "new" if one.round == 1 else "changed"


def _author(result: ConsensusResult) -> str:
    rounds_run = counted(len(result.rounds), "round")
    if result.written_by == "curator":
        model = f": {name_of(result.curation.model)}" if result.curation else ""
        return f"{_accepting(result)} accepted after {rounds_run}; polished by the curator{model}"
    why = _UNPOLISHED if result.consensus_achieved else _NOT_AGREED.get(result.stop_reason, "this is the last draft")
    remark = f" ({result.remark})" if result.remark else ""
    return f"{why.format(rounds=rounds_run, who=_accepting(result))}{remark}, written by the {result.draft_by}"


def _accepting(result: ConsensusResult) -> str:
    """Return the speakers that accepted in the last round."""
    accepted = [name for name in SPEAKERS if result.rounds and opinion_of(result.rounds[-1], name) == _ACCEPT]
    return "all" if len(accepted) in {0, len(SPEAKERS)} else " and ".join(accepted)


def _utterances(result: ConsensusResult) -> Iterator[Utterance]:
    """Yield the drafts of each round, then its checks, and the curator's text at the end."""
    messages = [
        (one.round, Utterance(one.speaker, f"round {one.round}", one.content, note))
        for one, note in zip(result.conversation.messages, chain(result.message_notes, repeat("")), strict=False)
    ]
    checks = [(turn.round, utterance(turn, f"round {turn.round} · {turn.stage}")) for turn in result.checks]
    yield from (said for _, said in sorted([*messages, *checks], key=lambda pair: pair[0]))
    if turn := result.curation:
        yield utterance(turn, f"round {turn.round} · {turn.stage}")
