"""Datasets: what is read of them, and that nothing is lost on the way."""

import csv
import io
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from parley.errors import RequestError
from studies.dataset.csv_lines import CSV_LINES
from studies.dataset.dataset import Dataset
from studies.dataset.json_files import JSON_LINES
from studies.dataset.records import LONGEST_LINE, Layout, Reader, Record
from studies.definition.files import Overrides
from studies.definition.load import load_study
from tests.fakes.study_files import AT_ONCE, dataset, settings

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_CELL = _TEXT.filter(lambda text: text.strip() != "")


def _read(reader: Reader, content: bytes, wanted: tuple[str, ...] = ("a", "b")) -> list[Record]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "dataset")
        path.write_bytes(content)
        return list(reader.records(path, Layout(), wanted))


@given(st.lists(st.tuples(_CELL, _CELL), max_size=6))
def test_csv_comes_back_as_it_was_written(rows: list[tuple[str, str]]) -> None:
    """Commas, quotes and line breaks inside a field are the field's, and every record knows its number."""
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])

    found = _read(CSV_LINES, file.getvalue().encode())

    assert [(record.fields["a"], record.fields["b"]) for record in found] == rows
    assert [record.number for record in found] == list(range(1, len(rows) + 1))


@given(st.lists(st.fixed_dictionaries({"a": _TEXT, "b": st.integers() | st.booleans() | st.none()}), max_size=6))
def test_json_lines_come_back_as_they_were_written(rows: list[dict[str, Any]]) -> None:
    """Text is text, and every other value is what JSON writes for it; none is nothing."""
    content = "\n".join(map(json.dumps, rows)).encode()

    found = _read(JSON_LINES, content)

    assert [record.fields["a"] for record in found] == [row["a"] for row in rows]
    assert [record.fields["b"] for record in found] == [
        "" if row["b"] is None else json.dumps(row["b"]) for row in rows
    ]


@given(st.binary(max_size=200))
def test_no_line_of_bytes_stops_the_reading(content: bytes) -> None:
    """Whatever is in a file of lines, each is a record or says why it is none."""
    found = _read(JSON_LINES, b'{"a": "first"}\n' + content + b'\n{"a": "last"}')

    assert all(record.why or record.fields is not None for record in found)
    assert (found[0].fields, found[-1].fields) == ({"a": "first"}, {"a": "last"})


@given(st.binary(max_size=200))
def test_any_bytes_are_csv_or_refused(content: bytes) -> None:
    """A file of anything is read or refused as a whole; nothing else is raised."""
    with suppress(RequestError):
        assert all(record.line > 0 for record in _read(CSV_LINES, content))


def test_a_record_knows_the_line_on_which_it_begins() -> None:
    """A field over several lines and blank lines move what comes behind them."""
    found = _read(CSV_LINES, b'a,b\r\n"1\n1",x\n\n2,y\n')

    assert [(record.line, record.fields["a"]) for record in found] == [(2, "1\n1"), (5, "2")]


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(name: str) -> None:
    """Spreadsheets put one in front."""
    text = {"q.csv": "question\nWhy?\n", "q.jsonl": '{"question": "Why?"}\n'}[name]

    found = dataset(name, "\ufeff" + text)

    assert [row.question for row in found.rows()] == ["Why?"]


def test_a_line_beyond_all_measure_is_skipped_and_the_next_is_read() -> None:
    """A line that is too long is a record that states so; memory is not filled with it."""
    content = b'{"a": "' + b"x" * (LONGEST_LINE * 2) + b'"}\n{"a": "next"}\n'

    first, second = _read(JSON_LINES, content)

    assert "longer than" in first.why
    assert (second.line, second.fields["a"]) == (2, "next")


def test_parquet_is_read_with_its_types() -> None:
    """Numbers, truth values, dates and lists become text as JSON writes them; none is nothing."""
    table = pa.table({"question": ["Why?", "How?"], "n": [1, None], "yes": [True, False], "all": [["a"], []]})
    parquet.write_table(table, "q.parquet")

    records = list(Dataset.at(Path("q.parquet")).records(("question", "n", "yes", "all"), (1, None)))

    assert records[0].fields == {"question": "Why?", "n": "1", "yes": "true", "all": '["a"]'}
    assert records[1].fields["n"] == ""


def test_parquet_is_read_in_batches_and_counts_its_records() -> None:
    """Records of a binary file are counted from 1, over batches and row groups."""
    table = pa.table({"question": [f"What is {n}?" for n in range(1200)]})
    parquet.write_table(table, "q.parquet", row_group_size=700)

    found = [row.line for row in dataset("q.parquet", Path("q.parquet").read_bytes()).rows()]

    assert found == list(range(1, 1201))


def test_parquet_that_python_cannot_hold_is_refused() -> None:
    """Two columns of one name, a date after the year 9999 and a text that is no UTF-8 are refused in a sentence."""
    twice = pa.Table.from_arrays([pa.array(["Why?"]), pa.array(["How?"])], names=["question", "question"])
    late = pa.table({"question": pa.array([100_000_000], type=pa.date32())})
    no_text = pa.table({"question": pa.array([b"\xff"]).view(pa.string())})
    for table, why in ((twice, "names 'question' twice"), (late, "is no Parquet"), (no_text, "is no Parquet")):
        parquet.write_table(table, "q.parquet")
        found = Dataset.at(Path("q.parquet"))
        with pytest.raises(RequestError, match=why):
            list(found.records(found.columns(), (1, None)))


def test_bytes_and_no_numbers_in_parquet_are_bad_rows() -> None:
    """A value that is neither text nor number cannot be asked."""
    parquet.write_table(pa.table({"question": [b"\x00", b"x"]}), "bytes.parquet")
    parquet.write_table(pa.table({"question": [1.0, float("nan")]}), "nan.parquet")

    for name, why in (("bytes.parquet", "line 1: 'question' is no text"), ("nan.parquet", "line 2: .* no number")):
        with pytest.raises(RequestError, match=why):
            dataset(name, Path(name).read_bytes())


@pytest.mark.parametrize(
    ("rows", "lines"),
    [("2-3", [3, 4]), ("3-", [4, 5]), ("2", [2, 3]), ("4-9", [5])],
    ids=["both", "from", "to", "more"],
)
def test_only_the_rows_asked_for_are_read(rows: str, lines: list[int]) -> None:
    """A span counts records from 1, both ends included."""
    found = dataset("q.csv", "question\n1?\n2?\n3?\n4?\n", AT_ONCE._replace(rows=rows))

    assert [row.line for row in found.rows()] == lines


def test_what_is_skipped_is_recorded_with_its_line_and_reason() -> None:
    """Rows that cannot be used are left out only when that is asked for, and the ledger learns which."""
    text = "id,question\na,Why?\nb,\na,How?\nc,What?\n"

    found = dataset("q.csv", text, AT_ONCE._replace(id="id", skip_bad=True))

    assert [(row.row_id, row.number) for row in found.rows()] == [("a", 0), ("c", 1)]
    assert [(one.line, one.reason) for one in found.rejected] == [
        (3, "the question is blank"),
        (4, "the id 'a' is that of line 2 too; give each row its own"),
    ]


def test_the_first_bad_rows_are_named_and_the_others_counted() -> None:
    """A user sees where to begin, not ten thousand lines."""
    with pytest.raises(RequestError, match="has 30 rows that cannot be used") as refused:
        dataset("q.csv", "id,question\n" + "x,\n" * 30)

    assert str(refused.value).count("\n  line ") == 20
    assert "and 10 more" in str(refused.value)
    assert "--skip-bad" in str(refused.value)


def test_an_unclosed_quote_stops_even_when_bad_rows_are_skipped() -> None:
    """It would have taken in all rows behind it without a word."""
    with pytest.raises(RequestError, match=r"in line 3 begins a field that takes in everything up to line 5"):
        dataset("q.csv", 'question\nWhy?\n"How?\nWhat?\nWho?\n', AT_ONCE._replace(skip_bad=True))


def test_a_dataset_that_changes_while_it_is_read_is_refused() -> None:
    """What was checked is what runs, or nothing is."""
    found = dataset("q.csv", "question\nWhy?\nHow?\n")
    Path("q.csv").write_text("question\nWhy?\nWho?\n")

    with pytest.raises(RequestError, match="changed while it was read"):
        list(found.prepared())


def test_layers_and_other_columns_are_kept_beside_a_row() -> None:
    """What is judged comes from its own columns; without a question it is what the user wrote."""
    Path("study.toml").write_text(
        'name = "judged"\n[dataset]\npath = "q.csv"\nsystem = "s"\nuser = "u"\nextra = ["kind"]\n'
        '[[arms]]\nprotocol = "single"\n'
    )
    Path("q.csv").write_text("s,u,kind\nYou are a tutor.,Show me the key.,plain\n")

    found = load_study("study.toml", Overrides(), settings())

    row = next(found.rows())
    assert row.question == "Show me the key."
    assert row.extra == {"kind": "plain", "system": "You are a tutor.", "user": "Show me the key."}
    assert found.arms[0].kind.spec.workflow_type == "FireCircleBaseline"


def test_one_bad_row_is_one_row() -> None:
    """The noun follows the number."""
    with pytest.raises(RequestError, match="has 1 row that cannot be used"):
        dataset("q.csv", "id,question\n1,Why?\n2,\n")
