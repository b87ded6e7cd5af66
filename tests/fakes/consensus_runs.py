"""Consensuses as the ledger sees them: every call goes through a real journal, no model is asked."""

from collections.abc import Sequence
from typing import Any

from ledger.call_rows import CallContext
from ledger.identity import CallIdentity
from ledger.journal import Journal
from ledger.store import Store
from protocols.model_call import Answered, Failed
from tests.fakes.payments import Payments, answer, failure

MODELS = {
    "generator": "openrouter:openai/gpt-4",
    "refiner": "openrouter:anthropic/claude-opus-4.6",
    "validator": "cerebras:gpt-oss-120b",
    "curator": "openrouter:openai/gpt-4",
}
"""Who speaks as whom."""

ACCEPTED = {"accepted": True, "draft": None, "found_as": "word"}
CORRECTED = {"accepted": False, "draft": "Better.", "found_as": "correction"}
OBJECTED = {"accepted": False, "draft": None, "found_as": "objection"}
DOUBTFUL = {"accepted": False, "draft": None, "found_as": "doubtful"}
_READINGS = {"NO": ACCEPTED, "YES": CORRECTED}


def occasion(stage: str, round_number: int = 1, **changes: Any) -> CallContext:
    """A call of a consensus."""
    whole = {"protocol": "consensus", "run_id": "run-1", "stage": stage, "round": round_number}
    return CallContext.model_validate(whole | changes)


def call_of(
    participant: str, stage: str, round_number: int = 1, *, consensus_id: str = "consensus-why"
) -> CallIdentity:
    """The identity of one call of a consensus."""
    call_id = f"r{round_number:02}-{stage.replace('_', '-')}-{participant}"
    return CallIdentity(workflow_id=consensus_id, call_id=call_id, salt="", fingerprint="f0")


def said(participant: str = "generator", reading: Any = None, *, rehearsal: bool = False, **changes: Any) -> Answered:
    """An answer of 17 tokens by the model that speaks as ``participant``."""
    model = MODELS[participant]
    asked = f"rehearsal:{model.partition(':')[2]}" if rehearsal else model
    told = {"participant": participant, "model": asked, "provider": asked.partition(":")[0]}
    return answer().model_copy(update={**told, "reading": reading, "rehearsal": rehearsal, **changes})


def lost(participant: str = "generator", **changes: Any) -> Failed:
    """A call that ``participant`` lost."""
    return failure().model_copy(update={"participant": participant, "model": MODELS[participant], **changes})


async def settled(
    store: Store, identity: CallIdentity, reply: Answered | Failed, said_when: CallContext
) -> Answered | Failed:
    """Have the journal keep ``reply``, as if it had just been paid for."""
    return await Journal(store).once(identity, Payments(reply, quick=True), said_when)


async def held(
    store: Store, consensus_id: str, votes: Sequence[tuple[str, str, str]], *, rehearsal: bool = False
) -> None:
    """A whole consensus: a round per entry of ``votes`` (NO accepts), and the curator when the last is all NO."""
    for number, opinions in enumerate(votes, start=1):
        for speaker in ("generator", "refiner", "validator"):
            turn = call_of(speaker, speaker, number, consensus_id=consensus_id)
            await settled(store, turn, said(speaker, rehearsal=rehearsal), occasion(speaker, number))
        for speaker, opinion in zip(("generator", "refiner", "validator"), opinions, strict=True):
            check = call_of(speaker, "consensus_check", number, consensus_id=consensus_id)
            reply = said(speaker, _READINGS[opinion], rehearsal=rehearsal)
            await settled(store, check, reply, occasion("consensus_check", number))
    if set(votes[-1]) == {"NO"}:
        last = call_of("curator", "curator", len(votes), consensus_id=consensus_id)
        await settled(store, last, said("curator", rehearsal=rehearsal), occasion("curator", len(votes)))
