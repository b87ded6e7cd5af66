"""The readers of replies in a mixture of agents."""

from protocols.mixture.replies import read_aggregation, read_proposal
from protocols.reply_reader import ReplyReader

READERS = {"proposal": ReplyReader(read_proposal), "aggregation": ReplyReader(read_aggregation, verdict="")}
