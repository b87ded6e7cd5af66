"""Replies are read once, by the reader that the call names.

The reading is stored as JSON beside the text, and the protocol parses it again. A reader that fails does not lose the
text, which was paid for: the caller keeps it and records that it could not be read.
"""

from collections.abc import Sequence

from pydantic import JsonValue

from activities.providers.errors import ConfigError
from protocols.model_call import ModelCall, ReaderRef
from protocols.reply_reader import ReplyReader, reader_of
from protocols.sources import SourceLink

LONGEST_TEXT = 500_000
"""Characters of a text that is interpreted whole: more than any model writes, and read within a reader's time."""


class UnreadableError(ValueError):
    """A reader broke on a text. Names the reader and the kind of fault, never the text."""


def reader_named(name: str) -> ReplyReader:
    """Return the reader of that name.

    Raises:
        ConfigError: there is none; this worker is older than the workflow that asks.
    """
    reader = reader_of(name)
    if reader is None:
        raise ConfigError(f"no reader is called {name!r}; update the worker", error_type="config.unknown_reader")
    return reader


def informed(
    call: ModelCall, *, asked_with_schema: bool = False, is_cut: bool = False, sources: Sequence[SourceLink] = ()
) -> ReaderRef:
    """Return the reader of the reply to ``call``, with the values that only the activity has.

    That is the text in the prompt, where the reader compares, whether a JSON schema was sent, whether the reply was
    cut, and the numbers of the provider's sources. The text is in the call's messages and is added here, so that no
    history has it twice.
    """
    more: dict[str, JsonValue] = {}
    if asked_with_schema:
        more["asked_with_schema"] = True
    if is_cut:
        more["is_cut"] = True
    if sources:
        more["source_numbers"] = [link.number for link in sources]
    if reader_named(call.read_as.reader).compares:
        more["shown"] = "\n\n".join(message.content for message in call.messages if message.role != "assistant")
    return call.read_as.model_copy(update={"needs": {**call.read_as.needs, **more}}) if more else call.read_as


def read(text: str, read_as: ReaderRef) -> JsonValue:
    """Return the reading of ``text`` by the protocol's reader, as JSON.

    Raises:
        ConfigError: there is no such reader.
        UnreadableError: the reader broke on this text, or the text is too long to be interpreted.
    """
    reader = reader_named(read_as.reader)
    if reader.searches and len(text) > LONGEST_TEXT:
        said = f"reader {read_as.reader!r} reads at most {LONGEST_TEXT:,} characters, and the text has {len(text):,}"
        raise UnreadableError(said)
    try:
        understood = reader.read(text, read_as.needs)
        return None if understood is None else understood.model_dump(mode="json")
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as fault:
        raise UnreadableError(f"reader {read_as.reader!r} broke on the text ({type(fault).__name__})") from fault
