"""The prompt of a vote: the question, with the form of its final answer."""

from protocols.final_answer_prompt import AGAIN, unanswered
from protocols.further_calls import Unclear, always_clear
from protocols.model_call import ModelCall, ReaderRef, Sampling
from protocols.panel import Participant
from protocols.prompt_pack import PromptPack, numbered
from protocols.vote.model import DEFAULT_TEMPERATURE, STAGE, VoteInput

PACK = PromptPack(protocol="vote", version="1", templates={"answer_again": AGAIN})
"""The templates that a new run starts with."""


def answer(inp: VoteInput, seat: Participant, *, attempt: int = 0) -> ModelCall:
    """Return the call to one seat; ``attempt`` counts the earlier calls of that seat."""
    call_id = numbered(f"{STAGE}-{seat.id}", attempt)
    reader = ReaderRef(reader="vote.answer", needs={"form": inp.answer.model_dump(mode="json")})
    return inp.build_call(seat, inp.question, reader, call_id=call_id, stage=STAGE, sampling=_sampling(inp, seat))


def unclear(inp: VoteInput) -> Unclear:
    """Return the rule for a reply without a readable answer; a vote that reads no answer has none."""
    return unanswered(inp.prompts, inp.answer) if inp.requests_answer else always_clear


def _sampling(inp: VoteInput, seat: Participant) -> Sampling:
    """Return sampling parameters that allow samples to differ: a temperature if none is set."""
    given = inp.sampling_of(seat)
    temperature = DEFAULT_TEMPERATURE if given.temperature is None and inp.samples > 1 else given.temperature
    return given.model_copy(update={"temperature": temperature})
