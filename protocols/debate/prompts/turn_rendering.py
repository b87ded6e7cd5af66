"""Turns as debaters are shown them (seed 003, section 3.5), shortened evenly where they are too long together.

A turn keeps its name, confidence and vote to the last, then its position, then what it did to which claim; its
reasoning is cut from the end. Text of a model is between marks, so that no turn can pass for two.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from protocols.anonymity import Subject, hide_names, self_names, subject_of
from protocols.debate.aliases import Aliases
from protocols.debate.model.context import ContextBudget
from protocols.debate.model.state import GIST_TOKENS, WITHHELD, DebateState
from protocols.debate.model.turn import AgentResponse, TurnReading
from protocols.debate.prompts.call_context import DebateView
from protocols.model_call import ModelId, ParticipantId
from protocols.prompt_pack import escape_marks, fence
from protocols.tokens import clip, count

TURN_LEAST = 130
"""Tokens in which any turn can be shown: its name and marks, its standing, and the beginning of its position."""

MOST_IDS = 12
"""The most ids in one place."""

_POSITION, _SHORT_POSITION = 200, 80
_SOURCES = 8
_JOINT = 3
"""Tokens that may separate two texts that are counted apart."""


class RenderContext(NamedTuple):
    """The settings for rendering turns in one call."""

    names: Aliases
    nonce: str
    state: DebateState
    has_stances: bool
    is_anonymous: bool
    own_names: tuple[str, ...]
    subject: Subject
    """By which models give themselves away, where they are anonymous."""
    budget: ContextBudget

    def short(self, seat: ParticipantId) -> str:
        """Return the label of ``seat`` where peers are anonymous, else its id."""
        return self.names[seat] if self.is_anonymous else seat

    def place(self, seat: ParticipantId) -> str:
        """Return the sort key of ``seat``: its label where peers are anonymous, else its place in the panel."""
        return self.names[seat] if self.is_anonymous else ""

    def clean(self, text: str, most: int) -> str:
        """Return at most ``most`` tokens of ``text``, without forged marks and without the names of peers."""
        return _cleaned(text, most, (self.own_names, self.subject) if self.is_anonymous else None)

    def line(self, text: str, most: int) -> str:
        """Return the same on one line."""
        return self.clean(" ".join(text[: most * _LONGEST].split()), most)


class RenderedTurns(NamedTuple):
    """Turns as they are shown, and how many of them had to be shortened."""

    text: str
    shortened: int = 0


_LONGEST = 64
"""Characters that one token may have at the very most."""


class _Parts(NamedTuple):
    name: str
    position: str
    reasoning: str
    standing: str
    """Confidence, vote, stance."""
    sources: str
    touched: str
    """What it did to which claim, and to whom it replies."""

    def laid_out(self, nonce: str) -> str:
        lines = (f"Position: {self.position}", f"Reasoning: {self.reasoning}")
        text = "\n".join(filter(None, (*lines, self.standing, self.sources, self.touched)))
        return f"--- {self.name} ---\n{fence(text, self.name, nonce)}"


def render_context(table: DebateView, nonce: str) -> RenderContext:
    """Return the settings for rendering in the call with ``nonce``."""
    mode = table.mode
    models: list[ModelId] = [seated.model for seated in table.inp.panel.participants]
    spoke = (*(turn for completed in table.course.rounds for turn in completed.turns), *table.course.open)
    models += [turn.model for turn in spoke] if mode.is_anonymous else []
    own_names = self_names(models) if mode.is_anonymous else ()
    return RenderContext(
        names=table.names,
        nonce=nonce,
        state=table.course.state,
        has_stances=mode.has_stances,
        is_anonymous=mode.is_anonymous,
        own_names=own_names,
        subject=subject_of(table.inp.question, own_names).model_copy(update={"leaves_others": False}),
        budget=table.inp.context_budget,
    )


def render_turns(turns: Sequence[AgentResponse], how: RenderContext, most: int) -> RenderedTurns:
    """Render the turns in at most ``most`` tokens; those above their share share the rest."""
    if not turns:
        return RenderedTurns("")
    ordered = sorted(turns, key=lambda turn: how.place(turn.agent))
    hidden = [f"--- {how.names[turn.agent]} ---\n{WITHHELD}" if turn.withheld else "" for turn in ordered]
    parts = [None if text else _parts(turn, how) for turn, text in zip(ordered, hidden, strict=True)]
    sizes = [_size(one, how.nonce) if one else count(text) for one, text in zip(parts, hidden, strict=True)]
    share = even_share([size + _JOINT for size in sizes], most) - _JOINT
    if share < min(TURN_LEAST, max(sizes)):
        return RenderedTurns(f"(turns left out for length: {len(turns)})", len(turns))
    shown = [
        text if one is None else one.laid_out(how.nonce) if size <= share else _shortened(one, how.nonce, share)
        for one, text, size in zip(parts, hidden, sizes, strict=True)
    ]
    return RenderedTurns("\n\n".join(shown), sum(size > share for size in sizes))


def even_share(sizes: Sequence[int], most: int) -> int:
    """Return the longest size to which all ``sizes`` can be cut for a sum of ``most``."""
    left = most
    for done, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - done)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)


def first_ids(ids: Sequence[str], most: int = MOST_IDS) -> list[str]:
    """Return ``ids``, or the first ``most`` of them and a mark."""
    return [*ids[:most], "…"] if len(ids) > most else list(ids)


@lru_cache(maxsize=2048)  # the same for all calls of a round
def _cleaned(text: str, most: int, hiding: tuple[tuple[str, ...], Subject] | None) -> str:
    hidden = hide_names(clip(text, most), *hiding)[0] if hiding else clip(text, most)
    return clip(escape_marks(hidden), most)


def _parts(turn: AgentResponse, how: RenderContext) -> _Parts:
    return _Parts(
        name=how.names[turn.agent],
        position=how.line(turn.said.position, _POSITION),
        reasoning=how.clean(_reasoning(turn.said), how.budget.closing),
        standing="\n".join(_standing(turn, how)),
        sources=_sources(turn, how),
        touched="\n".join(_touched(turn, how)),
    )


def _reasoning(said: TurnReading) -> str:
    weighed = [f"{one.text} (rejected: {one.rejected_because or 'no reason given'})" for one in said.alternatives]
    feared = [f"{one.text} (mitigation: {one.mitigation or 'none'})" for one in said.risks]
    lists = (("Concerns", said.concerns), ("Alternatives", weighed), ("Risks", feared))
    lines = [said.reasoning.strip(), *(f"{name}: {'; '.join(points)}" for name, points in lists if points)]
    return "\n".join([*filter(None, lines), *([f"Uncertain: {said.uncertainty}"] if said.uncertainty else [])])


def _standing(turn: AgentResponse, how: RenderContext) -> list[str]:
    lines = [f"Confidence: {_confidence(turn)}", f"Vote: {turn.vote or 'none'}"]
    return [*lines, f"Stance: {turn.said.stance or 'none'}"] if how.has_stances else lines


def _confidence(turn: AgentResponse) -> str:
    if turn.confidence is None:
        return "not given"
    change = "" if turn.confidence_delta is None else f" ({turn.confidence_delta:+.0%})"
    return f"{turn.confidence:.0%}{change}"


def _sources(turn: AgentResponse, how: RenderContext) -> str:
    """Return titles under their ids in the registry; others under the turn's own numbers."""
    used = [one for one in how.state.evidence if one.id in turn.citations_used]
    known = [(one.id if one.is_verified else f"{one.id}?", one.title) for one in used]
    numbered = known or [(f"[{one.number}]", one.text) for one in turn.said.references]
    titles = [f"{key} {how.line(title, GIST_TOKENS)}" for key, title in numbered[:_SOURCES]]
    return f"Sources: {'; '.join([*titles, *(['…'] if len(numbered) > _SOURCES else [])])}" if titles else ""


def _touched(turn: AgentResponse, how: RenderContext) -> list[str]:
    did, replied = turn.claims_touched, [how.names[seat] for seat in turn.direct_replies_to if seat in how.names]
    labels = {claim.id: claim.label for claim in how.state.claims}
    introduced = [f"{one} [{labels[one]}]" if one in labels else one for one in did.introduced]
    parts = (
        ("Claims introduced", introduced),
        ("Claims reinforced", did.reinforced),
        ("Claims challenged", did.challenged),
        ("Claims retracted", did.retracted),
        ("Replies to", replied),
    )
    lines = [f"{name}: {', '.join(first_ids(ids))}" for name, ids in parts if ids]
    reason = how.line(turn.said.confidence_reason, GIST_TOKENS) if turn.confidence_delta else ""
    return [*lines, f"Confidence changed because: {reason}"] if reason else lines


def _size(one: _Parts, nonce: str) -> int:
    """Return an upper bound for the size of the turn, with its reasoning counted apart."""
    return count(one._replace(reasoning="").laid_out(nonce)) + count(one.reasoning) + 1


def _shortened(one: _Parts, nonce: str, most: int) -> str:
    bare = one._replace(position="", reasoning="", sources="", touched="")
    space = most - count(bare.laid_out(nonce)) - 2 * _JOINT
    position = clip(one.position, min(space, _SHORT_POSITION))
    space -= count(position)
    touched = one.touched if count(one.touched) + _JOINT <= space // 2 else ""
    space -= count(touched) + _JOINT
    sources = one.sources if count(one.sources) + _JOINT <= space // 3 else ""
    space -= count(sources) + _JOINT
    shorter = one._replace(
        position=position, touched=touched, sources=sources, reasoning=clip(one.reasoning, max(0, space))
    )
    return shorter.laid_out(nonce)
