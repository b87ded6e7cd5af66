r"""The baselines of equal cost from Python: what a deliberation is to be compared with at the same number of calls.

    result = await parley.self_consistency("What is 17 * 23?", model="openai/gpt-5.2", samples=5, answer="number")
    result = await parley.majority("Which one?\nA) …\nB) …", models=["a", "b", "c"], answer="choice:A,B")
    result = await parley.mixture("Why is the sky blue?", models=["a", "b", "c"], aggregator="a", layers=2)

Answers are compared by their final answer, whose form is ``answer``; see ``answer_options.answer_form``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Unpack

from parley.deliberations import Deliberation
from parley.options.equal_cost import MajorityKeywords, MixtureKeywords, SelfConsistencyKeywords
from parley.specs.majority import MAJORITY
from parley.specs.mixture import MIXTURE
from parley.specs.protocol_spec import Asked, ProtocolSpec
from parley.specs.self_consistency import SELF_CONSISTENCY
from parley.start import Result
from protocols.majority.model import MajorityResult
from protocols.mixture.model import MixtureResult
from protocols.self_consistency.model import SelfConsistencyResult


class EqualCost(ABC):
    """Starts the baselines of equal cost, each as a deliberation of its own."""

    async def self_consistency(
        self, question: str, **options: Unpack[SelfConsistencyKeywords]
    ) -> SelfConsistencyResult:
        """Ask one model several times and wait for the most frequent answer; see ``SelfConsistencyOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no verdict.
        """
        return await (await self.start_self_consistency(question, **options)).result()

    async def start_self_consistency(
        self, question: str, **options: Unpack[SelfConsistencyKeywords]
    ) -> Deliberation[SelfConsistencyResult]:
        """Start sampling, or attach to the run under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        return await self._start(SELF_CONSISTENCY, {"question": question}, options)

    async def majority(self, question: str, **options: Unpack[MajorityKeywords]) -> MajorityResult:
        """Have each model of a panel answer alone, once, and wait for the plurality; see ``MajorityOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no verdict.
        """
        return await (await self.start_majority(question, **options)).result()

    async def start_majority(self, question: str, **options: Unpack[MajorityKeywords]) -> Deliberation[MajorityResult]:
        """Start a vote, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        return await self._start(MAJORITY, {"question": question}, options)

    async def mixture(self, question: str, **options: Unpack[MixtureKeywords]) -> MixtureResult:
        """Hold a mixture of agents on ``question`` and wait for the aggregator's answer; see ``MixtureOptions``.

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
