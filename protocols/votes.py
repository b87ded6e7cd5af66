"""Counts of equal votes: the number per answer, the winner, and their table.

What was read from each reply is data by the time it is counted. Closed answers are the same when they are equal; free
ones when their word sets are alike (Jaccard, in whole numbers: no version of a library can count them otherwise) and
differ in no negation or sign, in no word of each that takes the other's place, and in no two words exchanged.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, JsonValue

from protocols.answer_text import DENIALS, DENIED_FORM, FUNCTION_WORDS
from protocols.answers import AnswerRead
from protocols.flaws import Flaw
from protocols.model_call import Answered, FrozenModel, ModelId, ParticipantId
from protocols.panel import name_of
from protocols.tables import Cell, Medium, Table, columns, listed, notes, rows
from protocols.visible_text import one_line

DecidedBy = Literal["plurality", "earliest_of_tied", "none_readable", "only_reply", "none"]
"""How the verdict was found.

Most voted for its answer; the earliest voter's of those that tie; no answer could be read, so the first reply counts;
there was one reply and nothing to count; no replies.
"""

_FEWEST_TO_COUNT = 2

_SHOWN = 40
"""Characters of an answer in a note."""

_ALIKE = 85
"""Free answers of which so many words in a hundred are common to both are one answer."""
_STEM = 4
"""Characters of a word that its forms share."""
_DENIES = DENIALS | {"t", "against"}
"""Words by which two answers are opposed; ``isn't`` is two, ``isn`` and ``t``."""
_EXCHANGED = 2
_JOINS = {"and", "or", "und", "oder", "et", "ou", "y", "e", "o", "и", "или", "the", "a"}
"""Words between two of a list, whose order says nothing."""


class Vote(FrozenModel):
    """The vote in one reply."""

    voter: ParticipantId
    """A seat, or a sample of the one seat."""
    model: ModelId
    answer: str | None
    """As read; ``None`` abstains: no answer could be read."""
    words: tuple[str, ...] = ()
    """Of a free answer: its words, by which it is compared. Empty: answers are compared as they are."""


class Choice(FrozenModel):
    """One answer and who gave it."""

    answer: str
    """As its first voter gave it."""
    votes: int = Field(ge=1)
    voters: tuple[ParticipantId, ...]
    """In the order in which they were asked."""


class Tally(FrozenModel):
    """The count: most votes first, of equal ones the earliest voter's first."""

    choices: tuple[Choice, ...] = ()
    cast: int = Field(default=0, ge=0)
    """Votes with a readable answer."""
    abstained: int = Field(default=0, ge=0)
    """Replies in which no answer could be read."""
    tied: tuple[str, ...] = ()
    """The answers that share the most votes, when there are several; the first of them won."""
    agreement: float | None = Field(default=None, ge=0, le=1)
    """The winner's share of the votes cast; ``None`` when none was."""

    def scores(self) -> dict[str, float | None]:
        """Return the count in numbers."""
        counts = {"cast": self.cast, "abstained": self.abstained, "tied": len(self.tied)}
        return {"winner_share": self.agreement, **counts}

    def votes(self, answer: str | None) -> dict[str, JsonValue]:
        """Return the final ``answer`` and how many gave each one; nothing when there is neither."""
        counts: dict[str, JsonValue] = {one.answer: one.votes for one in self.choices}
        return {"answer": answer, "counts": counts} if counts or answer is not None else {}

    @property
    def winner(self) -> Choice | None:
        """The answer that won, or ``None`` when there is none."""
        return self.choices[0] if self.choices else None

    @property
    def decided_by(self) -> DecidedBy:
        """Return the rule of this count."""
        if self.cast + self.abstained < _FEWEST_TO_COUNT:
            return "only_reply" if self.cast + self.abstained else "none"
        if not self.choices:
            return "none_readable"
        return "earliest_of_tied" if self.tied else "plurality"


def count(votes: Sequence[Vote]) -> Tally:
    """Count ``votes``, given in the order in which the voters were asked."""
    groups: list[list[Vote]] = []
    for vote in votes:
        if vote.answer is None:
            continue
        same = next((group for group in groups if _is_same(group[0], vote)), None)
        if same is None:
            groups.append([vote])
        else:
            same.append(vote)
    groups.sort(key=len, reverse=True)
    cast = sum(map(len, groups))
    most = [str(group[0].answer) for group in groups if len(group) == len(groups[0])]
    return Tally(
        choices=tuple(
            Choice(answer=str(group[0].answer), votes=len(group), voters=tuple(vote.voter for vote in group))
            for group in groups
        ),
        cast=cast,
        abstained=len(votes) - cast,
        tied=tuple(most) if len(most) > 1 else (),
        agreement=len(groups[0]) / cast if groups else None,
    )


class Decision(FrozenModel):
    """The outcome of a count."""

    votes: tuple[Vote, ...] = ()
    tally: Tally = Tally()
    reply: Answered | None = None
    """The reply whose text is the verdict: the first with the winning answer, or the first of all when none could be
    read; ``None`` without replies."""


def votes_of(replies: Sequence[Answered]) -> tuple[Vote, ...]:
    """Return the votes in ``replies``, by their readings (``AnswerRead``)."""
    readings = [AnswerRead.model_validate(reply.reading) for reply in replies]
    return tuple(
        Vote(voter=reply.participant, model=reply.model, answer=read.answer, words=read.words)
        for reply, read in zip(replies, readings, strict=True)
    )


def decide(replies: Sequence[Answered]) -> Decision:
    """Count ``replies``, given in the order of their requests."""
    votes = votes_of(replies)
    tally = count(votes)
    first = tally.winner.voters[0] if tally.winner else None
    deciding = next((reply for reply in replies if first in {None, reply.participant}), None)
    return Decision(votes=votes, tally=tally, reply=deciding)


def flaws_of(decision: Decision, stage: str) -> tuple[Flaw, ...]:
    """Return the unreadable votes, and a tie broken by the order of the voters."""
    unread = [
        Flaw(kind="unread", stage=stage, participant=vote.voter, note="no final answer could be read")
        for vote in decision.votes
        if vote.answer is None
    ]
    tied, winner = decision.tally.tied, decision.tally.winner
    if not tied or winner is None:
        return tuple(unread)
    answers = ", ".join(one_line(answer, width=_SHOWN) for answer in tied)
    note = f"{answers} share the most votes; the earliest voter's answer counts"
    return (*unread, Flaw(kind="tie_broken", stage=stage, participant=winner.voters[0], note=note))


def _is_same(first: Vote, other: Vote) -> bool:
    if not (first.words and other.words):
        return first.answer == other.answer
    mine, others = set(first.words), set(other.words)
    is_alike = 100 * len(mine & others) >= _ALIKE * len(mine | others)
    is_replaced = _has_its_own(mine - others, others) and _has_its_own(others - mine, mine)
    is_other = any(word in _DENIES or not word.isalnum() for word in mine ^ others)
    is_other = is_other or len([*filter(DENIED_FORM.search, mine)]) != len([*filter(DENIED_FORM.search, others)])
    return is_alike and not (is_replaced or is_other or _is_turned(first.words, other.words))


def _is_turned(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two words changed places ("A beats B"), and not in a list ("A and B")."""
    moved = [at for at, pair in enumerate(zip(words, others, strict=False)) if pair[0] != pair[1]]
    if len(moved) != _EXCHANGED or {*words} != {*others}:
        return False
    between = words[moved[0] + 1 : moved[1]]
    return not _JOINS.issuperset(between) or any(words[at][-1].isdigit() for at in moved)


def _has_its_own(alone: set[str], others: set[str]) -> bool:
    """Return whether one of the words ``alone`` is a number or says something, and is no form of one of ``others``."""
    stems = {word[:_STEM] for word in others}
    said = {word for word in alone if len(word) >= _STEM or word not in FUNCTION_WORDS}
    return any(word[0].isdigit() or not any(one.startswith(word[:_STEM]) for one in stems) for word in said)


ANSWER_WIDTH = 60
"""Characters of a final answer on a terminal."""


def votes_table(
    tally: Tally, votes: Sequence[Vote] = (), *, asked: int | None = None, title: str = "Votes", least: Medium = "panel"
) -> Table:
    """Return each answer with its votes, most votes first."""
    models = {vote.voter: name_of(vote.model).rpartition("/")[2] for vote in votes}
    return Table(
        title=title if tally.choices else "",
        columns=columns("answer", "votes", "share", "from", right={"votes", "share"}),
        rows=rows(
            (
                Cell(choice.answer, width=ANSWER_WIDTH),
                f"{choice.votes}{'=' if choice.answer in tally.tied else ''}",
                f"{choice.votes / tally.cast:.0%}",
                listed(_voters(choice.voters, models)),
            )
            for choice in tally.choices
        ),
        notes=notes(_summary(tally, asked)),
        chart="bars",
        least=least,
    )


def _voters(voters: Sequence[ParticipantId], models: Mapping[ParticipantId, str]) -> list[str]:
    """Return the seats, each with its model where the votes come from several models."""
    is_one_model = len(set(models.values())) <= 1
    return [voter if is_one_model else f"{voter} {models.get(voter, '')}".strip() for voter in voters]


def _summary(tally: Tally, asked: int | None) -> str:
    agreement = "unknown" if tally.agreement is None else f"{tally.agreement:.2f} (share of the winner, 1 is unanimous)"
    answered = tally.cast + tally.abstained
    of = f" of {asked}" if asked is not None else ""
    ties = f"; tied, decided for the earliest: {', '.join(tally.tied)}" if tally.tied else ""
    return f"agreement {agreement}; {answered}{of} answered, {tally.abstained} without a final answer{ties}"
