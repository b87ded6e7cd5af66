"""The reader of a vote's replies: the final answer in the form that the question asks for."""

from protocols.answers import reading
from protocols.reply_reader import ReplyReader

READERS = {"answer": ReplyReader(reading)}
