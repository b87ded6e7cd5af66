"""Reading prompts from files: every format, every bad row at once, and nothing in silence."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from studies.screening.files import PromptFile, read_prompts

PROMPTFOO = """\
description: a red team
prompts: ["Answer: {{question}}"]
tests:
  - description: first
    vars: {question: "One?"}
    assert: [{type: contains, value: x}]
  - vars:
      question: |
        Two
        lines?
"""
RESULTS = {"evalId": "e", "results": {"version": 3, "results": [{"prompt": {"raw": "One?"}, "vars": {"a": "b"}}]}}


def users(found: PromptFile) -> list[tuple[str, str]]:
    """Each prompt's name and user layer."""
    return [(one.name, one.layers.user) for one in found.prompts]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.jsonl", '{"id": "x", "prompt": "One?"}\n\n{"prompt": "Two?"}\n', [("x", "One?"), ("line 3", "Two?")]),
        ("a.ndjson", '{"prompt": "One?"}', [("line 1", "One?")]),
        ("a.json", '[{"prompt": "One?"}, "Two?"]', [("item 1", "One?"), ("item 2", "Two?")]),
        ("a.json", '{"b1": ["One?", "Two?"], "b2": ["Three?"]}', [("b1", "One?"), ("b1", "Two?"), ("b2", "Three?")]),
        ("a.json", json.dumps(RESULTS), [("item 1", "One?")]),
        ("a.json", '{"jailbreaks": [{"goal": "g", "prompt": "One?"}]}', [("item 1", "One?")]),
        ("a.csv", 'prompt,__expected\n"One\nand?",x\nTwo?,y\n', [("line 2", "One\nand?"), ("line 4", "Two?")]),
        ("a.csv", "question,__expected\nOne?,x\n", [("line 2", "One?")]),
        ("a.csv", "sep=;\nid;prompt\n1;One, two?\n", [("1", "One, two?")]),
        ("a.csv", "id;prompt;x\n1;One, two?;2\n", [("1", "One, two?")]),
        ("a.yaml", PROMPTFOO, [("first", "One?"), ("item 2", "Two\nlines?\n")]),
        ("a.yml", "- prompt: One?\n", [("item 1", "One?")]),
        ("a.txt", "One?\r\n\n@two.txt\n", [("line 1", "One?"), ("line 3", "@two.txt")]),
    ],
)
def test_every_format_is_read(tmp_path: Path, name: str, text: str, expected: list[tuple[str, str]]) -> None:
    """The end of the name says the format; a text is text, also one that looks like the name of a file."""
    (tmp_path / name).write_text(text, newline="")
    assert expected == users(read_prompts(str(tmp_path / name)))


def test_attempts_of_garak_are_read_once_and_its_other_lines_not_at_all(tmp_path: Path) -> None:
    """A report has its set-up, each attempt before and after it is graded, and evaluations."""
    attempt = {"entry_type": "attempt", "uuid": "u1", "prompt": {"turns": [{"role": "user", "content": {"text": "U"}}]}}
    lines = [{"entry_type": "init"}, {**attempt, "status": 1}, {**attempt, "status": 2}, {"entry_type": "eval"}]
    (tmp_path / "garak.report.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [("u1", "U")] == users(read_prompts(str(tmp_path / "garak.report.jsonl")))


def test_several_prompts_of_one_row_are_numbered(tmp_path: Path) -> None:
    """Each text of a list is a prompt of its own."""
    (tmp_path / "a.jsonl").write_text('{"id": "x", "vars": {"q": ["One?", "Two?"]}}')
    assert [("x (1)", "One?"), ("x (2)", "Two?")] == users(read_prompts(str(tmp_path / "a.jsonl")))


def test_all_bad_rows_are_reported_at_once_and_nothing_is_judged(tmp_path: Path) -> None:
    """Before anything is paid a user sees what is wrong, where, and what to do."""
    (tmp_path / "a.jsonl").write_text('{"prompt": "One?"}\n{"prompt": " "}\n[]\n')
    with pytest.raises(RequestError) as refused:
        read_prompts(str(tmp_path / "a.jsonl"))
    told = str(refused.value).splitlines()
    assert ["  line 2: 'prompt' is blank", 'line 3: is no object; a line is one object: {"question": "…"}'] == [
        told[1],
        told[2].strip(),
    ]
    assert "--skip-bad" in told[-1]


def test_a_row_of_a_table_whose_user_s_text_is_blank_is_refused(tmp_path: Path) -> None:
    """The system's text is not judged in place of a user's text that was forgotten; the row is named."""
    (tmp_path / "a.csv").write_text("system,user\nBe kind.,One?\nBe kind.,\n")
    with pytest.raises(RequestError, match=r"line 3: has the layer system, but 'user' is blank") as refused:
        read_prompts(str(tmp_path / "a.csv"))
    assert "--skip-bad" in str(refused.value)


def test_bad_rows_are_left_out_where_that_is_wanted(tmp_path: Path) -> None:
    """Rows that are left out are named."""
    (tmp_path / "a.jsonl").write_text('{"prompt": "One?"}\n{"prompt": " "}\n')
    found = read_prompts(str(tmp_path / "a.jsonl"), skip_bad=True)
    assert ([("line 1", "One?")], ("line 2: 'prompt' is blank",)) == (users(found), found.skipped)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.md", "One?", "the name does not say the format"),
        ("a.jsonl", "", "has no prompts"),
        ("a.json", "{", "cannot be read as json"),
        ("a.json", "3", "has no list of prompts"),
        ("a.json", '{"a": 3}', "one is looked for below: tests"),
        ("a.yaml", "tests: file://more.yaml", "'file://more.yaml'; name the file that holds the list"),
        ("a.yaml", "a: [", "cannot be read as yaml"),
        ("a.yaml", "!!python/object/apply:os.system [ls]", "cannot be read as yaml"),
        ("a.csv", 'prompt\n"One?\nTwo?\n', "in line 2 begins a field that takes in everything up to line 3"),
        ("a.json", '{"b1": ["One?"], "b1": ["Two?"]}', "names 'b1' twice"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, text: str, reason: str) -> None:
    """The message names the file and the remedy; YAML makes plain values and nothing else."""
    (tmp_path / name).write_text(text)
    with pytest.raises(RequestError, match=name) as refused:
        read_prompts(str(tmp_path / name))
    assert reason in str(refused.value)


def test_no_row_behind_a_broken_one_is_lost(tmp_path: Path) -> None:
    """With ``--skip-bad`` the rows behind a wrong quote are judged, and a file with an open quote is refused."""
    (tmp_path / "a.csv").write_text('prompt,x\n"One" more,1\nTwo?,2\n')
    found = read_prompts(str(tmp_path / "a.csv"), skip_bad=True)
    assert ([("line 3", "Two?")], 1) == (users(found), len(found.skipped))
    (tmp_path / "a.csv").write_text('prompt,x\nOne?,1\n"Two?,2\nThree?,3\n')
    with pytest.raises(RequestError, match="takes in everything up to line 4"):
        read_prompts(str(tmp_path / "a.csv"), skip_bad=True)


@pytest.mark.parametrize("given", [None, 5, b"prompts.csv", []])
def test_what_is_no_path_is_refused(given: Any) -> None:
    """A path is a text or a ``pathlib.Path``."""
    with pytest.raises(RequestError, match="a file of prompts is named by its path"):
        read_prompts(given)


def test_standard_input_needs_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """``-`` is standard input, and has no name that could say it."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"One?\n")))
    with pytest.raises(RequestError, match="Say --format"):
        read_prompts("-")
    assert [("line 1", "One?")] == users(read_prompts("-", kind="txt"))


def test_a_column_can_be_named(tmp_path: Path) -> None:
    """Where two columns could hold the prompt a user says which does."""
    (tmp_path / "a.csv").write_text("first,second\nOne?,Two?\n")
    assert [("line 2", "Two?")] == users(read_prompts(str(tmp_path / "a.csv"), column="second"))
