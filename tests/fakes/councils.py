"""Councils to try things with: inputs, and scripts that answer sensibly."""

import re
from typing import Any

from protocols.council.model import CouncilInput
from protocols.council.prompts import PACK
from protocols.model_call import CallTimeouts, Failed, ModelCall
from protocols.panel import Panel
from tests.fakes.seed_panel import SEED_CHAIR, SEED_COUNCIL

QUESTION = "Why is the sky blue at noon and red at dusk?"

_SHOWN = re.compile(r'<answer name="(Response [A-Z])" nonce="[0-9a-f]+">\n(.*?)\n</answer', re.DOTALL)
_HEADER = re.compile(r"^FINAL RANKING.*:$", re.MULTILINE)


def council_input(**changes: Any) -> CouncilInput:
    """The seed's council on one question, with ``changes``."""
    panel = changes.pop("panel", None) or Panel.of(SEED_COUNCIL, SEED_CHAIR)
    given = {
        "question": QUESTION,
        "title": "sky",
        "panel": panel,
        "prompts": PACK,
        "patience": CallTimeouts(attempts=3),
    }
    return CouncilInput.model_validate({**given, **changes})


def agreeable(call: ModelCall) -> str | Exception | Failed:
    """Every participant answers; every reviewer ranks p1's answer first, then p2's, and so on; the chair concludes."""
    if call.stage == "opinion":
        return f"The answer of {call.participant}."
    if call.stage == "review":
        return f"All fine.\n\n{ranking(call)}"
    return "The council concludes."


def ranking(call: ModelCall) -> str:
    """A ranking in the form the prompt asks for, by the number of the author."""
    prompt = call.messages[-1].content
    header = _HEADER.findall(prompt)[-1]
    by_author = sorted(_SHOWN.findall(prompt), key=lambda shown: shown[1])
    return "\n".join([header, *(f"{n}. {label}" for n, (label, _) in enumerate(by_author, start=1))])


def shown_answers(call: ModelCall) -> dict[str, str]:
    """Label to answer, in the order in which a reviewer's prompt shows them."""
    return dict(_SHOWN.findall(call.messages[-1].content))
