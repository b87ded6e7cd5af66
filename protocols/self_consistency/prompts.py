"""What is asked of the one model: the question as it was asked, which says how a reply ends."""

from protocols.endings import AGAIN, unanswered
from protocols.exchange import Message, ModelCall, ReadAs, Sampling
from protocols.further_calls import Unclear, always_clear
from protocols.panel import Participant
from protocols.prompting import PromptPack
from protocols.self_consistency.model import DEFAULT_TEMPERATURE, STAGE, SelfConsistencyInput

PACK = PromptPack(protocol="self_consistency", version="2", templates={"answer_again": AGAIN})
"""The templates that a new run starts with."""


def sample(inp: SelfConsistencyInput, seat: Participant) -> ModelCall:
    """The question to the model, for one sample; the same words every time."""
    return ModelCall(
        call_id=f"{STAGE}-{seat.id}",
        participant=seat.id,
        model=seat.model,
        stage=STAGE,
        messages=(Message(role="user", content=inp.question),),
        sampling=_sampling(inp),
        patience=inp.patience,
        salt=inp.salt,
        read_as=ReadAs(reader="self_consistency.answer", needs={"form": inp.answer.model_dump(mode="json")}),
    )


def unclear(inp: SelfConsistencyInput) -> Unclear:
    """Return the rule for a sample without a readable answer; a question that was asked as it is has none."""
    return unanswered(inp.prompts, inp.answer) if inp.asks_for_answer else always_clear


def _sampling(inp: SelfConsistencyInput) -> Sampling:
    """Return a sampling in which samples can differ: with a temperature where none is set."""
    given = inp.sampling
    temperature = DEFAULT_TEMPERATURE if given.temperature is None and inp.samples > 1 else given.temperature
    return given.model_copy(update={"temperature": temperature})
