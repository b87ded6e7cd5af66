"""The one further call of a turn, after an unreadable reply or one cut by its length.

=========  ============================================  ===================================================
kind       made when                                     what is asked
=========  ============================================  ===================================================
``again``  the reader cannot read the reply, or the     the same conversation, the reply in it, and one
           model wrote no answer                         sentence with the request
``longer`` the reply was cut off by its length           the same messages, twice the length allowed
=========  ============================================  ===================================================

A turn has at most one of them. The further reply counts when it can be read; otherwise the first one counts. A reply
without an answer is a loss in the end, so that no protocol ever gets a blank text.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from protocols.model_call import Answered, Failed, FailureKind, FurtherCall, Message, ModelCall

Unclear = Callable[[Answered], str | None]
"""A protocol's rule: the sentence to send when a reply cannot be read, ``None`` when it can."""

NO_ANSWER = "Your last reply held no answer. Give the answer itself now, and nothing else."
"""Said to a model whose reply was thinking alone."""

MOST_TOKENS = 1_000_000
"""The longest answer that ``Sampling`` allows."""

MOST_REPEATED = 200_000
"""Characters of a reply that is sent back to its model; of a longer one the question alone is asked again."""

_USUAL_LIMIT = 4096
"""Tokens, where neither the request nor the count of tokens says at which length a reply was cut."""
_SUFFIX = {"again": "asked again", "longer": "asked again, twice the length"}


class Further(NamedTuple):
    """A further call that is to be made."""

    kind: Literal["again", "longer"]
    call: ModelCall
    sentence: str = ""

    @property
    def summary(self) -> str:
        """Return a few words for display."""
        return _SUFFIX[self.kind]


def always_clear(_reply: Answered) -> str | None:
    """Return ``None``: the rule of a stage whose replies are texts and need no reading."""
    return None


def further(call: ModelCall, reply: Answered | Failed, unclear: Unclear = always_clear) -> Further | None:
    """Return the further call that ``reply`` to ``call`` asks for, or ``None``."""
    if is_cut(reply):
        return _longer(call, reply)
    if isinstance(reply, Failed):
        return None
    if sentence := NO_ANSWER if is_blank(reply) else unclear(reply):
        return Further("again", _again(call, reply, sentence), sentence)
    return None


def settled(
    first: Answered | Failed, asked: Further, second: Answered | Failed, unclear: Unclear = always_clear
) -> Answered | Failed:
    """Return the valid one of two replies; an answer carries the further call."""
    if isinstance(second, Answered) and not is_blank(second):
        is_no_worse = asked.kind == "longer" and isinstance(first, Answered) and unclear(first) is not None
        if is_no_worse or unclear(second) is None or isinstance(first, Failed) or is_blank(first):
            return second.model_copy(update={"further": _made(asked, "replaced", first.text)})
        return first.model_copy(update={"further": _made(asked, "unclear", second.text)})
    if isinstance(first, Answered) and not is_blank(first):
        outcome = second.kind if isinstance(second, Failed) else "unclear"
        return first.model_copy(update={"further": _made(asked, outcome, second.text)})
    return first if isinstance(first, Failed) else second


def without_blanks(reply: Answered | Failed) -> Answered | Failed:
    """Return ``reply``, or the loss that an answer without any text amounts to."""
    if isinstance(reply, Failed) or not is_blank(reply):
        return reply
    return loss_of("unparseable", "the model thought and wrote no answer", reply.text, reply, error_type="reply.blank")


def loss_of(kind: FailureKind, why: str, text: str, paid: Answered, *, error_type: str = "") -> Failed:
    """Return the loss of the answer ``paid``, with the ``text`` that is kept of it."""
    return Failed(
        kind=kind,
        call_id=paid.call_id,
        participant=paid.participant,
        model=paid.model,
        error_type=error_type or f"reply.{kind}",
        message=f"{paid.provider}: {why}"[:500],
        attempts=paid.attempts,
        unanswered_requests=paid.unanswered_requests,
        text=text,
        usage=paid.usage,
        cost=paid.cost,
        rehearsal=paid.rehearsal,
    )


def whole_turn(reply: Answered) -> str:
    """Return the whole text of a turn: a line requested later ends the reply that lacked it."""
    made = reply.further
    if made is None or (made.kind, made.outcome) != ("again", "replaced"):
        return reply.text
    return f"{made.other}\n\n{reply.text}".strip()


def is_cut(reply: Answered | Failed) -> bool:
    """Return whether ``reply`` was cut off by its length, before or after its first word."""
    return reply.kind == "truncated" if isinstance(reply, Failed) else reply.finish == "truncated"


def is_blank(reply: Answered) -> bool:
    """Return whether ``reply`` is thinking alone."""
    return not reply.text.strip()


def _longer(call: ModelCall, reply: Answered | Failed) -> Further | None:
    limit = call.sampling.max_tokens or reply.usage.completion_tokens or _USUAL_LIMIT
    doubled = min(2 * limit, MOST_TOKENS)
    if doubled <= limit:
        return None
    sampling = call.sampling.model_copy(update={"max_tokens": doubled})
    return Further("longer", call.model_copy(update={"call_id": f"{call.call_id}-longer", "sampling": sampling}))


def _again(call: ModelCall, reply: Answered, sentence: str) -> ModelCall:
    *before, last = call.messages
    if is_blank(reply) or len(reply.text) > MOST_REPEATED:
        # Providers refuse an empty message of the assistant, and two of the user in a row.
        said: tuple[Message, ...] = (last.model_copy(update={"content": f"{last.content}\n\n{sentence}"}),)
    else:
        said = (last, Message(role="assistant", content=reply.text), Message(role="user", content=sentence))
    changes: dict[str, object] = {"call_id": f"{call.call_id}-again", "messages": (*before, *said)}
    if reply.asked_with_schema or is_blank(reply):
        # The schema may be why: some endpoints end in the middle of the object, or file it as thinking.
        changes["sampling"] = call.sampling.model_copy(update={"structured_output": False})
    return call.model_copy(update=changes)


def _made(asked: Further, outcome: str, other: str) -> FurtherCall:
    return FurtherCall.model_validate(
        {
            "kind": asked.kind,
            "call_id": asked.call.call_id,
            "sentence": asked.sentence,
            "outcome": outcome,
            "other": other,
        }
    )
