"""The sources of a result on the screen, in a report, in the Web UI's details and in an export."""

import io
import json
from typing import Any

import pytest
from pyarrow import parquet
from rich.console import Console

from ledger.studies.results import ResultRow
from protocols.attachments import Attachment
from protocols.cited import MOST_CITED, CitedSource, by_seat, cited_in
from protocols.model_call import Answered, ModelId, ParticipantId
from protocols.progress import Progress
from protocols.result_tables import attachments_table, sources_table
from protocols.sources import SourceLink
from report.deliberation_page import single_page
from starter.views.tables import render
from studies.exports.files import FORMATS, Format
from tests.fakes.calls import model_call
from tests.fakes.council_results import council_result
from tests.fakes.exported import exported
from tests.studies.exports.test_files import row
from workflows import web_ui_details

HOSTILE = "[click](javascript:alert(1)) <script>alert(1)</script> \x1b[31m```"
URL = "https://pages.example/1"


def cited(number: int = 1, **changes: Any) -> dict[str, Any]:
    """One source as a result holds it."""
    told = {"number": number, "url": URL, "title": "A page", "excerpt": "It says so.", "stage": "opinion", "round": 1}
    return {**told, "participant": "p1", "model": "openrouter:lab/model", **changes}


def answered(*links: SourceLink) -> Answered:
    """An answer with these sources."""
    call = model_call()
    given = {"call_id": call.call_id, "participant": call.participant, "model": call.model, "provider": "lab"}
    return Answered.model_validate({**given, "text": "Yes [1].", "sources": links})


def rows(*results: dict[str, Any]) -> list[ResultRow]:
    """Results of a study with these contents."""
    return [row(number, result=result, rehearsal=True) for number, result in enumerate(results)]


def printed(*told: dict[str, Any]) -> str:
    """The table on a screen."""
    console = Console(file=io.StringIO(), width=200, force_terminal=True, color_system=None)
    console.print(render([sources_table([CitedSource.model_validate(one) for one in told])]))
    return str(console.file.getvalue())  # type: ignore[attr-defined] # the file is the StringIO above


def test_a_reply_gives_its_sources_to_the_result() -> None:
    """Each source says who named it in which stage and round."""
    call = model_call(stage="review", round=2)
    (one,) = cited_in(call, answered(SourceLink(number=3, url=URL, title="A page")), [])
    assert (one.participant, one.stage, one.round, one.number, one.url) == (call.participant, "review", 2, 3, URL)
    assert one.line == f"{call.participant} review, round 2: [3] A page {URL}"


def test_a_result_keeps_a_bounded_number() -> None:
    """However many pages providers name, a result keeps the first of them."""
    before = [CitedSource.model_validate(cited())] * MOST_CITED
    assert len(cited_in(model_call(), answered(SourceLink(number=1, url=URL)), before)) == MOST_CITED


def test_the_screen_shows_who_named_which_page() -> None:
    """Seat, stage, number, title and address are in a row, and no control character reaches the terminal."""
    told = printed(cited(), cited(2, title=HOSTILE))
    assert all(part in told for part in ("p1", "opinion", "[1]", "A page", URL))
    assert "\x1b[31m" not in told


def test_without_sources_nothing_is_shown() -> None:
    """A result whose providers named none has neither a table nor a section."""
    assert sources_table(()).rows == ()
    assert "Sources that providers named" not in single_page(row(result=council_result().model_dump(mode="json")))


def test_the_report_shows_sources_as_text() -> None:
    """The page has every source, and neither a link nor markup of what the provider sent."""
    named = [CitedSource.model_validate(one) for one in (cited(), cited(2, title=HOSTILE))]
    told = single_page(row(result=council_result(cited=named).model_dump(mode="json")))
    assert all(part in told for part in ("Sources that providers named", "A page", URL, "It says so."))
    assert f'href="{URL}"' not in told
    assert "<script>alert(1)</script>" not in told


def test_the_details_show_the_latest_sources_fenced() -> None:
    """The Web UI's panel counts the sources and lists the latest in a block that nothing in them leaves."""
    shown = Progress(protocol="council", title="Q", sources=(f"p1 opinion: [1] {HOSTILE} {URL}",), source_count=20)
    told = web_ui_details.render(shown, "Why?")
    assert "**Sources named by providers: 20**" in told
    assert "(19 earlier)" in told
    assert told.count("```") % 2 == 0
    assert "\x1b" not in told


@pytest.mark.parametrize("kind", FORMATS)
async def test_an_export_has_one_row_for_each_source(kind: Format) -> None:
    """In every format a row names deliberation, seat, stage, page, and the evidence that a debate made of it."""
    debate = {
        "cited": [cited(), cited(2, url="https://other.example/")],
        "state": {"evidence": [{"id": "E4", "url": URL}]},
    }
    raw = await exported(rows(debate, {"cited": []}, {}), kind, "sources")
    if kind == "jsonl":
        first, second = map(json.loads, raw.decode().splitlines())
        assert (first["deliberation_id"], first["participant"], first["source"]) == ("toy/q0.council", "p1", 1)
        assert (first["url"], first["evidence"], second["evidence"]) == (URL, "E4", "")
    elif kind == "parquet":
        assert parquet.read_table(io.BytesIO(raw)).column("source").to_pylist() == [1, 2]
    else:
        assert len(raw.decode().splitlines()) == 3


def test_sources_of_a_result_do_not_depend_on_who_answered_first() -> None:
    """They are listed by round, stage and seat, each seat's in the provider's order."""
    asked = [("p10", "turns", 1), ("p2", "turns", 1), ("chair", "synthesis", 2), ("p2", "turns", 2)]
    told = [
        CitedSource(
            number=number, url=URL, participant=ParticipantId(seat), model=ModelId("lab:a"), stage=stage, round=at
        )
        for seat, stage, at in asked
        for number in (1, 2)
    ]
    listed = [(one.round, one.participant, one.number) for one in by_seat(told)]

    assert listed[:4] == [(1, "p2", 1), (1, "p2", 2), (1, "p10", 1), (1, "p10", 2)]
    assert [one[1] for one in listed[4::2]] == ["chair", "p2"]


def test_attached_files_are_listed_with_their_hashes() -> None:
    """On the screen and in the report, whole: a reader compares the file with it."""
    file = Attachment(name="paper.pdf", media_type="application/pdf", sha256="b" * 64, size=9000, tokens=40, pages=2)
    found = council_result().model_copy(update={"attachments": (file,)})
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(render([attachments_table(found.attachments)]))

    page = single_page(row(result=found.model_dump(mode="json")))
    for told in (console.export_text(), page):
        assert all(part in told for part in ("Attachments", "paper.pdf", "PDF, 2 pages", "9,000", "b" * 64))
    assert attachments_table(()).rows == ()
