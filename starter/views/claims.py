"""The registries of a debate on the screen: how everybody stands, claims, evidence, decisions."""

from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from protocols.debate.model.state import PERSON, AgentStatus, Claim, ClaimStatus, DebateState, Evidence
from protocols.model_call import ParticipantId
from protocols.visible_text import one_line

_STATUS_STYLES: Mapping[ClaimStatus, str] = {"accepted": "green", "contested": "yellow", "retracted": "dim", "open": ""}
_TEXT_WIDTH = 200
WHOLE = 2000
"""Characters of what is shown whole: what a person gave, and what a verdict says of it."""
_NOBODY: Mapping[ParticipantId, str] = {}


def registries(state: DebateState) -> RenderableType:
    """All of them; what is empty is left out."""
    parts = [standing(state), *claims(state)]
    return Group(Text(one_line(state.topic, width=_TEXT_WIDTH), style="bold"), Text(f"round {state.round}"), *parts)


def standing(state: DebateState, models: Mapping[ParticipantId, str] = _NOBODY) -> RenderableType:
    """How everybody stood when they last spoke; ``models`` says who sits where, and under which label."""
    if not state.agent_status:
        return Text("nobody has spoken yet", style="dim")
    has_stances = any(one.stance is not None for one in state.agent_status)
    known = [*(["model"] if models else []), *(["stance"] if has_stances else [])]
    shown = table("Positions", ["agent", *known, "confidence", "change", "vote", "key point"])
    for one in state.agent_status:
        told = {"model": models.get(one.agent, ""), "stance": one.stance or "–"}
        shown.add_row(cell(one.agent), *(cell(told[name]) for name in known), *_standing(one))
    return shown


def claims(state: DebateState) -> list[RenderableType]:
    """What is claimed, on which evidence, and what binds everybody."""
    parts: list[RenderableType] = [_claims(state.claims)] if state.claims else [Text("no claims yet", style="dim")]
    if state.evidence:
        parts.append(_evidence(state.evidence))
    if state.decisions:
        shown = table("Decisions", ("id", "round", "decision"))
        for one in state.decisions:
            shown.add_row(one.id, str(one.round), cell(one.text))
        parts.append(shown)
    return parts


def table(title: str, headings: Sequence[str]) -> Table:
    """An empty table as all views of a debate have them."""
    made = Table(title=Text(title, style="bold"), box=box.SIMPLE, title_justify="left")
    for heading in headings:
        made.add_column(heading)
    return made


def cell(text: str, style: str = "") -> Text:
    """What somebody wrote, on one line and harmless."""
    return Text(one_line(text, width=_TEXT_WIDTH), style=style)


def share(value: float | None) -> str:
    """A share in per cent; a dash where there is none."""
    return "–" if value is None else f"{value:.0%}"


def _standing(one: AgentStatus) -> tuple[Text, ...]:
    change = "–" if one.confidence_delta is None else f"{one.confidence_delta:+.0%}"
    lost = " (lost)" if one.is_lost else ""
    vote = cell(f"{one.vote or '–'}{lost}", "red" if lost or one.vote == "BLOCKER" else "")
    return Text(share(one.confidence)), Text(change), vote, cell(one.key_point)


def _claims(said: Sequence[Claim]) -> RenderableType:
    shown = table("Claims", ("id", "label", "status", "claim", "by", "evidence", "for", "against"))
    for one in said:
        shown.add_row(
            one.id,
            one.label,
            Text(one.status, style=_STATUS_STYLES[one.status]),
            cell(one.text),
            f"{one.introduced_by}, round {one.introduced_round}",
            _listed(one.support),
            _listed(one.supporters),
            _listed((*one.opponents, *one.opposition)),
        )
    return shown


def _evidence(known: Sequence[Evidence]) -> RenderableType:
    shown = table("Evidence", ("id", "kind", "source", "what it says", "supports", "by"))
    for one in known:
        url = f" {one.url}" if one.url else ""
        by = f"{one.added_by}, round {one.added_round}"
        shown.add_row(one.id, one.kind, cell(f"{one.title}{url}"), _said(one), _listed(one.supports), by)
    return shown


def _said(one: Evidence) -> Text:
    return Text(one_line(one.gist, width=WHOLE if one.added_by == PERSON else _TEXT_WIDTH))


def _listed(ids: Iterable[str]) -> Text:
    return cell(", ".join(ids) or "–")
