"""Scores from files of people and other programs."""

from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from studies.scores.imported_scores import import_scores, read_labels
from studies.scores.scorer_file import read_scorers
from studies.scores.scorers import ImportedScorer, LabelsTable
from tests.fakes.reported import row

_ROWS = [row(0), row(1), row(1, deliberation_id="study/row-1.council.r2", repeat=2)]


def _import(tmp_path: Path, text: str, **fields: object) -> dict[str, object]:
    file = tmp_path / "people.csv"
    file.write_text(text)
    scorer = ImportedScorer.model_validate({"kind": "imported", "path": file, **fields})
    return {key: (one.value, one.label) for key, one in import_scores("people", scorer, _ROWS).items()}


def test_a_number_outside_its_scale_is_refused(tmp_path: Path) -> None:
    """The message names line, number and scale; one on the scale has it beside it."""
    text = "deliberation_id,score\nstudy/row-0.council,{}\n"
    with pytest.raises(RequestError, match=r"line 2: the score 7 is not on the scale \(1.0, 5.0\)"):
        _import(tmp_path, text.format(7), scale=(1, 5))
    assert _import(tmp_path, text.format(4), scale=(1, 5)) == {"study/row-0.council": (4.0, None)}


def test_scores_by_deliberation(tmp_path: Path) -> None:
    """A number is a value, yes and no are right and wrong, a blank class is none; blanks around an id do not count."""
    text = "deliberation_id,score,kind\n study/row-0.council ,7.5,good\nstudy/row-1.council,yes,\n"
    assert _import(tmp_path, text, label="kind") == {
        "study/row-0.council": (7.5, "good"),
        "study/row-1.council": (1.0, None),
    }


def test_classes_are_imported_without_a_column_of_scores(tmp_path: Path) -> None:
    """A file of scorers cannot say that there is no score: where the label alone is there, it is the whole of it."""
    text = "deliberation_id,code\nstudy/row-0.council,include\nstudy/row-1.council,\n"
    (tmp_path / "coder.csv").write_text(text)
    (tmp_path / "scorers.toml").write_text('[scorers.coder]\nkind = "imported"\npath = "coder.csv"\nlabel = "code"\n')
    scorer = read_scorers(str(tmp_path / "scorers.toml")).scorers["coder"]
    found = import_scores("coder", scorer, _ROWS)
    assert [(one.outcome, one.label) for one in found.values()] == [("scored", "include"), ("unread", None)]
    with pytest.raises(RequestError, match="has no column 'grade'; it has deliberation_id, code"):
        _import(tmp_path, text, label="code", score="grade")


def test_scores_by_row_and_arm_go_to_every_repeat(tmp_path: Path) -> None:
    """A file that knows no deliberations names the row and the arm; blanks around a name are no part of it."""
    text = "q,arm,score\n row-1,council ,3\n"
    assert set(_import(tmp_path, text, row="q", arm="arm")) == {"study/row-1.council", "study/row-1.council.r2"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("deliberation_id,grade\nx,1\n", "has no column 'score'; it has deliberation_id, grade"),
        ("deliberation_id,score\nx,1\n", "line 2: the study has no deliberation 'x'"),
        ("deliberation_id,score\nstudy/row-0.council,high\n", "line 2: the score 'high' is no number"),
        ("deliberation_id,score\nstudy/row-0.council,nan\n", "line 2: the score 'nan' is no number"),
        ("deliberation_id,score\nstudy/row-0.council,1\nstudy/row-0.council,2\n", "line 3: .* has a score already"),
    ],
)
def test_what_does_not_fit_the_study_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    """A score that belongs nowhere would be lost without a word."""
    with pytest.raises(RequestError, match=f"scorers.people: .*{reason}"):
        _import(tmp_path, text)


def test_labels_of_a_file_name_each_row_once(tmp_path: Path) -> None:
    """Corrected labels come from a file of their own."""
    file = tmp_path / "labels.csv"
    file.write_text("id,label\n a ,B\nb,\n")
    assert read_labels("right", LabelsTable(path=file)) == {"a": "B", "b": ""}
    file.write_text("id,label\na,B\na,C\n")
    with pytest.raises(RequestError, match=r"scorers\.right\.labels: line 3: the row 'a' has a label already"):
        read_labels("right", LabelsTable(path=file))


def test_ids_of_an_export_in_csv_are_those_of_the_study(tmp_path: Path) -> None:
    """There an apostrophe is before what a spreadsheet would calculate; an id that begins with one is itself."""
    file = tmp_path / "people.csv"
    file.write_text("q,arm,score,label\n'@ann,council,3,B\n'so,council,4,C\n")
    rows = [row(n, row_id=row_id, deliberation_id=row_id) for n, row_id in enumerate(("@ann", "'so", "so"))]
    scorer = ImportedScorer(kind="imported", path=file, row="q", arm="arm")
    assert {key: one.value for key, one in import_scores("people", scorer, rows).items()} == {"@ann": 3.0, "'so": 4.0}
    labels = read_labels("right", LabelsTable(path=file, id="q"))
    assert (labels["@ann"], labels["'so"]) == ("B", "C")


@pytest.mark.parametrize("said", ["nan", " NaN ", "<NA>", "#N/A"])
def test_a_label_that_a_program_wrote_for_none_is_refused(tmp_path: Path, said: str) -> None:
    """As a text no answer equals it, and as a class it would be one of its own: line, column and remedy are named."""
    file = tmp_path / "labels.csv"
    file.write_text(f"id,label\na,B\nb,{said}\n")
    with pytest.raises(RequestError, match=r"scorers\.right\.labels: line 3: 'label' is '.+', (which|the error) .*; "):
        read_labels("right", LabelsTable(path=file))
    with pytest.raises(RequestError, match=r"scorers\.people: line 2: 'tone' is '.+', (which|the error) .*; "):
        _import(tmp_path, f"deliberation_id,tone\nstudy/row-0.council,{said}\n", score=None, label="tone")


@pytest.mark.parametrize(
    ("text", "correct"),
    [
        ("deliberation_id,score\nd0,true\n", {"d0": True, "d2": False}),
        ("deliberation_id,score\nd0,true\nd2,\nd4,\n", {"d0": True, "d2": False, "d4": None}),
        ("deliberation_id,score\nd0,true\nd2,true\n", {"d0": True, "d2": True}),
        ("deliberation_id,score\nd0,7\nd2,\n", {"d0": None, "d2": None}),
        ("q,arm,score\nq1,a,true\n", {"d0": True, "d1": True, "d2": False}),
        ("q,arm,score\nq1,a,7\n", {"d0": None, "d1": None, "d2": None}),
    ],
)
def test_a_missing_verdict_is_wrong_by_scores_of_right_and_wrong(
    tmp_path: Path, text: str, correct: dict[str, bool | None]
) -> None:
    """In the rows and arms of the file, unless that deliberation has a score of its own there; and it has no value."""
    places = [("q1", "a", 1), ("q1", "a", 2), ("q1", "a", 3), ("q2", "a", 1), ("q1", "b", 1)]
    rows = [
        row(deliberation_id=f"d{n}", row_id=row_id, arm=arm, repeat=repeat, verdict=None if n >= 2 else "So.")
        for n, (row_id, arm, repeat) in enumerate(places)
    ]
    file = tmp_path / "people.csv"
    file.write_text(text)
    named: dict[str, Any] = {"row": "q", "arm": "arm"} if text.startswith("q,") else {}
    found = import_scores("people", ImportedScorer(kind="imported", path=file, **named), rows)
    assert {key: one.correct for key, one in found.items()} == correct
    assert all(one.value is None for key, one in found.items() if key == "d2" and correct["d2"] is not True)
