"""The results of all protocols as one type: what a deliberation that was found by its id may come to.

They are told apart by ``protocol``, which every result has.
"""

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from protocols.consensus.model import ConsensusResult
from protocols.council.model import CouncilResult
from protocols.debate.model.io import DebateResult
from protocols.fire_circle.modes import EvaluateResult, FireCircleResult
from protocols.mixture.model import MixtureResult
from protocols.vote.model import VoteResult

AnyResult = (
    CouncilResult | ConsensusResult | FireCircleResult | EvaluateResult | DebateResult | VoteResult | MixtureResult
)
"""What came out of a deliberation, whatever its protocol."""

ON_THE_WIRE: Any = Annotated[AnyResult, Field(discriminator="protocol")]
"""``AnyResult`` as the SDK's converter reads it."""

RESULT: TypeAdapter[AnyResult] = TypeAdapter(ON_THE_WIRE)
"""``AnyResult`` read from JSON; raises pydantic's ``ValidationError``."""
