"""The reader of a final answer."""

from protocols.reply_reader import ReplyReader
from protocols.self_consistency.replies import read_answer

READERS = {"answer": ReplyReader(read_answer)}
