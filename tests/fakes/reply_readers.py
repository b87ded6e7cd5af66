"""The readers of all protocols, by the names that calls give them."""

from parley.specs import PROTOCOLS
from protocols.reply_reader import ReplyReader, readers_of
from workflows.by_protocol import module_name

READERS: dict[str, ReplyReader] = {
    f"{module_name(protocol)}.{name}": reader
    for protocol in PROTOCOLS
    for name, reader in readers_of(module_name(protocol)).items()
}
WITH_SCHEMA = [name for name, reader in READERS.items() if reader.reply]
COMPARING = [name for name, reader in READERS.items() if reader.compares]
