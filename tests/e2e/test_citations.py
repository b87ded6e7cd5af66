"""Pages that a search of the web found: from the provider's annotations to peers, report and export."""

import json
from pathlib import Path

import pytest

from tests.fakes.installation import installation
from tests.fakes.real_studies import parley

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

ID = "cited-on-the-wire"


async def test_citations_reach_peers_report_and_export(tmp_path: Path) -> None:
    """Each page is numbered by its reply, shown to reviewers and chair, in the report, and is a row of the export."""
    lines, page = tmp_path / "sources.jsonl", tmp_path / "report.html"
    async with installation(tmp_path) as installed:
        asked = ("--models", "lab/one,lab/two", "--web", "--rehearse", "--id", ID, "--json")
        result = json.loads(await parley(installed, "council", "Which city is the largest?", *asked))
        arrived = json.loads(await parley(installed, "prompts", ID, "--arrived", "--json"))
        await parley(installed, "export", ID, "--what", "sources", "-o", str(lines))
        await parley(installed, "report", ID, "-o", str(page))
    exported = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    bodies = {one["call_id"]: json.loads(one["body"]) for one in arrived["requests"]}
    chair = json.dumps(bodies["synthesis-chair"]["messages"])
    searching = {call_id for call_id, body in bodies.items() if "plugins" in body}

    assert {"opinion-p1", "opinion-p2"} == searching
    assert {"p1": [1, 2], "p2": [1, 2]} == {
        seat: [row["source"] for row in exported if row["participant"] == seat] for seat in ("p1", "p2")
    }
    assert [(one["participant"], one["number"], one["url"]) for one in result["cited"]] == [
        (one["participant"], one["source"], one["url"]) for one in exported
    ]
    for address in (row["url"] for row in exported):
        assert address in chair
        assert address in page.read_text("utf-8")
