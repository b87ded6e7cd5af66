"""Queries that only a debate has, under their wire names."""

from typing import Literal, cast

from parley.workflow_rpc import Query
from protocols.debate.model.io import Waiting
from protocols.debate.model.state import DebateState

Decision = Literal["accept", "continue", "reject"]
"""Possible decisions after a failed objection round."""

CLAIMS = Query("claims", DebateState)
WAITING = Query("waiting", cast("type[Waiting | None]", Waiting | None))
"""A union is no class, and the SDK's converter reads it all the same."""
