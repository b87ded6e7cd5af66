"""The readers of replies in a debate."""

from protocols.debate.model.closing import SummaryReading
from protocols.debate.model.reply_objects import DecisionReply, SafetyReply, SynthesisReply, TurnReply
from protocols.debate.replies.closing import read_decision, read_summary, read_synthesis
from protocols.debate.replies.safety_verdict import read_safety
from protocols.debate.replies.turn import read_turn
from protocols.reply_reader import ReplyReader

READERS = {
    "turn": ReplyReader(read_turn, TurnReply, compares=True, searches=True),
    "safety": ReplyReader(read_safety, SafetyReply, searches=True),
    "summary": ReplyReader(read_summary, SummaryReading, searches=True),
    "synthesis": ReplyReader(read_synthesis, SynthesisReply, searches=True, verdict="executive_summary"),
    "decision": ReplyReader(read_decision, DecisionReply, compares=True, searches=True),
}
