"""The reader of a leg."""

from collections.abc import Mapping

from pydantic import JsonValue

from protocols.relay.model import Leg
from protocols.reply_reader import ReplyReader


def read_leg(text: str, needs: Mapping[str, JsonValue]) -> Leg:
    """Return the number of words."""
    return Leg(words=len(text.split()))


READERS = {"leg": ReplyReader(read_leg)}
