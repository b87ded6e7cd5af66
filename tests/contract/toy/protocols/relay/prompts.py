"""The prompt of a leg."""

from protocols.model_call import Message, ModelCall, ReaderRef
from protocols.panel import Participant
from protocols.prompt_pack import PromptPack
from protocols.relay.model import STAGE, RelayInput

PACK = PromptPack(protocol="relay", version="1", templates={"next": "{question}\n\nSo far: {answer}"})


def leg(inp: RelayInput, seat: Participant, number: int, answer: str, tries: int) -> ModelCall:
    """Return the call of one leg, which is shown the ``answer`` before it."""
    question = PACK.fill("next", {"question": inp.question, "answer": answer}) if answer else inp.question
    return ModelCall(
        call_id=f"{STAGE}-{seat.id}-{tries}",
        participant=seat.id,
        model=seat.model,
        stage=STAGE,
        round=number,
        messages=(Message(role="user", content=question),),
        sampling=inp.sampling,
        patience=inp.patience,
        salt=inp.salt,
        read_as=ReaderRef(reader="relay.leg"),
    )
