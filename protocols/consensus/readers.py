"""The readers of a consensus's replies."""

from protocols.consensus.replies.reading import read_curation, read_draft, read_evaluation
from protocols.reply_reader import ReplyReader

READERS = {
    "draft": ReplyReader(read_draft, verdict=""),
    "evaluation": ReplyReader(read_evaluation, compares=True),
    "curation": ReplyReader(read_curation, compares=True, verdict=""),
}
