"""The reader of a final answer."""

from protocols.reply_reader import ReplyReader
from protocols.vote.replies import read_answer

READERS = {"answer": ReplyReader(read_answer)}
