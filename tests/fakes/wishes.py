"""Estimates asked for with the models that the specifications name, where a test names none."""

from typing import Any

from parley.call_plans import EstimateRequest
from parley.panel_plans import seated
from tests.fakes.seed_panel import SEED


def wish(*given: Any, **named: Any) -> EstimateRequest:
    """Return a ``EstimateRequest``; without models it has those of the panel ``seed``."""
    made = EstimateRequest(*given, **named)
    return made if made.models else seated(made, SEED)
