"""What is asked of each participant: the question as it was asked, which says how a reply ends."""

from protocols.endings import AGAIN, unanswered
from protocols.exchange import Message, ModelCall, ReadAs
from protocols.further_calls import Unclear
from protocols.majority.model import STAGE, MajorityInput
from protocols.panel import Participant
from protocols.prompting import PromptPack

PACK = PromptPack(protocol="majority", version="2", templates={"answer_again": AGAIN})
"""The templates that a new run starts with."""


def answer(inp: MajorityInput, seat: Participant, *, attempt: int = 0) -> ModelCall:
    """The question to one participant; ``attempt`` counts the earlier calls of its seat."""
    return ModelCall(
        call_id=f"{STAGE}-{seat.id}" + (f"-{attempt + 1}" if attempt else ""),
        participant=seat.id,
        model=seat.model,
        stage=STAGE,
        messages=(Message(role="user", content=inp.question),),
        sampling=inp.sampling,
        patience=inp.patience,
        salt=inp.salt,
        read_as=ReadAs(reader="majority.answer", needs={"form": inp.answer.model_dump(mode="json")}),
    )


def unclear(inp: MajorityInput) -> Unclear:
    """Return the rule for a reply without a readable answer."""
    return unanswered(inp.prompts, inp.answer)
