"""Consensuses to try things with: inputs, and scripts that agree when the test asks them to."""

import re
from collections.abc import Mapping
from typing import Any

from protocols.consensus.model import CURATOR, SPEAKERS, ConsensusInput
from protocols.consensus.prompts import PACK
from protocols.model_call import CallTimeouts, Failed, ModelCall
from protocols.panel import Panel
from tests.fakes.models import Script
from tests.fakes.seed_panel import SEED_CURATOR, SEED_SPEAKERS

QUESTION = "Why is the sky blue at noon and red at dusk?"
PANEL = Panel.of(SEED_SPEAKERS, SEED_CURATOR, seats=SPEAKERS, chair_seat=CURATOR)

_SHOWN = re.compile(r'<answer name="response" nonce="([a-p]+)">\n(.*?)\n</answer nonce="\1">', re.DOTALL)

Says = Mapping[str, str | Exception]
"""Call id to what is reported, or to how it fails."""


def consensus_input(**changes: Any) -> ConsensusInput:
    """A consensus of the default speakers on one question, with ``changes``."""
    given = {"question": QUESTION, "title": "sky", "panel": PANEL, "prompts": PACK}
    return ConsensusInput.model_validate({"patience": CallTimeouts(total=None, attempts=2), **given, **changes})


def shown_draft(call: ModelCall) -> str | None:
    """The draft that a call shows, or ``None`` when it asks the bare question."""
    found = _SHOWN.search(call.messages[-1].content)
    return found[2] if found else None


def converging(rounds: int, *, otherwise: Says | None = None) -> Script:
    """Everyone corrects in every turn; in the check of round ``rounds`` all accept. The curator polishes.

    ``otherwise`` are replies to single calls that differ.
    """

    def script(call: ModelCall) -> str | Exception | Failed:
        if otherwise and call.call_id in otherwise:
            return otherwise[call.call_id]
        if call.stage == "consensus_check":
            return "ACCEPT" if call.round >= rounds else f"A correction of round {call.round} by {call.participant}."
        if call.stage == "curator":
            return f"{shown_draft(call)} Polished."
        return f"Draft of round {call.round} by {call.participant}."

    return script


def accepting(call: ModelCall) -> str | Exception | Failed:
    """The generator answers, and everyone accepts that answer at once."""
    if shown_draft(call) is None:
        return "The first draft."
    return f"{shown_draft(call)} Polished." if call.stage == "curator" else "ACCEPT"
