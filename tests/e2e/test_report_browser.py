import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from report.deliberation_page import single_page
from report.study import study_page
from studies.comparison.compare import compare_scored
from studies.comparison.scoring import LabelRule
from tests.fakes import reported
from tests.fakes.hostile_markdown import ATTACKS
from tests.fakes.reported import collect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CONTENT = {"label": {"read": "choice", "choices": ["A", "B", "C", "D"]}}

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH; the report is not seen in a browser"),
    pytest.mark.timeout(180),
]


def document() -> str:
    """The report of a small study; one verdict tries to become markup."""
    rows = list(reported.study_rows(6, letters=300))
    rows[0] = rows[0].model_copy(update={"question": "<b id='hurt'>x</b>"})
    seen = collect(rows, LabelRule.of(CONTENT))
    return study_page(reported.about(title="A study"), seen, compare_scored("study", seen.marks, CONTENT))


def dom(place: Path, text: str) -> str:
    """What the page has become after its script has run."""
    file = place / "report.html"
    file.write_text(text, "utf-8")
    done = subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={place / 'profile'}",
            "--virtual-time-budget=8000",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def acted(place: Path, script: str) -> dict[str, Any]:
    """What ``script`` finds in the page when the policy allows it too; it fills ``found``."""
    whole = (
        f"(async () => {{ const found = {{}}; {script}; const told = document.createElement('pre'); told.id = 'told';"
        " told.textContent = JSON.stringify(found); document.body.append(told); })();"
    )
    mine = b64encode(sha256(whole.encode()).digest()).decode()
    text = document().replace("script-src ", f"script-src &#x27;sha256-{mine}&#x27; ")
    shown = dom(place, text.replace("</body>", f"<script>{whole}</script></body>"))
    told = re.search(r'<pre id="told">(.*?)</pre>', shown, re.DOTALL)
    assert told is not None, shown[-2000:]
    found: dict[str, Any] = json.loads(unescape(told[1]))
    return found


def test_a_person_sorts_filters_and_opens(tmp_path: Path) -> None:
    """Headings sort as numbers, both ways; filters hide; + opens a transcript as text and − closes it again."""
    found = acted(
        tmp_path,
        """
        const table = document.getElementById("deliberations");
        const rows = () => Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
        const heads = Array.from(table.tHead.rows[0].cells);
        const tokens = heads.findIndex((head) => head.textContent === "tokens");
        const values = () => rows().map((row) => Number(row.cells[tokens].dataset.value));
        heads[tokens].querySelector("button").click();
        found.up = values();
        found.sorted = heads[tokens].getAttribute("aria-sort");
        heads[tokens].querySelector("button").click();
        found.down = values();
        const arm = document.getElementById("arm");
        arm.value = "consensus";
        arm.dispatchEvent(new Event("input"));
        found.shown = [rows().length, document.getElementById("shown").textContent];
        arm.value = "";
        arm.dispatchEvent(new Event("input"));
        const button = document.querySelector('tr[data-place="0"] button.open');
        button.click();
        await new Promise((done) => setTimeout(done, 1500));
        found.expanded = button.getAttribute("aria-expanded");
        found.opened = document.getElementById("opened-0").textContent;
        found.hurt = document.getElementById("hurt") !== null;
        button.click();
        found.closed = document.getElementById("opened-0") === null;
        """,
    )
    assert found["up"] == sorted(found["up"])
    assert found["down"] == found["up"][::-1]
    assert found["sorted"] == "ascending"
    assert found["shown"] == [6, "6 of 30 shown"]
    assert (found["expanded"], found["hurt"], found["closed"]) == ("true", False, True)
    assert found["opened"].startswith("Question<b id='hurt'>x</b>Verdict")


def test_a_script_that_came_in_does_not_run(tmp_path: Path) -> None:
    """Even text that became as markup could not run: the policy knows the file's own script alone."""
    planted = "<script>document.body.id = 'hurt'</script><p onclick='1' style='color:red' id='p'></p></main>"
    shown = dom(tmp_path, document().replace("</main>", planted))
    assert "6 of 30 shown" in shown or "30 of 30 shown" in shown
    assert 'body id="hurt"' not in shown


def test_nothing_overflows_the_drawings(tmp_path: Path) -> None:
    """Every word in a drawing lies inside it, so nothing is cut off at an edge."""
    found = acted(
        tmp_path,
        """
        found.outside = Array.from(document.querySelectorAll("svg text")).filter((word) => {
          const box = word.getBBox(), view = word.ownerSVGElement.viewBox.baseVal;
          return box.x < -1 || box.y < -1 || box.x + box.width > view.width + 1 || box.y + box.height > view.height + 1;
        }).map((word) => word.textContent);
        """,
    )
    assert found["outside"] == []


def test_an_attack_in_markdown_stays_text(tmp_path: Path) -> None:
    """Of every known attack a browser makes text in a box: nothing to follow, to load, to run or to cover the page."""
    verdict = "\n\n".join(ATTACKS.values())
    row = next(iter(reported.study_rows(1, letters=300))).model_copy(update={"verdict": verdict})
    shown = dom(tmp_path, single_page(row))
    body = shown.partition("<body>")[2]

    assert not re.search(r"<(?:a|img|script|iframe|form|link|object|embed|svg:a)\b", body)
    assert not re.search(r"<[^>]+\s(?:href|src|on\w+|style)=", body)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
    assert ["Question", "Verdict"] == re.findall(r"<h2>([^<]*)</h2>", body)[:2]
    assert body.count("<h2>Verdict</h2>") == 1
