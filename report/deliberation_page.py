"""The page of one deliberation: verdict, tables and drawings of its protocol, and transcript."""

from collections.abc import Sequence
from itertools import chain

from ledger.studies.results import ResultRow
from protocols.branch import Origin
from protocols.cost_text import UNKNOWN_COST, cost, known_tokens, unanswered
from protocols.deliberation import DeliberationResult
from protocols.flaws import state_flaws
from protocols.plurals import counted
from protocols.result_tables import attachments_table, flaws_table, lost_table, sources_table
from protocols.tables import ResultView, Utterance, name_seats
from report.figures import UNKNOWN, dollars, duration, moment, short
from report.markup import Markup, el, rendered
from report.page import page
from report.read_results import ReadResult, read_result
from report.tables import render, section
from report.transcripts import shortened

_MOST_CHARACTERS = 4_000_000
"""Characters of transcript in the file."""
_UNREADABLE = "Another version wrote this result, and this one cannot read it: parley export has it whole."
_LIMITS = (None, 50_000, 20_000, 8_000, 3_000, 1_000)


def single_page(row: ResultRow, old: ResultRow | None = None, follow_ups: Sequence[str] = ()) -> str:
    """Return the whole document, beside ``old`` when it is a branch of that, with the ids of its ``follow_ups``."""
    read, left = read_result(row), read_result(old) if old else None
    view, drawings = read.view, render(read.view.tables) if left is None else []
    return page(
        f"{row.title}: report",
        el("h1", row.title),
        _facts(row, read.result, follow_ups),
        *(_before(read.result) if read.result else ()),
        el("h2", "Question"),
        _quoted(row.question),
        el("details", el("summary", "The whole prompt of round 1"), _quoted(view.prompt)) if view.prompt else None,
        el("h2", "Verdict"),
        _verdict(row, view),
        _budget(read.result),
        el("p", _UNREADABLE, class_="soft") if row.result and read.result is None else None,
        branch_section(read, read.origin, left) if read.origin else None,
        el("h2", "How it went") if drawings else None,
        el("div", drawings, class_="plots") if drawings else None,
        *(_shared_tables(read.result) if read.result else ()),
        _transcript(row.deliberation_id, view.utterances) if view.utterances else None,
        rehearsals=int(row.rehearsal),
    )


def _before(result: DeliberationResult) -> tuple[Markup | None, ...]:
    """Return the instructions, and the conversation before the question, where there are any."""
    examples = [(el("h3", "Example"), _quoted(one.user), _quoted(one.assistant)) for one in result.examples]
    said = [(el("h3", one.role.capitalize()), _quoted(one.content)) for one in result.context_messages]
    instructed = (_quoted(result.system) if result.system else None, *chain.from_iterable(examples))
    return (
        el("section", el("h2", "Instructions"), *instructed) if result.system or examples else None,
        el("section", el("h2", "Conversation before"), *chain.from_iterable(said)) if said else None,
    )


def _quoted(text: str) -> Markup:
    return el("div", text, class_="quote")


def _shared_tables(result: DeliberationResult) -> tuple[Markup | None, ...]:
    lost, flaws = lost_table(result.failed), flaws_table(result.degraded, result.failed)
    named = (name_seats(one, result.names) for one in (lost, flaws, sources_table(result.cited)))
    return tuple(section(one, "h2") for one in (attachments_table(result.attachments), *named))


def _budget(result: DeliberationResult | None) -> Markup | None:
    """Return the limits with their use, and the calls that were left out; ``None`` without a limit."""
    if result is None or result.budget is None:
        return None
    line = result.budget.line
    return el("p", f"{line[0].upper()}{line[1:]}.", class_="soft")


def _verdict(row: ResultRow, view: ResultView) -> Markup:
    """Return the conclusions, each under a heading, then the text of the verdict and its author."""
    text = rendered(row.verdict) if row.verdict else el("div", f"None: {row.stop_reason}.", class_="quote")
    parts = [
        (el("h3", one.who, el("span", f" · {one.place}", class_="where")), rendered(one.text))
        for one in view.conclusions
    ]
    synthesis = el("h3", "Synthesis") if parts else None
    author = el("p", view.author, class_="soft") if view.author and row.verdict else None
    return el("div", list(chain.from_iterable(parts)), synthesis, text, author)


def _facts(row: ResultRow, result: DeliberationResult | None, follow_ups: Sequence[str]) -> Markup:
    unknown = f"; of {counted(row.calls_of_unknown_cost, 'call')} it is not known" if row.calls_of_unknown_cost else ""
    by = "" if row.cost_source == "unknown" else f"by {row.cost_source.replace('_', ' ')}"
    said = f"{by}{unknown}{unanswered(row.unanswered_requests)}".removeprefix("; ")
    source = f" ({said})" if said and row.cost_usd is not None else ""
    tokens = known_tokens(row.tokens, uncounted=row.calls_of_unknown_tokens)
    quorum = [f"{at} {n.get('answered')} of {n.get('asked')}" for at, n in row.quorum.items() if isinstance(n, dict)]
    values = {
        "Id": row.deliberation_id,
        "Protocol": f"{row.protocol.replace('-', ' ')} {row.protocol_version} · prompts {row.prompts}",
        "Follow-up": result.continues.as_text if result and result.continues else "",
        "Continued by": ", ".join(follow_ups),
        "Models": ", ".join(short(model) for model in row.models),
        "Served by": ", ".join((*row.served_models, *row.upstreams)),
        "Ended": f"{row.stop_reason}{' · partial' if row.partial else ''}",
        "On the way": state_flaws(row.flaws),
        "Answered": ", ".join(quorum),
        "Expected": row.expected or "",
        "Cost": f"{counted(row.calls, 'call')} · {tokens} · {_paid(row)}{source}",
        "Time": f"{duration(row.seconds)}, {moment(row.started_at)} to {moment(row.ended_at)} UTC",
    }
    return el("dl", [(el("dt", name), el("dd", text)) for name, text in values.items() if text], class_="facts")


def _paid(row: ResultRow) -> str:
    return UNKNOWN_COST if row.cost_usd is None else cost(dollars(row.cost_usd), rehearsal=row.rehearsal)


def _transcript(deliberation_id: str, said: Sequence[Utterance]) -> Markup:
    fits = (one for one in _LIMITS if sum(len(each.text[:one]) for each in said) <= _MOST_CHARACTERS)
    limit = next(fits, _LIMITS[-1])
    cut = (
        limit
        and f"Contributions are cut to {limit:,} characters; whole: parley export {deliberation_id} --what results"
    )
    turns = [
        el(
            "details",
            el("summary", el("strong", one.who), el("span", f" · {one.place}", class_="where")),
            rendered(shortened(one.text, limit)),
            class_="turn",
        )
        for one in said
    ]
    return el("section", el("h2", "Transcript"), el("p", cut, class_="soft") if cut else None, turns)


def branch_section(branch: ReadResult, left: Origin, old: ReadResult | None) -> Markup:
    """Return both branches, the older at the left; without it, a remark that it is not in this ledger."""
    changed = ", ".join(f"{seat} is {model}" for seat, model in left.seats.items())
    changed = changed or "fresh samples of the same models"
    shared = f"Shared with {left.of} through round {left.through_round}; from then on: {changed}."
    title = el("h2", "Two branches")
    if old is None:
        missing = f"{left.of} is not in this ledger, so it cannot be shown beside."
        return el("section", title, el("p", shared), el("p", missing, class_="soft"))
    sides = [_side(old, "The old one", "old-"), _side(branch, "The branch", "new-")]
    return el("section", title, el("p", shared), el("div", sides, class_="beside"))


def _side(read: ReadResult, title: str, prefix: str) -> Markup:
    row = read.row
    facts = (
        ("Id", row.deliberation_id),
        ("Ended", row.stop_reason),
        ("Calls it paid", f"{row.calls}"),
        ("Cost", f"{counted(row.tokens, 'token')} · {_paid(row)}"),
    )
    return el(
        "div",
        el("h3", title),
        el("dl", [(el("dt", name), el("dd", text)) for name, text in facts], class_="facts"),
        rendered(row.verdict or UNKNOWN),
        render(read.view.tables, prefix),
    )
