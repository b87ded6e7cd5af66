r"""The baselines of equal cost from Python: what a deliberation is to be compared with at the same number of calls.

    result = await parley.vote("What is 17 * 23?", models=["openai/gpt-5.2"], samples=5, answer="number")
    result = await parley.vote("Which one?\nA) …\nB) …", models=["a", "b", "c"], answer="choice:A,B")
    result = await parley.mixture("Why is the sky blue?", models=["a", "b", "c"], aggregator="a", layers=2)

Answers are compared by their final answer, whose form is ``answer``; see ``answer_options.answer_form``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Unpack

from parley.deliberations import Deliberation
from parley.options.equal_cost import MixtureKeywords, VoteKeywords
from parley.specs.mixture import MIXTURE
from parley.specs.protocol_spec import Asked, ProtocolSpec, Result
from parley.specs.vote import VOTE
from protocols.mixture.model import MixtureResult
from protocols.vote.model import VoteResult


class EqualCost(ABC):
    """Methods that start the baselines of equal cost."""

    async def vote(self, question: str, **options: Unpack[VoteKeywords]) -> VoteResult:
        """Ask models x samples independently and wait for the most frequent answer; see ``VoteOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no verdict.
        """
        return await (await self.start_vote(question, **options)).result()

    async def start_vote(self, question: str, **options: Unpack[VoteKeywords]) -> Deliberation[VoteResult]:
        """Start a vote, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        return await self._start(VOTE, {"question": question}, options)

    async def mixture(self, question: str, **options: Unpack[MixtureKeywords]) -> MixtureResult:
        """Run a mixture of agents on ``question`` and wait for the aggregator's answer; see ``MixtureOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no verdict.
        """
        return await (await self.start_mixture(question, **options)).result()

    async def start_mixture(self, question: str, **options: Unpack[MixtureKeywords]) -> Deliberation[MixtureResult]:
        """Start a mixture of agents, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        return await self._start(MIXTURE, {"question": question}, options)

    @abstractmethod
    async def _start(
        self, spec: ProtocolSpec[Any, Result, Any], asked: Asked, given: Mapping[str, Any]
    ) -> Deliberation[Result]:
        """Start a deliberation, or attach to the same one that runs already."""
