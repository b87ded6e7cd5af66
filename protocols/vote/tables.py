"""Tables of a vote: each answer with its votes."""

from protocols.tables import ResultView, utterance
from protocols.vote.model import VoteResult
from protocols.votes import DecidedBy, votes_table

_AUTHORS: dict[DecidedBy, str] = {
    "plurality": "the first text with the most frequent answer",
    "earliest_of_tied": "the earliest of the answers that tie",
    "none_readable": "no final answer could be read: this is the first text received",
    "only_reply": "the only text received",
    "none": "no model answered",
}


def view(result: VoteResult) -> ResultView:
    """Return the view of an ended vote."""
    answer = "" if result.answer is None else f"final answer: {result.answer}; "
    return ResultView(
        tables=(votes_table(result.tally, result.votes, asked=result.asked),),
        author=f"{answer}{_AUTHORS[result.decided_by]}",
        utterances=tuple(utterance(turn) for turn in result.transcript.turns),
    )
