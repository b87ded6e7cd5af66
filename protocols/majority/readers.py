"""The reader of a final answer."""

from protocols.majority.replies import read_answer
from protocols.reply_reader import ReplyReader

READERS = {"answer": ReplyReader(read_answer)}
