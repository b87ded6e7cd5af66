"""What is said to a model whose reply cannot be used: one sentence for each stage, a list for broken citations."""

from collections.abc import Callable, Mapping, Sequence

from protocols.debate.model.asked import DebateInput, SummaryReading, SynthesisReading
from protocols.debate.model.turns import TurnReading, Violation
from protocols.exchange import Answered
from protocols.further_calls import Unclear
from protocols.tokens import clip

TURN = (
    "No position can be read in your turn. Send the whole turn again as the one JSON object that was asked for, or in "
    "sections headed Position, Reasoning, Confidence, Vote, Claims and References, and nothing else."
)
SAFETY = (
    'Your judgement cannot be read. Reply with one JSON object and nothing else: {"clean": true or false, "withhold": '
    '[names of debaters], "reason": "…"}.'
)
SUMMARY = "No summary can be read. Reply with one line that says what the round changed, and nothing else."
SYNTHESIS = (
    "No executive summary can be read. Send the whole synthesis again as the one JSON object that was asked for, and "
    "nothing else."
)

_TOLD, _DETAIL = 10, 40
"""Violations that are named, and tokens of what each of them says."""


def unclear_turn(inp: DebateInput) -> Unclear:
    """Return the rule for a debater's turn: no position, or broken citations where they are asked about."""

    def unclear(reply: Answered) -> str | None:
        read = TurnReading.model_validate(reply.reading)
        if not read.position:
            return TURN
        return broken(inp, read.violations) if inp.reask and read.violations else None

    return unclear


def broken(inp: DebateInput, violations: Sequence[Violation]) -> str:
    """Return the request to mend ``violations`` and nothing else."""
    told = [(one.kind.replace("_", " "), clip(" ".join(one.detail.split()), _DETAIL)) for one in violations[:_TOLD]]
    listed = "\n".join(f"- {kind}" + (f": {detail}" if detail else "") for kind, detail in told)
    return inp.prompts.fill("again", {"violations": listed})


def _unclear_judgement(reply: Answered) -> str | None:
    return SAFETY if reply.reading is None else None


def _unclear_summary(reply: Answered) -> str | None:
    return None if SummaryReading.model_validate(reply.reading).one_liner else SUMMARY


def _unclear_synthesis(reply: Answered) -> str | None:
    return None if SynthesisReading.model_validate(reply.reading).executive_summary else SYNTHESIS


BESIDE: Mapping[str, Callable[[Answered], str | None]] = {
    "safety": _unclear_judgement,
    "summary": _unclear_summary,
    "synthesis": _unclear_synthesis,
}
"""The rules for those who are asked beside the debaters, by stage."""
