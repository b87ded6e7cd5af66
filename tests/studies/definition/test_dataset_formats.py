"""Datasets as researchers have them: what spreadsheets, pandas and benchmark repositories write."""

import csv
import datetime as dt
import io
import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest
from openpyxl.chart import BarChart

from parley.errors import RequestError
from studies.dataset.dataset import Dataset
from studies.dataset.records import Layout
from studies.definition.files import Overrides
from studies.definition.load import LoadedStudy, load_study
from tests.fakes.real_replies import DATA
from tests.fakes.study_files import AT_ONCE, dataset, settings

TABLE = "id;question;note\n1;Was, bitte?;ä\n2;Wie?;\n"


def _asked(found: LoadedStudy) -> list[str]:
    return [row.question for row in found.rows()]


def _workbook(rows: list[list[Any]], name: str = "q.xlsx", sheet: str = "Questions") -> bytes:
    book = openpyxl.Workbook()
    book.active.title = sheet
    for row in rows:
        book.active.append(row)
    book.create_sheet("Other").append(["question"])
    book["Other"].append(["From the other?"])
    book.save(name)
    return Path(name).read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        TABLE.encode(),
        TABLE.replace("Was, bitte?", '"Was, bitte?"').replace(";", ",").encode(),
        TABLE.replace(";", "\t").encode(),
        TABLE.replace(";", "|").encode(),
        b"sep=;\r\n" + TABLE.encode(),
        TABLE.replace("note", '"note, in full"').encode(),
        ("\ufeff" + TABLE).encode(),
        TABLE.encode("utf-16"),
        TABLE.encode("utf-16-le"),
        TABLE.encode("utf-16-be"),
        ("\ufeff" + TABLE).encode("utf-16-be"),
        TABLE.encode("utf-32"),
        TABLE.replace("\n", "\r\n").encode(),
        TABLE.replace("\n", "\r").encode(),
        TABLE.replace("\n", ";;\n").encode(),
        TABLE.replace("\n2", "\n;;\n\n2").encode(),
    ],
    ids=[
        *("semicolons", "commas", "tabs", "bars", "sep", "quoted comma", "mark", "utf-16", "le", "be", "be with mark"),
        *("utf-32", "crlf", "cr", "blank columns", "blank rows"),
    ],
)
def test_tables_are_read_however_they_were_saved(content: bytes) -> None:
    """Delimiter, encoding, line ends and blank edges are found in the file."""
    assert ["Was, bitte?", "Wie?"] == _asked(dataset("q.csv", content, AT_ONCE._replace(id="id")))


def test_what_is_said_wins() -> None:
    """An encoding and a delimiter that the file does not show are named."""
    content = "question:note\nGrüße, was?:a;b\n".encode("windows-1252")

    found = dataset("q.csv", content, AT_ONCE._replace(encoding="windows-1252", delimiter=":"))

    assert ["Grüße, was?"] == _asked(found)


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl"])
def test_latin_1_is_refused_with_the_remedy(name: str) -> None:
    """Bytes that are no UTF-8 are never guessed at: the row states how its encoding is named."""
    text = {"q.csv": "question\nGrüße?\n", "q.jsonl": '{"question": "Grüße?"}\n'}[name]

    with pytest.raises(RequestError, match=r'line .: .*dataset.encoding = "windows-1252"'):
        dataset(name, text.encode("latin-1"))


def test_bytes_that_are_not_what_was_said_are_refused() -> None:
    """An encoding that does not fit ends the reading with the place and the remedy."""
    with pytest.raises(RequestError, match=r"is not text in ascii: .*name its encoding"):
        dataset("q.csv", "question\nGrüße?\n", AT_ONCE._replace(encoding="ascii"))


def test_json_lines_may_be_utf_16() -> None:
    """Lines of JSON are found in any encoding."""
    text = '{"question": "Grüße?"}\n{"question": "Wie?"}\n'

    assert ["Grüße?", "Wie?"] == _asked(dataset("q.jsonl", text.encode("utf-16")))


def test_text_that_a_spreadsheet_keeps_from_becoming_a_number() -> None:
    """``="0123"`` is ``0123``; another formula is the text that it is."""
    content = 'id,question\n="0123",=SUM(A1) is what?\n"=""0456""",Why?\n'

    rows = list(dataset("q.csv", content, AT_ONCE._replace(id="id")).rows())

    assert ["0123", "0456"] == [row.row_id for row in rows]
    assert "=SUM(A1) is what?" == rows[0].question


def test_a_cell_of_a_megabyte_is_refused_and_named() -> None:
    """A field at the limit is read and refused as a question, one beyond it ends the reading; both say where."""
    with pytest.raises(RequestError, match=r"line 2: the question has 999,999 characters, more than 200,000"):
        dataset("q.csv", "question\n" + "x" * 999_999)
    with pytest.raises(RequestError, match=r"in line 2 begins a field .* or is longer than 1,000,000 characters"):
        dataset("q.csv", "question\n" + "x" * 1_000_001)


def test_a_workbook_is_read() -> None:
    """Whole numbers, fractions, dates and truth values become text; blank rows and columns are none."""
    day = dt.datetime(2026, 1, 31)  # noqa: DTZ001 - a workbook has no zones
    heading = ["id", "question", "n", "when", "is"]
    content = _workbook([[], heading, [7, "Why?", 2.5, day, True], [], ["b", "How?", None, 3.0, False]])

    records = list(Dataset.at(Path("q.xlsx")).records(("id", "question", "n", "when", "is"), (1, None)))

    assert ["Why?", "How?"] == _asked(dataset("q.xlsx", content))
    assert records[0].fields == {"id": "7", "question": "Why?", "n": "2.5", "when": "2026-01-31", "is": "true"}
    assert (records[1].line, records[1].fields["when"], records[1].fields["n"]) == (5, "3", "")


def test_a_sheet_is_chosen_by_name() -> None:
    """The first is read unless another is named; one that is not there is refused with those that are."""
    content = _workbook([["question"], ["From the first?"]])

    assert ["From the first?"] == _asked(dataset("q.xlsx", content))
    assert ["From the other?"] == _asked(dataset("q.xlsx", content, AT_ONCE._replace(sheet="Other")))
    with pytest.raises(RequestError, match=r"no sheet 'Third'; the sheets are Questions, Other"):
        dataset("q.xlsx", content, AT_ONCE._replace(sheet="Third"))


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("=A1", "row|line 2: 'question' is the formula '=A1', which was never worked out"),
        (2**60, "of which the workbook keeps 15 digits; write it as text"),
        ("#N/A", "the error of a spreadsheet"),
        (None, "the question is blank"),
    ],
)
def test_a_cell_of_a_workbook_that_states_nothing_is_refused(cell: Any, why: str) -> None:
    """Formulas without a result, rounded numbers and errors name row, column and remedy."""
    with pytest.raises(RequestError, match=why):
        dataset("q.xlsx", _workbook([["question", "note"], [cell, "x"]]))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("q.xlsx", b"question\nWhy?\n", "is no workbook that can be read: .*; save it as .xlsx or CSV"),
        ("q.xls", b"\xd0\xcf", ".xls is not read; save it as .xlsx or as CSV in UTF-8"),
        ("q.ods", b"PK", ".ods is not read"),
        ("q.txt", b"question", "not to be seen from its name"),
    ],
)
def test_other_tables_are_named_with_the_remedy(name: str, content: bytes, why: str) -> None:
    """A format that is not read is refused with the formats that are."""
    with pytest.raises(RequestError, match=why):
        dataset(name, content)


def test_a_workbook_that_cannot_be_unpacked_is_refused() -> None:
    """A password, damaged bytes and a part that begins behind the end are a sentence, whichever library meets them."""
    whole, name = _workbook([["question"], ["Why?"]]), b"[Content_Types].xml"
    flags, data = whole.rfind(name) - 38, whole.find(name) + len(name)
    locked = whole[:flags] + b"\x01" + whole[flags + 1 :]
    damaged = whole[:data] + b"\xff" * 8 + whole[data + 8 :]
    begins = whole.find(name) - 2
    behind_the_end = whole[:begins] + b"\xff\xff" + whole[begins + 2 :]

    for content in (locked, damaged, behind_the_end):
        with pytest.raises(RequestError, match="is no workbook that can be read"):
            dataset("q.xlsx", content)


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("xl/worksheets/sheet1.xml", b"<sheetData>", b"<sheetData"),
        ("xl/worksheets/sheet1.xml", b'baseColWidth="8"', b'baseColWidth="x"'),
        ("xl/worksheets/sheet1.xml", b'<row r="1"', b'<row r="x"'),
        ("xl/_rels/workbook.xml.rels", b"rId1", b"rId9"),
    ],
    ids=["not XML", "no width", "no row", "no sheet"],
)
def test_a_workbook_with_a_damaged_part_is_refused(part: str, old: bytes, new: bytes) -> None:
    """What is inside the archive may be damaged as the archive may be, and the remedy is the same."""
    with pytest.raises(RequestError, match=r"is no workbook that can be read: .+; save it as \.xlsx or CSV"):
        dataset("q.xlsx", _damaged(part, old, new))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed in /proc, which Linux has")
def test_a_workbook_that_is_damaged_behind_its_first_row_is_closed() -> None:
    """The file is closed with the refusal, also while the error, and so the rows it was raised in, is referenced."""
    rows = [["question"], *([f"Why {n}?"] for n in range(9))]
    place = re.compile(rb"<row r=\"5\".*")
    with ZipFile(io.BytesIO(_workbook(rows))) as whole, ZipFile("broken.xlsx", "w") as changed:
        for name in whole.namelist():
            changed.writestr(name, place.sub(b"<row><c></row>", whole.read(name)))
    with pytest.raises(RequestError, match="is no workbook that can be read") as caught:
        list(Dataset.at(Path("broken.xlsx")).records(("question",), (1, None)))
    held = [one.readlink() for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
    assert caught.value is not None
    assert not [one for one in held if one.name == "broken.xlsx"]


def test_an_archive_that_is_no_workbook_is_refused_with_the_reason() -> None:
    """The library's error has no number of the system's, and its words are the reason."""
    content = _damaged("[Content_Types].xml", b"sheet.main+xml", b"sheet.other+xml")
    with pytest.raises(RequestError, match="cannot be read: File contains no valid workbook part"):
        dataset("q.xlsx", content)


def _damaged(part: str, old: bytes, new: bytes) -> bytes:
    out = io.BytesIO()
    with ZipFile(io.BytesIO(_workbook([["question"], ["Why?"]]))) as whole, ZipFile(out, "w") as changed:
        for name in whole.namelist():
            said = whole.read(name)
            changed.writestr(name, said.replace(old, new) if name == part else said)
    return out.getvalue()


def test_a_workbook_that_begins_with_a_chart_is_read_from_its_first_table() -> None:
    """A sheet that is a chart has no rows, and cannot be named either."""
    _workbook([["question"], ["Why?"]])
    book = openpyxl.load_workbook("q.xlsx")
    book.create_chartsheet("Chart", 0).add_chart(BarChart())
    book.save("q.xlsx")

    content = Path("q.xlsx").read_bytes()
    assert ["Why?"] == _asked(dataset("q.xlsx", content))
    with pytest.raises(RequestError, match=r"no sheet 'Chart'; the sheets are Questions, Other"):
        dataset("q.xlsx", content, AT_ONCE._replace(sheet="Chart"))


def test_a_json_file_is_a_list_of_objects() -> None:
    """The list is read as a whole, values as JSON has them."""
    rows = [{"question": "Why?", "n": 1}, {"question": "How?", "n": None}]

    assert ["Why?", "How?"] == _asked(dataset("q.json", json.dumps(rows, indent=2)))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"question": "a"}\n{"question": "b"}\n', 'with one object on each line, set dataset.format = "jsonl"'),
        ('{"data": []}', "is one object with the keys 'data'; write the list of objects alone"),
        ("[1]", "has no objects with fields"),
        ('[{"question": "a"}, 2]', "line 2: is no object"),
        ("3", "is no list"),
        ('[{"question": "a", "question": "b"}]', "names 'question' twice"),
    ],
)
def test_other_json_is_refused(content: str, why: str) -> None:
    """Each refusal says what exists and what to write."""
    with pytest.raises(RequestError, match=why):
        dataset("q.json", content)


def test_a_place_inside_json_is_asked() -> None:
    """A template may reach into lists, whether JSON or Python wrote them."""
    rows = [
        {"q": "Which?", "choices": {"text": ["a", "b"]}, "key": 1},
        {"q": "What?", "choices": "{'text': ['c', 'd']}"},
    ]
    template = AT_ONCE._replace(template="{q} {choices.text[0]} or {choices.text[1]}")

    assert ["Which? a or b", "What? c or d"] == _asked(dataset("q.jsonl", "\n".join(map(json.dumps, rows)), template))


def test_a_blank_cell_of_a_template_is_refused_unless_it_is_allowed() -> None:
    """A question with a hole in it is none; a hint that some rows lack is named."""
    rows = '{"q": "Why?", "hint": "x"}\n{"q": "How?", "hint": " "}\n{"q": "Who?"}\n'
    asked = AT_ONCE._replace(template="{q} {hint}")

    with pytest.raises(
        RequestError, match=r"line 2: 'hint' is blank, and the template asks it; .*allow_blank\n.*has no"
    ):
        dataset("q.jsonl", rows, asked)
    assert ["Why? x", "How?  ", "Who? "] == _asked(dataset("q.jsonl", rows, asked._replace(allow_blank=("hint",))))


def test_a_template_reaches_a_key_with_other_characters() -> None:
    """The name of a model is a key between quotation marks."""
    asked = AT_ONCE._replace(template='Judge: {by["gpt-4.1"]}')

    assert ["Judge: Yes."] == _asked(dataset("q.jsonl", '{"by": {"gpt-4.1": "Yes."}}', asked))


def test_json_is_asked_as_it_is_where_that_is_allowed() -> None:
    """A record to be worked on may be an object."""
    asked = AT_ONCE._replace(template="Mend this: {record}", allow_json=("record",))

    assert ['Mend this: {"a": 1}'] == _asked(dataset("q.jsonl", '{"record": {"a": 1}}', asked))


def test_a_list_that_pandas_printed_in_a_csv_is_reached_into() -> None:
    """``['What?', 'Why?']`` in a CSV is a list too."""
    file = io.StringIO()
    csv.writer(file).writerows([("turns",), ("['What?', \"Isn't it?\"]",)])

    assert ["Isn't it?"] == _asked(dataset("q.csv", file.getvalue(), AT_ONCE._replace(question="turns[1]")))


def test_a_layout_of_another_dataset_is_left_behind() -> None:
    """The format that a study file gives for its dataset does not hold for a dataset given in its place."""
    Path("study.toml").write_text(
        'name = "s"\n[dataset]\npath = "a.csv"\nencoding = "utf-16"\ndelimiter = ";"\n[[arms]]\nprotocol = "council"\n'
    )
    Path("b.csv").write_text("question,n\nWhy?,1\n")

    found = load_study("study.toml", Overrides(dataset="b.csv"), settings())

    assert ["Why?"] == _asked(found)
    assert Layout() == found.study.dataset.layout


@pytest.mark.skipif(not DATA.is_dir(), reason="the data do not lie beside the project")
@pytest.mark.parametrize(
    ("path", "asked", "rows"),
    [
        ("mt-bench/question.jsonl", AT_ONCE._replace(question="turns[0]", id="question_id"), 80),
        ("xstest/xstest_prompts.csv", AT_ONCE._replace(question="prompt"), 450),
        ("purplellama/prompt_injection.json", AT_ONCE._replace(question="user_input"), 251),
        ("reconcile-convincing/Aqua/bard.json", AT_ONCE._replace(question="train_sample.question"), None),
    ],
    ids=["mt-bench", "xstest", "purplellama", "reconcile"],
)
def test_benchmarks_are_read_as_they_are_published(path: str, asked: Overrides, rows: int | None) -> None:
    """Nothing has to be converted first."""
    found = load_study(str(DATA / path), asked, settings())

    assert rows in {None, found.digest.rows}
    assert all(question.strip() for question in _asked(found))


@pytest.mark.skipif(not DATA.is_dir(), reason="the data do not lie beside the project")
def test_the_turns_of_mt_bench_are_not_asked_as_a_list() -> None:
    """The column that holds both turns is refused with the name of the first."""
    with pytest.raises(RequestError, match=r"'turns' is a list of 2 in JSON, .*'turns\[0\]'"):
        load_study(str(DATA / "mt-bench/question.jsonl"), AT_ONCE._replace(question="turns"), settings())
