"""Consensuses: who accepted which round's draft, and whose drafts they were."""

from itertools import chain, repeat

from report.figures import UNKNOWN, short
from report.leaves import Leaf
from report.markup import Markup
from report.plots.frame import Drawing
from report.plots.heatmap import Cell, heatmap
from report.protocols.said import Said, noted

SPEAKERS = ("generator", "refiner", "validator")

_OPINIONS = {"NO": Cell("accepts", 0.9), "YES": Cell("no ACCEPT", 0.12)}
_STANCES = {
    "accept": _OPINIONS["NO"],
    "correction": Cell("corrects", 0.12),
    "objection": Cell("objects", 0.12),
    "unread": Cell("unread"),
    "cut": Cell("cut"),
}
_MOST_ROUNDS = 60


def drawings(result: Leaf) -> list[Drawing | Markup]:
    """The opinions by round."""
    matrix = _matrix(result)
    return [matrix] if matrix else []


def rounds(result: Leaf) -> int | None:
    """How many rounds were held to a consensus; ``None`` when there is none."""
    held = result.each("rounds")
    return len(held) if held and result.is_true("consensus_achieved") else None


def accepting(result: Leaf) -> tuple[float, ...]:
    """The share of the three that accepted, round by round; an opinion that was not obtained accepts nothing."""
    held = [dict(one.named("opinions")) for one in result.each("rounds")]
    return tuple(sum(opinion.text() == "NO" for opinion in one.values()) / max(len(one), 1) for one in held)


def _matrix(result: Leaf) -> Drawing | None:
    held = result.each("rounds")[-_MOST_ROUNDS:]
    rows = [(f"round {one.whole('round') or UNKNOWN}", [*_opinions(one), _draft(one)]) for one in held]
    achieved = "A consensus was reached" if result.is_true("consensus_achieved") else "No consensus was reached"
    return heatmap(
        "rounds",
        "Rounds and opinions",
        (*SPEAKERS, "draft by"),
        rows,
        across="opinion of the round's draft",
        note=f"{achieved}; rounds held: {len(result.each('rounds'))}. – is an opinion that was not obtained; "
        "= is a draft that passed on unchanged.",
    )


def _opinions(held: Leaf) -> list[Cell]:
    return [
        _STANCES.get(held.text("stances", name)) or _OPINIONS.get(held.text("opinions", name), Cell(UNKNOWN))
        for name in SPEAKERS
    ]


def _draft(held: Leaf) -> Cell:
    changed = "" if held.is_true("draft_changed") else " ="
    return Cell(f"{held.text('draft_by') or UNKNOWN}{changed}")


def said(result: Leaf) -> list[Said]:
    """Drafts, what was said in the checks, and the curator's text."""
    notes = chain(result.texts("message_notes"), repeat(""))
    drafts = [
        (one.whole("round") or 0, Said(one.text("speaker"), f"· {note}" if note else "", one.text("content")))
        for one, note in zip(result.each("conversation", "messages"), notes, strict=False)
    ]
    checks = [
        (one.whole("round") or 0, Said(_seat(one), noted("check", one), one.text("text")))
        for one in result.each("checks")
    ]
    told = sorted([*drafts, *checks], key=lambda pair: pair[0])
    found = [Said(one.who, f"round {number} {one.where}".strip(), one.text) for number, one in told]
    curation = result.at("curation")
    text = curation.text("text")
    return [*found, *([Said(_seat(curation), "curator", text)] if text else [])]


def _seat(turn: Leaf) -> str:
    return f"{turn.text('participant')} {short(turn.text('model'))}"
