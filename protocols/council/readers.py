"""The readers of a council's replies."""

from protocols.council.chair import ChairReply
from protocols.council.model import BallotReply
from protocols.council.replies.chair import read_chair
from protocols.council.replies.opinion import read_opinion, read_synthesis
from protocols.council.replies.scores import read_review
from protocols.reply_reader import ReplyReader

READERS = {
    "opinion": ReplyReader(read_opinion),
    "ballot": ReplyReader(read_review, BallotReply),
    "analysis": ReplyReader(read_chair, ChairReply, verdict="verdict"),
    "synthesis": ReplyReader(read_synthesis, verdict=""),
}
