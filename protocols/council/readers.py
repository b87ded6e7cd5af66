"""The readers of a council's replies."""

from collections.abc import Mapping

from pydantic import JsonValue

from protocols.anonymity import Subject, hide_names
from protocols.answers import AnswerRead, reading
from protocols.council.chair import ChairReply
from protocols.council.model import BallotReply, Opinion
from protocols.council.replies.chair import read_chair
from protocols.council.replies.scores import read_review
from protocols.council.wording import holds_header, holds_ranking_object
from protocols.reply_reader import ReplyReader, texts_in


def read_opinion(text: str, needs: Mapping[str, JsonValue]) -> Opinion:
    """Return the answer for peers: names that identify its author are replaced.

    Whether it could pass for a ranking is found out here too, once for all reviewers: in an answer of some megabytes
    that takes longer than a workflow may compute without a pause.

    ``needs["own_names"]`` are the names of the panel's own models, ``needs["subject"]`` what the question says of
    models.
    """
    names, subject = texts_in(needs, "own_names"), Subject.model_validate(needs.get("subject") or {})
    shown, hidden = hide_names(text.encode("utf-8", "replace").decode(), names, subject)
    return Opinion(
        shown=shown, names_hidden=hidden, has_header=holds_header(shown), has_ranking_object=holds_ranking_object(shown)
    )


def read_synthesis(text: str, needs: Mapping[str, JsonValue]) -> AnswerRead | None:
    """Return the final answer in the form ``needs["form"]``; without a form nothing, the text is the verdict."""
    return None if needs.get("form") is None else reading(text, needs)


READERS = {
    "opinion": ReplyReader(read_opinion),
    "ballot": ReplyReader(read_review, BallotReply),
    "analysis": ReplyReader(read_chair, ChairReply, verdict="verdict"),
    "synthesis": ReplyReader(read_synthesis, verdict=""),
}
