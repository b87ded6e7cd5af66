"""The page of one deliberation: how it came out, its protocol's drawings, and everything that was said."""

from itertools import chain

from ledger.studies.results import ResultRow
from protocols.cost_text import cost
from protocols.flaws import WORDS, kind_of, state_flaws
from report.branch_section import beside, origin
from report.figures import UNKNOWN, dollars, duration, moment, short
from report.leaves import Leaf
from report.markup import Markup, el
from report.model_text import rendered
from report.page import page
from report.plots.frame import table
from report.protocols.catalogue import drawn, room_of
from report.protocols.said import Said
from report.transcripts import shortened

_ROOM = 4_000_000
"""Characters of transcript in the file."""
_LIMITS = (None, 50_000, 20_000, 8_000, 3_000, 1_000)


def single_page(row: ResultRow, old: ResultRow | None = None) -> str:
    """The whole document; ``old`` is the deliberation that this one branched off, when the ledger has it."""
    result = Leaf(row.result)
    left = origin(row)
    drawings = drawn(result) if left is None or old is None else []
    said = room_of(result).said(result)
    return page(
        f"{row.title}: report",
        el("h1", row.title),
        _facts(row),
        el("h2", "Question"),
        el("div", row.question, class_="quote"),
        el("h2", "Verdict"),
        _verdict(row, room_of(result).concluded(result)),
        beside(row, left, old) if left else None,
        el("h2", "How it went") if drawings else None,
        el("div", drawings, class_="plots") if drawings else None,
        _losses(result),
        _flaws(result),
        _sources(result),
        _transcript(row.deliberation_id, said) if said else None,
        rehearsals=int(row.rehearsal),
    )


def _verdict(row: ResultRow, above: list[Said]) -> Markup:
    """Return what was agreed and decided, each under a heading, and then the text of the verdict."""
    text = rendered(row.verdict) if row.verdict else el("div", f"None: {row.stop_reason}.", class_="quote")
    parts = [(el("h3", one.who, el("span", f" · {one.where}", class_="where")), rendered(one.text)) for one in above]
    return el("div", list(chain.from_iterable(parts)), el("h3", "Synthesis") if above else None, text)


def _facts(row: ResultRow) -> Markup:
    unknown = f"; of {row.calls_of_unknown_cost} calls it is not known" if row.calls_of_unknown_cost else ""
    source = f" (by {row.cost_source.replace('_', ' ')}{unknown})" if row.cost_usd is not None else ""
    paid = cost(dollars(row.cost_usd), rehearsal=row.rehearsal)
    quorum = [
        f"{stage} {Leaf(one).whole('answered')} of {Leaf(one).whole('asked')}" for stage, one in row.quorum.items()
    ]
    told = {
        "Id": row.deliberation_id,
        "Protocol": f"{row.protocol.replace('_', ' ')} {row.protocol_version} · prompts {row.prompts}",
        "Models": ", ".join(short(model) for model in row.models),
        "Served by": ", ".join((*row.served_models, *row.upstreams)),
        "Ended": f"{row.stop_reason}{' · partial' if row.partial else ''}",
        "On the way": state_flaws(row.flaws),
        "Answered": ", ".join(quorum),
        "Expected": row.expected or "",
        "Cost": f"{row.calls} calls · {row.tokens:,} tokens · {paid}{source}",
        "Time": f"{duration(row.seconds)}, {moment(row.started_at)} to {moment(row.ended_at)} UTC",
    }
    return el("dl", [(el("dt", name), el("dd", text)) for name, text in told.items() if text], class_="facts")


def _losses(result: Leaf) -> Markup | None:
    rows = [
        (
            f"{one.text('participant')} {short(one.text('model'))}",
            f"{one.text('stage')}, round {one.whole('round') or UNKNOWN}",
            one.text("kind"),
            one.text("message"),
            f"{one.whole('attempts') or UNKNOWN}",
        )
        for one in result.each("failed")
    ]
    if not rows:
        return None
    return el("section", el("h2", "Lost calls"), table(("who", "where", "kind", "message", "attempts"), rows))


def _turn(one: Leaf) -> tuple[str, int | None, str]:
    return one.text("stage"), one.whole("round"), one.text("participant")


def _flaws(result: Leaf) -> Markup | None:
    """Return the flaws that are not among the lost calls already."""
    lost = {(_turn(one), kind_of(one.text("kind"))) for one in result.each("failed")}
    rows = [
        (
            WORDS.get(one.text("kind"), (one.text("kind"),))[0],
            one.text("participant"),
            f"{one.text('stage')}, round {one.whole('round') or UNKNOWN}",
            one.text("note"),
        )
        for one in result.each("degraded", "flaws")
        if (_turn(one), one.text("kind")) not in lost
    ]
    if not rows:
        return None
    return el("section", el("h2", "Flaws"), table(("what", "who", "where", "note"), rows))


def _sources(result: Leaf) -> Markup | None:
    """Return the pages that providers named, their addresses as text that leads nowhere."""
    rows = [
        (
            f"{one.text('participant')} {short(one.text('model'))}",
            f"{one.text('stage')}, round {one.whole('round') or UNKNOWN}",
            f"[{one.whole('number') or UNKNOWN}]",
            one.text("title"),
            one.text("url"),
            one.text("excerpt"),
        )
        for one in result.each("cited")
    ]
    if not rows:
        return None
    headings = ("who", "where", "number", "title", "address", "excerpt")
    return el("section", el("h2", "Sources that providers named"), table(headings, rows))


def _transcript(deliberation_id: str, said: list[Said]) -> Markup:
    limit = next((one for one in _LIMITS if _letters(said, one) <= _ROOM), _LIMITS[-1])
    notes = []
    if limit is not None:
        notes.append(
            f"Contributions are cut to {limit:,} characters; whole: parley export {deliberation_id} --transcripts"
        )
    turns = [
        el(
            "details",
            el("summary", el("strong", one.who), el("span", f" · {one.where}", class_="where")),
            rendered(shortened(one.text, limit)),
            class_="turn",
        )
        for one in said
    ]
    return el("section", el("h2", "Transcript"), [el("p", note, class_="soft") for note in notes], turns)


def _letters(said: list[Said], limit: int | None) -> int:
    return sum(len(one.text[:limit]) for one in said)
