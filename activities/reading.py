"""Text is read once, here, where it enters: a table from a reader's name to the room's function.

The reading travels as JSON beside the text; the room gives it its type. A reader that breaks does not lose the text,
which was paid for: the caller keeps it and records that it could not be read.
"""

from collections.abc import Callable, Mapping, Sequence

from pydantic import BaseModel, JsonValue

from activities.providers.errors import ConfigError
from protocols.consensus.replies import reading as consensus
from protocols.council.replies import ballot as council_ballot
from protocols.council.replies import opinion as council_opinion
from protocols.debate.replies.closing import read_decision, read_summary, read_synthesis
from protocols.debate.replies.safety_verdict import read_safety
from protocols.debate.replies.turn import read_turn
from protocols.exchange import ModelCall, ReadAs
from protocols.fire_circle import replies as fire_circle
from protocols.fire_circle.classification import read_classification
from protocols.majority import replies as majority
from protocols.mixture import replies as mixture
from protocols.self_consistency import replies as self_consistency
from protocols.sources import SourceLink

Reader = Callable[[str, Mapping[str, JsonValue]], BaseModel | None]
"""Text and needs to what was understood; ``None`` when there is nothing to understand."""

READERS: dict[str, Reader] = {
    "council.opinion": council_opinion.read_opinion,
    "council.ballot": council_ballot.read_ballot,
    "council.synthesis": council_opinion.read_synthesis,
    "consensus.draft": consensus.read_draft,
    "consensus.evaluation": consensus.read_evaluation,
    "consensus.curation": consensus.read_curation,
    "fire_circle.assessment": fire_circle.read_assessment,
    "fire_circle.discussion": fire_circle.read_assessment,
    "fire_circle.refinement": fire_circle.read_assessment,
    "fire_circle.classification": read_classification,
    "debate.turn": read_turn,
    "debate.safety": read_safety,
    "debate.summary": read_summary,
    "debate.synthesis": read_synthesis,
    "debate.decision": read_decision,
    "self_consistency.answer": self_consistency.read_answer,
    "majority.answer": majority.read_answer,
    "mixture.proposal": mixture.read_proposal,
    "mixture.aggregation": mixture.read_aggregation,
}

COMPARES = frozenset(
    {
        *("fire_circle.assessment", "fire_circle.discussion", "fire_circle.refinement"),
        *("consensus.evaluation", "consensus.curation", "debate.turn", "debate.decision"),
    }
)
"""The readers that tell what a model wrote itself from what it repeats: they get the text that it was shown."""

LONGEST_TEXT = 500_000
"""Characters of a text that is interpreted whole: more than any model writes, and read within a reader's time."""

_INTERPRETED_WHOLE = ("fire_circle.", "debate.")
"""Whose readers look everywhere; the others pass the text on, or read its end."""


class UnreadableError(ValueError):
    """A reader broke on a text. Names the reader and the kind of fault, never the text."""


def reader_named(name: str) -> Reader:
    """The reader of that name.

    Raises:
        ConfigError: there is none; this worker is older than the workflow that asks.
    """
    if name not in READERS:
        said = f"no reader is called {name!r}; known are {', '.join(sorted(READERS))}; update the worker"
        raise ConfigError(said, error_type="config.unknown_reader")
    return READERS[name]


def informed(call: ModelCall, *, asked_with_schema: bool = False, sources: Sequence[SourceLink] = ()) -> ReadAs:
    """Return how the reply to ``call`` is read, with what only the activity knows.

    That is the text that the model was shown, where the reader compares, whether a JSON schema was sent, and the
    numbers of the provider's sources. The text stands in the call's messages and is added here, so that no history
    holds it twice.
    """
    needs = dict(call.read_as.needs)
    if asked_with_schema:
        needs["asked_with_schema"] = True
    if sources:
        needs["source_numbers"] = [link.number for link in sources]
    if call.read_as.reader in COMPARES:
        needs["shown"] = "\n\n".join(message.content for message in call.messages if message.role != "assistant")
    return call.read_as.model_copy(update={"needs": needs})


def read(text: str, read_as: ReadAs) -> JsonValue:
    """What the room's reader understands in ``text``, as JSON.

    Raises:
        ConfigError: there is no such reader.
        UnreadableError: the reader broke on this text, or the text is too long to be interpreted.
    """
    reader = reader_named(read_as.reader)
    if len(text) > LONGEST_TEXT and read_as.reader.startswith(_INTERPRETED_WHOLE):
        said = f"reader {read_as.reader!r} reads at most {LONGEST_TEXT:,} characters, and the text has {len(text):,}"
        raise UnreadableError(said)
    try:
        understood = reader(text, read_as.needs)
        return None if understood is None else understood.model_dump(mode="json")
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as fault:
        raise UnreadableError(f"reader {read_as.reader!r} broke on the text ({type(fault).__name__})") from fault
