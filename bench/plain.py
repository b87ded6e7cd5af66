"""The same council without durability: plain asyncio and httpx, the same prompts, the same endpoint.

Nothing is retried, journalled, recorded or streamed to a heartbeat; it is the floor that durability is measured from.
"""

import asyncio
from types import TracebackType
from typing import Any, Self

import httpx

from protocols.anonymity import assign_labels
from protocols.council import prompts, results, rules
from protocols.council.model import CouncilInput, CouncilRecord
from protocols.council.replies import ballot, opinion
from protocols.model_call import Answered, ModelCall
from protocols.panel import CHAIR, Panel, Participant, name_of

MODELS = tuple(
    f"rehearsal:{name}"
    for name in ("anthropic/claude-opus-4.6", "google/gemini-3-flash-preview", "x-ai/grok-4.1-fast", "zai-glm-4.7")
)
QUESTION = "Which is the better first language for a scientist, and why?"
_NONCE = "0123456789"


def council_input() -> CouncilInput:
    """Return the council that both sides run."""
    return CouncilInput(question=QUESTION, title="bench", panel=Panel.of(MODELS, MODELS[0]), prompts=prompts.PACK)


class PlainCouncil:
    """Holds councils one after the other, or several at once, over one client per model."""

    def __init__(self, base_url: str) -> None:
        self._url = f"{base_url}/openrouter/api/v1/chat/completions"
        self._inp = council_input()
        self._clients = {p.model: httpx.AsyncClient(timeout=httpx.Timeout(None)) for p in self._inp.panel.participants}

    async def __aenter__(self) -> Self:
        """Return the runner unchanged: the clients connect on first use."""
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.aclose()

    async def run(self) -> str:
        """Run one council and return its verdict."""
        seats = self._inp.panel.participants
        opinions = await asyncio.gather(*(self._ask(prompts.opinion(self._inp, seat, ())) for seat in seats))
        labels = assign_labels([seat.id for seat in seats], range(len(seats)))
        shown = results.shown_answers(opinions, labels, labels.names)
        reviews = await asyncio.gather(
            *(self._ask(prompts.review(self._inp, seat, shown, nonce=_NONCE)) for seat in seats)
        )
        ballots = tuple(results.cast(review, labels, labels.names) for review in reviews)
        tally = rules.tally(labels, results.authors(opinions), ballots, exclude_self_votes=False)
        record = CouncilRecord(
            opinions=tuple(opinions), labels=labels, reviews=tuple(reviews), ballots=ballots, tally=tally
        )
        chair = Participant(id=CHAIR, model=self._inp.panel.chair)
        told = prompts.reviews_for_chair(self._inp.prompts, record, nonce=_NONCE)
        answers = results.chair_answers(opinions)
        return (await self._ask(prompts.synthesis(self._inp, chair.model, answers, told, nonce=_NONCE))).text

    async def _ask(self, call: ModelCall) -> Answered:
        body: dict[str, Any] = {
            "model": name_of(call.model),
            "messages": [message.model_dump() for message in call.messages],
        }
        answer = await self._clients[call.model].post(self._url, json=body, headers={"Authorization": "Bearer plain"})
        text = answer.raise_for_status().json()["choices"][0]["message"]["content"]
        return Answered(
            call_id=call.call_id,
            participant=call.participant,
            model=call.model,
            text=text,
            reading=_read(call, text),
            provider="rehearsal",
        )


def _read(call: ModelCall, text: str) -> Any:
    if call.stage == "review":
        return ballot.read_ballot(text, call.read_as.needs).model_dump(mode="json")
    if call.stage == "opinion":
        return opinion.read_opinion(text, call.read_as.needs).model_dump(mode="json")
    return None
