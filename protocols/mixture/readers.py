"""Readers of a mixture's replies: proposals for peers, and final answers."""

from collections.abc import Mapping

from pydantic import JsonValue

from protocols.anonymity import Subject, hide_names
from protocols.answers import reading
from protocols.mixture.model import Proposal
from protocols.reply_reader import ReplyReader, texts_in
from protocols.text_cleaning import storable


def read_proposal(text: str, needs: Mapping[str, JsonValue]) -> Proposal:
    """Return a proposer's answer for peers, with names hidden, and its final answer.

    Needs ``form``, an ``AnswerForm``, ``own_names``, the names of the panel's own models, and ``subject``, what the
    question says of models.
    """
    subject = Subject.model_validate(needs.get("subject") or {})
    shown, hidden = hide_names(storable(text), texts_in(needs, "own_names"), subject)
    found = reading(text, needs)
    return Proposal(answer=found.answer, words=found.words, shown=shown, names_hidden=hidden)


READERS = {"proposal": ReplyReader(read_proposal), "aggregation": ReplyReader(reading, verdict="")}
