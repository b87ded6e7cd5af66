"""How the last line of a reply is asked for, from which ``protocols.answers`` reads, and asked for once more."""

from collections.abc import Mapping

from protocols.answers import AnswerForm, AnswerRead
from protocols.exchange import Answered
from protocols.further_calls import Unclear
from protocols.prompting import PromptPack

_SHORT = (
    "Think it through. Then end with one line that holds the answer alone, as short as it can be, in this form and with"
    " nothing after it:\n\nFINAL ANSWER: the answer"
)

ENDINGS: Mapping[str, str] = {
    "final_choice": (
        "Think it through. Then end with one line that holds your choice, exactly one of {{choices}}, in this form and"
        " with nothing after it:\n\nFINAL ANSWER: your choice"
    ),
    "final_number": (
        "Think it through. Then end with one line that holds the number alone, without a unit, in this form and with"
        " nothing after it:\n\nFINAL ANSWER: the number"
    ),
    "final_exact": _SHORT,
    "final_contains": _SHORT,
    "final_yes_no": (
        "Think it through. Then end with one line that says yes or no, in this form and with nothing after it:"
        "\n\nFINAL ANSWER: yes or no"
    ),
    "final_free": (
        "Think it through. Then end with your answer in one or two sentences, in this form and with nothing after it:"
        "\n\nFINAL ANSWER: your answer"
    ),
}
"""Templates that a room's prompt pack takes over: how the last line is asked for, by kind."""


def ending(pack: PromptPack, form: AnswerForm) -> str:
    """How ``pack`` asks for the last line of an answer in ``form``."""
    return pack.fill(f"final_{form.kind}", {"choices": ", ".join(form.choices)})


_WANTED: Mapping[str, str] = {
    "choice": "exactly one of {}",
    "number": "the number alone",
    "yes_no": "yes or no",
}


def unanswered(form: AnswerForm) -> Unclear:
    """Return the rule that asks for the last line once more when no answer in ``form`` can be read."""
    wanted = _WANTED.get(form.kind, "the answer, as short as it can be").format(", ".join(form.choices))
    sentence = f"No final answer can be read. Reply with this one line and nothing else: FINAL ANSWER: {wanted}"

    def unclear(reply: Answered) -> str | None:
        return sentence if AnswerRead.model_validate(reply.reading).answer is None else None

    return unclear
