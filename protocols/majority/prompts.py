"""What is asked of each participant: the question, and that the reply ends with its answer."""

from protocols.endings import ENDINGS, ending
from protocols.exchange import Message, ModelCall, ReadAs
from protocols.majority.model import STAGE, MajorityInput
from protocols.panel import Participant
from protocols.prompting import PromptPack

_ANSWER = """\
{{question}}

{{ending}}
"""

PACK = PromptPack(protocol="majority", version="1", templates={"answer": _ANSWER, **ENDINGS})
"""The templates that a new run starts with."""


def answer(inp: MajorityInput, seat: Participant, *, attempt: int = 0) -> ModelCall:
    """The question to one participant; ``attempt`` counts the earlier calls of its seat."""
    return ModelCall(
        call_id=f"{STAGE}-{seat.id}" + (f"-{attempt + 1}" if attempt else ""),
        participant=seat.id,
        model=seat.model,
        stage=STAGE,
        messages=(Message(role="user", content=_asked(inp)),),
        sampling=inp.sampling,
        patience=inp.patience,
        salt=inp.salt,
        read_as=ReadAs(reader="majority.answer", needs={"form": inp.answer_form.model_dump(mode="json")}),
    )


def _asked(inp: MajorityInput) -> str:
    asked = {"question": inp.question, "ending": ending(inp.prompts, inp.answer_form)}
    return inp.prompts.fill("answer", asked)
