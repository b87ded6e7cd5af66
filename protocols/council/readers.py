"""The readers of a council's replies."""

from protocols.council.model import BallotReply
from protocols.council.replies.ballot import read_ballot
from protocols.council.replies.opinion import read_opinion, read_synthesis
from protocols.reply_reader import ReplyReader

READERS = {
    "opinion": ReplyReader(read_opinion),
    "ballot": ReplyReader(read_ballot, BallotReply),
    "synthesis": ReplyReader(read_synthesis, verdict=""),
}
