"""The readers of replies in a fire circle and its baselines."""

from protocols.fire_circle.classification import read_classification
from protocols.fire_circle.model import AssessmentReply, ClassificationReply, DiscussionReply, RefinementReply
from protocols.fire_circle.replies import read_assessment
from protocols.reply_reader import ReplyReader

READERS = {
    "assessment": ReplyReader(read_assessment, AssessmentReply, compares=True, searches=True),
    "discussion": ReplyReader(read_assessment, DiscussionReply, compares=True, searches=True),
    "refinement": ReplyReader(read_assessment, RefinementReply, compares=True, searches=True),
    "classification": ReplyReader(read_classification, ClassificationReply, searches=True),
}
