"""The prompts of a consensus (seed 004, "Stage Execution", "Consensus Check") and their calls.

There are no prompts per stage: after the first answer all get the same evaluation prompt, because prompts that
ask to refine or to validate never end.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from protocols.consensus.model import CURATOR, ConsensusInput, Stage
from protocols.final_answer_prompt import where_asked
from protocols.model_call import ModelCall, ModelId, ParticipantId, ReaderRef
from protocols.panel import Participant, name_of
from protocols.prompt_pack import fence, load_pack, nonce_of, numbered

EVALUATE_AGAIN = "Reply with exactly ACCEPT, or with the complete corrected text and nothing else."
"""Said once to a model whose reply is neither."""

POLISH_AGAIN = "Reply with the complete polished response and nothing else."
"""Said once to a curator that sends something else."""

PACK = load_pack(__package__)
"""The templates that a new run starts with; ``evaluate`` ends with the prompt of seed 004, "Consensus Check"."""

_FAMILIES: tuple[tuple[tuple[tuple[str, ...], ...], int], ...] = (
    ((("claude", "sonnet"),), 16_384),
    ((("gpt-4",), ("o1",)), 16_384),
    ((("gemini",),), 8_192),
    ((("mistral",), ("deepseek",)), 8_192),
)
"""Alternatives of words that must all be in a model's name, and its limit; the first row that fits counts."""

_UNKNOWN_FAMILY = 8_192


def tokens_allowed(model: ModelId) -> int:
    """Return the answer limit in tokens by model family (seed 004, "Token Limit Configuration")."""
    name = name_of(model).lower()
    fits = (limit for words, limit in _FAMILIES if any(all(word in name for word in some) for some in words))
    return next(fits, _UNKNOWN_FAMILY)


class CallContext(NamedTuple):
    """The context of a call; ``attempt`` counts the earlier calls for it, to another model in the seat."""

    stage: Stage
    round: int
    attempt: int = 0

    def call_id(self, seat: ParticipantId) -> str:
        """Return ``r07-validator``, ``r07-check-validator`` or ``curator``; a further call has its number appended."""
        name = f"check-{seat}" if self.stage == "consensus_check" else self.stage
        return numbered(name if seat == CURATOR else f"r{self.round:02}-{name}", self.attempt)


def answer(inp: ConsensusInput, seat: Participant, on: CallContext) -> ModelCall:
    """Build the call for the first draft, with the question alone."""
    return _call(inp, seat, on, inp.question, ReaderRef(reader="consensus.draft"))


def evaluate(
    inp: ConsensusInput, seat: Participant, on: CallContext, draft: str, *, secret: str, corrections: Sequence[str] = ()
) -> ModelCall:
    """Build the call with the unified prompt over the question and ``draft``, without earlier turns.

    ``corrections`` are those written in the last check, where the run carries them on.
    """
    nonce = nonce_of(secret, on.call_id(seat.id))
    slots = {
        "question": inp.question,
        "nonce": nonce,
        "draft": fence(draft, "response", nonce),
        "corrections": _proposed(inp, corrections, nonce),
        "last_line": where_asked(inp.prompts, "last_line", inp.answer),
    }
    reader = ReaderRef(reader="consensus.evaluation", needs={"nonce": nonce})
    return _call(inp, seat, on, inp.prompts.fill("evaluate", slots), reader)


def curate(inp: ConsensusInput, seat: Participant, on: CallContext, draft: str, *, secret: str) -> ModelCall:
    """Build the curator's call with the accepted draft (seed 004, "Final Stage - Curator")."""
    nonce = nonce_of(secret, on.call_id(seat.id))
    slots = {
        "question": inp.question,
        "nonce": nonce,
        "draft": fence(draft, "response", nonce),
        "kept_line": where_asked(inp.prompts, "kept_line", inp.answer),
    }
    form: dict[str, JsonValue] = {} if inp.answer is None else {"form": inp.answer.model_dump(mode="json")}
    reader = ReaderRef(reader="consensus.curation", needs={"nonce": nonce, **form})
    return _call(inp, seat, on, inp.prompts.fill("curate", slots), reader)


def _proposed(inp: ConsensusInput, corrections: Sequence[str], nonce: str) -> str:
    if not corrections:
        return ""
    fenced = "\n\n".join(fence(text, f"correction {n}", nonce) for n, text in enumerate(corrections, start=1))
    return inp.prompts.fill("corrections", {"corrections": fenced})


def _call(inp: ConsensusInput, seat: Participant, on: CallContext, text: str, read_as: ReaderRef) -> ModelCall:
    given = inp.sampling_of(seat)
    sampling = given.model_copy(update={"max_tokens": given.max_tokens or tokens_allowed(seat.model)})
    place = {"call_id": on.call_id(seat.id), "stage": on.stage, "round": on.round}
    return inp.build_call(seat, text, read_as, sampling=sampling, **place)
