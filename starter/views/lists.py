"""Lists: deliberations, providers, rate limits, schedules, patterns, counts, and the findings of a check-up."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from rich.console import Group, RenderableType
from rich.text import Text

from parley.catalogue import ProviderLine
from parley.listing import Listed
from protocols.cost_text import UNKNOWN_COST, cost, known_tokens, unanswered, with_unknown
from protocols.plurals import counted
from protocols.tables import Cell, Column, Table, Tone, decimal, rows
from protocols.visible_text import one_line, printable
from starter.views.tables import plain, rehearsal_label, render

if TYPE_CHECKING:  # a list of one kind does not need what makes the others
    from ledger.patterns import PatternEntry
    from ledger.statistics import ConsensusStats
    from parley.limits import LimitLine
    from starter.doctor.checkup import Check
    from studies.schedules import ScheduleLine

_STATUS_STYLES = {"running": "cyan", "completed": "green"}
_PROVIDER = ("provider", "keys go to", "key", "queue", "requests/s", "at once per worker", "JSON schema")
_WHOLE: Mapping[str, Literal["with room", "always"]] = {
    "provider": "always",
    "keys go to": "with room",
    "key": "always",
}
_KEY_TONES: Mapping[str, Tone] = {"set": "good", "not needed": "muted"}
_NAME_WIDTH = 60
_ID_WIDTH = 200
_TEXT_WIDTH = 400


def deliberations(lines: Sequence[Listed]) -> RenderableType:
    """Return two lines per deliberation, the newest first: its whole id, and its facts."""
    if not lines:
        return Text("there is no deliberation to list")
    return Group(*(row for line in lines for row in (_named(line), Text(f"    {_known(line, lines)}", style="dim"))))


def providers(lines: Sequence[ProviderLine], panels: Sequence[str]) -> RenderableType:
    """Return one row per provider, and the names of the panels."""
    named = tuple(Column(heading, whole=_WHOLE.get(heading, "")) for heading in _PROVIDER)
    states = [line.key if line.is_confirmed else "not agreed" for line in lines]
    body = [
        (
            line.name,
            line.keys_go_to,
            Cell(state, tone=_KEY_TONES.get(state, "bad")),
            line.queue,
            "no limit" if line.requests_per_second is None else f"{line.requests_per_second:g}",
            "no limit" if line.max_concurrent is None else str(line.max_concurrent),
            line.json_schema,
        )
        for line, state in zip(lines, states, strict=True)
    ]
    unconfirmed = [
        Text(f"  nothing is sent to {line.name} before: parley allow {line.name}", style="yellow")
        for line in lines
        if not line.is_confirmed
    ]
    return Group(
        render([Table(columns=named, rows=rows(body))]),
        *unconfirmed,
        Text(f"panels: {', '.join(panels)}   (parley panels show NAME shows one)"),
    )


def checks(found: "Sequence[Check]") -> RenderableType:
    """Return one line per check, ``?`` before one that could not be made, with the remedy under each failed one."""
    parts: list[RenderableType] = []
    for check in found:
        mark, style = ("✗", "red") if not check.ok else ("✓", "green") if check.is_checked else ("?", "yellow")
        line = Text.assemble((mark, style), f" {check.name}: ", printable(check.found))
        parts.append(line)
        if check.remedy:
            parts.append(Text(f"    {printable(check.remedy)}", style="yellow"))
    return Group(*parts)


def limits_table(lines: "Sequence[LimitLine]") -> RenderableType:
    """Return one row per provider, its single models under it."""
    if not lines:
        return Text("no provider has a limit; give one requests_per_second in the providers file")
    body = []
    for line in lines:
        body.append((line.provider, line.queue, _rate(line.per_second), _rate(line.per_model), line.reason))
        body += [("", f"· {name}", "", _rate(rate), "") for name, rate in sorted(line.models.items())]
    return plain(("provider", "queue", "requests/s", "each model", "why"), body)


def schedules_table(lines: "Sequence[ScheduleLine]") -> RenderableType:
    """Return one row per schedule, its newest firings under it."""
    if not lines:
        return Text("there is no schedule; make one with: parley schedule create NAME STUDY.toml --cron '0 3 * * *'")
    body: list[Sequence[str | Cell]] = []
    for line in lines:
        coming = "paused" if line.paused else f"{line.next_at:%Y-%m-%d %H:%M} UTC" if line.next_at else "never"
        body.append((line.name, line.times, coming, line.note))
        body += [(Cell(f"· {firing}", "muted"), "", "", "") for firing in line.recent]
    return plain(("schedule", "times", "next", "note"), body)


def stats(real: "ConsensusStats", rehearsal: "ConsensusStats") -> RenderableType:
    """Return the real consensuses first; rehearsals are left out where the ledger has none."""
    parts = [Text("there is no consensus of real models in the ledger yet")] if real.is_empty else _counts(real)
    return Group(*parts) if rehearsal.is_empty else Group(*parts, rehearsal_label(), *_counts(rehearsal))


def patterns(real: "Sequence[PatternEntry]", rehearsal: "Sequence[PatternEntry] | None") -> RenderableType:
    """Return the real entries first; ``rehearsal`` is ``None`` when only those are wanted."""
    if rehearsal is None:
        return _listed(real, "; those of rehearsals: --rehearsals")
    return Group(_listed(real, " of real models"), rehearsal_label(), _listed(rehearsal))


def _named(line: Listed) -> Text:
    ended = line.status == "completed" and line.stop_reason
    status = line.stop_reason if ended and line.stop_reason else line.status
    return Text.assemble((line.id, "bold"), "  ", (printable(status), _STATUS_STYLES.get(line.status, "red")))


def _known(line: Listed, others: Sequence[Listed]) -> str:
    facts = [
        "REHEARSAL" if line.rehearsal else "",
        "degraded" if line.degraded else "",
        one_line(line.title or "", width=60),
        *_standing(line),
        "" if line.participants is None else counted(line.participants, "seat"),
        _tokens(line),
        _paid(line),
        f"{line.started:%Y-%m-%d %H:%M} UTC",
        f"continues {line.continues}" if line.continues else "",
        *(f"continued by {one.id}" for one in others if one.continues == line.id),
    ]
    return " · ".join(fact for fact in facts if fact)


def _tokens(line: Listed) -> str:
    uncounted = line.calls_of_unknown_tokens or 0
    return known_tokens(line.tokens or 0, uncounted=uncounted) if line.tokens is not None or uncounted else ""


def _paid(line: Listed) -> str:
    unknown = line.calls_of_unknown_cost or 0
    if line.cost_usd is None:
        return UNKNOWN_COST if unknown else ""
    known = with_unknown(f"${decimal(line.cost_usd, 4)}", unknown)
    return cost(known, rehearsal=line.rehearsal) + unanswered(line.unanswered_requests or 0)


def _standing(line: Listed) -> tuple[str, str]:
    if line.status != "running":
        return "", ""
    return "" if line.round is None else f"round {line.round}", line.stage or ""


def _rate(value: float | None) -> str:
    return "no limit" if value is None else f"{value:g}"


def _counts(counted: "ConsensusStats") -> list[RenderableType]:
    average = "unknown" if counted.average_rounds is None else f"{counted.average_rounds:.2f}"
    body = ((f"{line.day}", f"{line.conversations:,}") for line in counted.daily_conversations)
    days = plain(("day (UTC)", "conversations"), body, right={"conversations"})
    return [days, _votes(counted), Text(f"average rounds: {average}")]


def _votes(counted: "ConsensusStats") -> RenderableType:
    counts = ("checks asked for", "accepted (NO)", "corrections", "objections", "unread", "lost")
    body = []
    for line in counted.voting_patterns:
        read = (line.total_votes, line.no_votes, line.corrections, line.objections)
        body.append((line.model_id, *(f"{count:,}" for count in (*read, line.unread_votes, line.lost_votes))))
    return plain(("model", *counts), body, right=counts)


def _listed(entries: "Sequence[PatternEntry]", remark: str = "") -> RenderableType:
    if not entries:
        return Text(f"the ledger has no such pattern{remark}")
    return Group(*(line for entry in entries for line in _lines(entry)))


def _lines(entry: "PatternEntry") -> list[RenderableType]:
    """Return the lines of an entry: type, agreement, description, quotes and origin.

    Long texts are cut here; the JSON document has them whole.
    """
    content = entry.content
    quoted = [Text(f'    "{one_line(example, width=_TEXT_WIDTH)}"', style="italic") for example in content.examples]
    seen_by = ", ".join(one_line(model, width=_NAME_WIDTH) for model in content.models)
    return [
        Text.assemble((one_line(entry.subcategory, width=_NAME_WIDTH), "bold"), f"  agreement {content.agreement:.2f}"),
        Text(f"    {one_line(content.description, width=_TEXT_WIDTH)}"),
        *quoted,
        Text(f"    {one_line(content.attack_id, width=_ID_WIDTH)} · {seen_by}", style="dim"),
        Text(
            f"    found by {one_line(entry.deliberation_id, width=_ID_WIDTH)}, {entry.recorded_at:%Y-%m-%d}",
            style="dim",
        ),
    ]
