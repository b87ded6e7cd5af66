"""A function of the user's: in a process of its own, with a time limit, without secrets."""

import re
from pathlib import Path

import pytest

from parley.errors import RequestError
from studies.scores.answer_scorers import Finding
from studies.scores.python_scorer import FunctionProcess
from studies.scores.scorers import PythonScorer
from tests.fakes.reported import row
from tests.repository.sources import ROOT

_FILE = """
import os, sys, time
from neighbour import WORDS
def length(row, result): print("noise"); return len(result["verdict"].split()) / WORDS
def right(row, result): return row["accepted"] == ["B"] and result["verdict"].endswith("B")
def label(row, result): return result["arm"]
def row_keys(row, result): return " ".join(row)
def result_keys(row, result): return " ".join(result)
def nothing(row, result): return None
def broken(row, result): return 1 / 0
def a_list(row, result): return []
def infinite(row, result): return float("inf")
def huge(row, result): return 10**400
def unwritable(row, result): raise ValueError("a" + chr(0xD800) + chr(0))
def surrogate(row, result): return "a" + chr(0xD800)
class Item:
    def item(self): return True
def numpy(row, result): return Item()
def secret(row, result): return str(os.environ.get("PARLEY_ENCRYPTION_KEYS"))
def slow(row, result):
    while row["row_id"] == "row-0": time.sleep(1)
    return 1
def ends(row, result): sys.exit(3)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with functions, and a module beside it."""
    (tmp_path / "neighbour.py").write_text("WORDS = 2")
    (tmp_path / "mine.py").write_text(_FILE)
    return tmp_path / "mine.py"


async def _said(file: Path, function: str, *numbers: int, limit: float = 60) -> list[Finding]:
    process = FunctionProcess(PythonScorer(kind="python", file=file, function=function, timeout=limit))
    try:
        return [await process.find(row(n, verdict="it is B"), ["B"]) for n in numbers or (0,)]
    finally:
        await process.aclose()


async def test_what_a_function_returns_is_the_score(file: Path) -> None:
    """A number is a value, true and false are right and wrong, a text is a class; what it prints is no result."""
    assert [one.value for one in await _said(file, "length", 0, 1)] == [1.5, 1.5]
    assert (await _said(file, "right"))[0].correct is True
    assert (await _said(file, "label"))[0].label == "council"
    assert (await _said(file, "numpy"))[0].correct is True
    assert (await _said(file, "surrogate"))[0].label == "a?"


@pytest.mark.parametrize(
    ("function", "outcome", "reason"),
    [
        ("nothing", "unanswered", "the function returned None"),
        ("broken", "failed", "ZeroDivisionError: division by zero"),
        ("a_list", "failed", "it returned list; return a number, a text, True, False or None"),
        ("infinite", "failed", "the function returned inf, which is no finite number"),
        ("ends", "failed", "the function ended its process"),
        ("unwritable", "failed", "ValueError: a?"),
        ("huge", "failed", "OverflowError: int too large to convert to float"),
    ],
)
async def test_a_function_that_gives_no_score_is_said_so(file: Path, function: str, outcome: str, reason: str) -> None:
    """Nothing that a function does ends the scoring, and nothing is silently a score."""
    (found,) = await _said(file, function)
    assert (found.outcome, found.reason, found.value) == (outcome, reason, None)


async def test_the_page_names_what_a_function_takes(file: Path) -> None:
    """Every key of the row is in the page, and so are the columns of an export that the result does not have."""
    page = (ROOT / "docs" / "scores.md").read_text("utf-8")
    data = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## `deliberations`")[2].partition("\n## ")[0]
    rows, left_out = page.partition("| `row` |")[2].split("| `result` |")[0], page.partition("follows from other")[2]
    columns = {one for one in re.findall(r"^\| `(\w+)` \|", data, re.MULTILINE) if not one.startswith("scorer_")}
    taken = [set(str(one.label).split()) for one in await _said(file, "row_keys") + await _said(file, "result_keys")]

    named = " ".join(line.split("|")[1] for line in rows.splitlines() if line.startswith("| `"))
    assert taken[0] == set(re.findall(r"`(\w+)`", named))
    assert columns - taken[1] == set(re.findall(r"`(\w+)`", left_out.partition(", and what")[0]))
    assert taken[1] - columns == {"result", "missing_reason"}


async def test_a_slow_function_is_stopped_and_the_next_deliberation_scored(file: Path) -> None:
    """The limit is of one deliberation."""
    slow, quick = await _said(file, "slow", 0, 1, limit=5)
    assert (slow.outcome, slow.reason) == ("failed", "the function took longer than 5 s")
    assert quick.value == 1


async def test_no_secret_reaches_a_function(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys stay in the process that has them."""
    monkeypatch.setenv("PARLEY_ENCRYPTION_KEYS", "k1:secret")
    assert (await _said(file, "secret"))[0].label == "None"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("def other(): pass", "has no function 'length'"), ("import nothing_of_that_name", "ModuleNotFoundError")],
)
async def test_a_file_that_cannot_be_used_ends_the_scoring(tmp_path: Path, text: str, reason: str) -> None:
    """A mistake in the file is no property of any deliberation."""
    broken = tmp_path / "mine.py"
    broken.write_text(text)
    with pytest.raises(RequestError, match=reason):
        await _said(broken, "length")
