"""The prompt of a leg."""

from protocols.model_call import ModelCall, ReaderRef
from protocols.panel import Participant
from protocols.prompt_pack import PromptPack
from protocols.relay.model import STAGE, RelayInput

PACK = PromptPack(protocol="relay", version="1", templates={"next": "{question}\n\nSo far: {answer}"})


def leg(inp: RelayInput, seat: Participant, number: int, answer: str, tries: int) -> ModelCall:
    """Return the call of one leg, which is shown the ``answer`` before it."""
    question = PACK.fill("next", {"question": inp.question, "answer": answer}) if answer else inp.question
    reader, call_id = ReaderRef(reader="relay.leg"), f"{STAGE}-{seat.id}-{tries}"
    return inp.build_call(seat, question, reader, call_id=call_id, stage=STAGE, round=number)
