"""Debates with scripted debaters: what is asked, and turns as models would write them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from protocols.debate.aliases import open_aliases
from protocols.debate.model.history import DebateHistory
from protocols.debate.model.io import DebateInput, panel_of
from protocols.debate.model.turn import Violation
from protocols.debate.modes import PACK
from protocols.debate.prompts.call_context import DebateView
from protocols.debate.prompts.clarifications import citation_request
from protocols.debate.rules.round_steps import start_debate
from protocols.further_calls import further
from protocols.model_call import CallTimeouts, Failed, ModelCall
from tests.fakes.models import Script, answered

TOPIC = "Should a city of 200,000 close its centre to cars?"


def debate_of(mode: str = "collaborative", debaters: int = 3, **changes: Any) -> DebateInput:
    """A debate of so many debaters, all of them real by name."""
    models = tuple(f"lab/model-{number}" for number in range(1, debaters + 1))
    panel = panel_of(models, "lab/writer", evaluator="lab/guard", summariser="lab/clerk", fallbacks=("lab/model-1",))
    whole = {
        "question": TOPIC,
        "title": "Cars",
        "mode": mode,
        "panel": panel,
        "prompts": PACK,
        "patience": CallTimeouts(attempts=1, heartbeat=5),
    }
    return DebateInput.model_validate(whole | changes)


def said(**fields: Any) -> str:
    """A turn as a model writes it: sound in every way, and for the proposal, unless ``fields`` say otherwise."""
    whole = {
        "position": "Close the centre to cars in steps.",
        "reasoning": "Traffic fell in comparable cities.[FACT][1]\n\nReferences:\n[1] Lund, A. (2021). City Traffic.",
        "confidence": 0.8,
        "vote": "ACCEPT",
        "claims": [{"text": "Traffic fell in comparable cities", "label": "FACT", "citations": [1]}],
        "references": [{"number": 1, "text": "Lund, A. (2021). City Traffic."}],
        "key_points": ["Close it in steps."],
        "steelman": "Shops depend on customers who drive.",
        "concerns": ["Deliveries need a window."],
        "alternatives": [
            {"text": "A toll", "rejected_because": "it divides by income"},
            {"text": "One car-free day", "rejected_because": "it changes no habit"},
        ],
        "risks": [
            {"text": "Detours", "mitigation": "calmed side streets"},
            {"text": "Lost trade", "mitigation": "a count every month"},
            {"text": "Late deliveries", "mitigation": "windows in the morning"},
        ],
        "uncertainty": "Whether shops lose trade.",
    }
    return json.dumps(whole | fields)


CLOSING = json.dumps(
    {
        "executive_summary": "Close the centre in steps.",
        "key_evidence": [{"id": "E1", "text": "Traffic fell elsewhere."}],
        "final_positions": [{"agent": "p1", "position": "For it."}],
        "dissent": ["None."],
    }
)
DECIDED = json.dumps(
    {
        "decision": "Close the centre to cars in steps.",
        "reasons": ["C1: traffic fell elsewhere, and nothing stands against it."],
        "confidence": 0.7,
        "would_change": ["A count that shows the opposite."],
    }
)
CLEAN = json.dumps({"clean": True, "withhold": [], "reason": "Nothing to object to."})


def arguing(changes: Mapping[str, str | Exception | dict[str, Any]] | None = None, **fields: Any) -> Script:
    """Debaters with the turn of ``said(**fields)``, but for the calls in ``changes``, by their ids."""
    special = changes or {}

    def script(call: ModelCall) -> str | Exception | Failed:
        told = special.get(call.call_id)
        if isinstance(told, dict):
            return said(**told)
        if told is not None:
            return told
        others = {
            "debate.safety": CLEAN,
            "debate.synthesis": CLOSING,
            "debate.decision": DECIDED,
            "debate.summary": "They moved closer.",
        }
        return others.get(call.read_as.reader) or said(**fields)

    return script


def table_of(inp: DebateInput, course: DebateHistory | None = None) -> DebateView:
    """The state of ``inp``, by default before the first turn."""
    return DebateView(inp, course or start_debate(inp), open_aliases(inp.panel), "secret")


def rehearsed_debate(mode: str, *manners: str, **changes: Any) -> DebateInput:
    """A debate of scripted models, one for each of ``manners`` (``debate-converges`` …)."""
    names = (f"rehearsal:lab/model-{number}+{manner}" for number, manner in enumerate(manners, start=1))
    models = tuple(name.removesuffix("+") for name in names)
    panel = panel_of(models, "rehearsal:lab/writer", evaluator="rehearsal:lab/guard", summariser="rehearsal:lab/clerk")
    return debate_of(mode, **{"panel": panel, "patience": CallTimeouts(attempts=1, heartbeat=2), **changes})


def asked_again(call: ModelCall, inp: DebateInput, before: str, violations: Sequence[Violation]) -> ModelCall:
    """The further call after a turn that broke its citations in these ways."""
    asked = further(call, answered(call, before), lambda _: citation_request(inp, violations))
    assert asked is not None
    return asked.call
