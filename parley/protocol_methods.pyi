from collections.abc import Mapping, Sequence
from typing import TypeAlias, Unpack

from parley.deliberations import Deliberation
from parley.options.consensus import ConsensusKeywords
from parley.options.council import CouncilKeywords
from parley.options.debate import DebateKeywords
from parley.options.equal_cost import MixtureKeywords, VoteKeywords
from parley.options.fire_circle import FireCircleBaselineKeywords, FireCircleKeywords, Judged
from protocols.consensus.model import ConsensusResult
from protocols.council.model import CouncilResult
from protocols.debate.model.io import DebateResult
from protocols.fire_circle.io import FireCircleBaselineResult, FireCircleResult
from protocols.fire_circle.model import SessionMemory
from protocols.mixture.model import MixtureResult
from protocols.vote.model import VoteResult

Question: TypeAlias = str | Sequence[str | Mapping[str, str]]

class ProtocolMethods:
    async def council(self, question: Question, **options: Unpack[CouncilKeywords]) -> CouncilResult: ...
    async def start_council(
        self, question: Question, **options: Unpack[CouncilKeywords]
    ) -> Deliberation[CouncilResult]: ...
    async def consensus(self, question: Question, **options: Unpack[ConsensusKeywords]) -> ConsensusResult: ...
    async def start_consensus(
        self, question: Question, **options: Unpack[ConsensusKeywords]
    ) -> Deliberation[ConsensusResult]: ...
    async def debate(self, topic: Question, **options: Unpack[DebateKeywords]) -> DebateResult: ...
    async def start_debate(self, topic: Question, **options: Unpack[DebateKeywords]) -> Deliberation[DebateResult]: ...
    async def fire_circle(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleKeywords]
    ) -> FireCircleResult: ...
    async def start_fire_circle(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleKeywords]
    ) -> Deliberation[FireCircleResult]: ...
    async def fire_circle_baseline(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleBaselineKeywords]
    ) -> FireCircleBaselineResult: ...
    async def start_fire_circle_baseline(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleBaselineKeywords]
    ) -> Deliberation[FireCircleBaselineResult]: ...
    async def vote(self, question: Question, **options: Unpack[VoteKeywords]) -> VoteResult: ...
    async def start_vote(self, question: Question, **options: Unpack[VoteKeywords]) -> Deliberation[VoteResult]: ...
    async def mixture(self, question: Question, **options: Unpack[MixtureKeywords]) -> MixtureResult: ...
    async def start_mixture(
        self, question: Question, **options: Unpack[MixtureKeywords]
    ) -> Deliberation[MixtureResult]: ...
