"""A ledger with a small study: answers with prompts, a lost call, scores, a pair, and what did not run."""

import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from activities.ledger import LedgerActivities, LostEntry
from activities.studies import StudyActivities
from ledger.call_rows import CallContext
from ledger.identity import identity_of, request_of
from ledger.journal import Journal
from ledger.store import Store, packed
from ledger.studies.exports import ExportReader
from ledger.studies.scores import Score, write_scores
from ledger.studies.writing import enter
from protocols.model_call import Answered, Failed, ModelCall, Spending
from protocols.study.model import MissingInstance
from tests.fakes.calls import model_call
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result
from tests.fakes.entered import Whole, entered, line_of
from tests.fakes.payments import Payments, answer, failing, failure

SECRET = "sk-canary-123456"
SEATS = ({"seat": "p1", "name": "sceptic", "model": "lab:one", "settings": {}},)
LABEL = {"read": "choice", "choices": ["A", "B"]}


class Exported(NamedTuple):
    """The study as it was entered, and where its ledger is."""

    whole: Whole
    url: str


def asked(text: str, **changes: Any) -> ModelCall:
    """A call with two messages and a parameter."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    return model_call(messages=messages, sampling={"temperature": 0.5, "seed": 9}, **changes)


async def paid(store: Store, deliberation: str, call: ModelCall, reply: Answered) -> None:
    """Write an answered call as a worker does."""
    occasion = CallContext(protocol="council", stage=call.stage, round=call.round, request=packed(request_of(call)))
    await Journal(store).once(identity_of(deliberation, call), Payments(reply, quick=True), occasion)


async def lost(store: Store, deliberation: str, call: ModelCall) -> LostEntry:
    """Let a call fail as a worker does, and return what its deliberation writes of it."""
    occasion = CallContext(protocol="council", stage=call.stage, request=packed(request_of(call)))
    with pytest.raises(ConnectionError):
        await Journal(store).once(identity_of(deliberation, call), failing(ConnectionError()), occasion)
    reply = Failed.model_validate({**failure().model_dump(), "call_id": call.call_id})
    return LostEntry(identity=identity_of(deliberation, call), stage=call.stage, reply=reply)


def score(number: int, scorer: str, **changes: Any) -> Score:
    """A score of the deliberation of that number."""
    told: dict[str, Any] = {"outcome": "scored", "kind": "regex", "fingerprint": "ab" * 32, "version": "0.1.0"}
    return Score(scorer=scorer, deliberation_id=entered().instances[number].deliberation_id, **{**told, **changes})


@pytest.fixture
async def study(store: Store, url: str) -> Exported:
    """Of six deliberations two answered right and wrong, one failed, one is missing, two are open."""
    whole = entered(label=LABEL)
    await enter(store, *whole.parts)
    right, council, wrong, failed = (whole.instances[number] for number in (0, 1, 2, 3))
    reply = answer("FINAL ANSWER: B").model_copy(update={"asked_with_schema": True, "reasoning": "Hm."})
    await paid(store, right.deliberation_id, asked("Why 0?", schema_instruction="Answer as JSON."), reply)
    gone = await lost(store, right.deliberation_id, asked("And why?", call_id="review-p1", stage="review"))
    write = LedgerActivities(store, "0.1.0-gabc").record_deliberation
    result = json.loads(council_result().model_dump_json())
    result |= {"answer": "B", "budget": {"usd": 0.5, "used_usd": 0.1}, "attachments": []}
    known = {"seats": SEATS, "sampling": {"temperature": 0.5, "seed": 9}, "result": result, "lost": (gone,)}
    await write(line_of(right, **known))
    await write(line_of(wrong, verdict="FINAL ANSWER: A", spent=Spending(calls=1, calls_of_unknown_cost=1)))
    failures = {"failed": [{"participant": "p1", "message": "the account is empty"}]}
    await write(line_of(failed, verdict=None, stop_reason="quorum_lost", partial=True, result=failures))
    told = {"error_type": "workflow.terminated", "message": "terminated by hand"}
    missing = MissingInstance(study="toy", number=1, deliberation_id=council.deliberation_id, **told)
    await StudyActivities(store).record_missing_instance(missing)
    pair = {"as_first": "first", "as_second": "first", "length": 15, "other_length": 20, "graded_by": ["g/1", "g/2"]}
    other = whole.instances[3].deliberation_id
    scores = [
        score(0, "words", value=0.25, label="b"),
        score(0, "strict", value=1.0, correct=True, label="B", details={"expected": "B"}),
        score(2, "strict", value=0.0, correct=False, label="A", details={"expected": "B"}),
        score(3, "strict", outcome="unanswered", correct=False, reason="there is no verdict"),
        score(2, "judge", kind="pairwise", other_id=other, value=0.5, details=pair),
    ]
    await write_scores(store, "toy", scores)
    await write(line_of(right, id="council-alone", batch_id=None, result=json.loads(debate_result().model_dump_json())))
    return Exported(whole, url)


@pytest.fixture
async def reader(study: Exported) -> AsyncIterator[ExportReader]:
    """The ledger as an export reads it."""
    async with ExportReader(study.url) as opened:
        yield opened
