"""The file of scorers: everything in it is checked before anything is computed or asked."""

from pathlib import Path

import pytest

from parley.errors import RequestError
from studies.scores.scorer_file import fingerprint_of, read_scorers
from studies.scores.scorers import GradedScorer

_GRADED = '[scorers.g]\nkind = "graded"\n'
_PAIRS = '[scorers.p]\nkind = "pairwise"\n'

BAD = {
    "": "has no scorer",
    "[scorer.a]": "'scorer' is not a key of a file of scorers",
    "scorers = 3": "has no scorer",
    "[scorers]\na = 3": "scorers.a is 3; it is a table",
    '[scorers."A B"]': "scorers.A B: a name has up to 40 of a-z",
    '[scorers.label]\nread = "number"': "scorers.label: in logs for Inspect this is the study's own label rule",
    '[scorers.a]\nkind = "grade"': "scorers.a.kind is 'grade'; known are answer, regex",
    '[scorers.a]\nread = "letters"': "scorers.a.read is 'letters'",
    '[scorers.a]\nchoise = ["A"]': "is not a key of a scorer of kind 'answer'. Did you mean 'choices'?",
    '[scorers.a]\nread = "choice"': 'choices go with read = "choice"',
    '[scorers.a]\nread = "choice"\nchoices = ["A"]': "must be two or more",
    "[scorers.a]\ntolerance = 0.1": 'tolerance and within go with read = "number" alone',
    '[scorers.a]\nread = "number"\ntolerance = -1': "scorers.a.tolerance is '-1'",
    '[scorers.a]\nkind = "regex"': "scorers.a.pattern is missing",
    '[scorers.a]\nkind = "regex"\npattern = "("': "pattern is no regular expression",
    '[scorers.a]\nkind = "json"\nfield = "a..b"': "scorers.a.field is 'a..b'",
    '[scorers.a]\nkind = "python"\nfile = "f.py"\nfunction = "1f"': "scorers.a.function is '1f'",
    '[scorers.a]\nkind = "python"\nfile = "f.py"\nfunction = "f"\ntimeout = "soon"': "expected seconds",
    '[scorers.a]\nkind = "imported"\npath = "x.csv"\nrow = "r"': "row and arm say together",
    f"{_GRADED}scale = [10, 1]": "scale has the lowest grade first",
    f"{_GRADED}scale = [1, 10]\nright_from = 11": "right_from is on the scale, 1 to 10",
    f'{_GRADED}template = "{{question}}"': "template lacks {answer}",
    f'{_GRADED}template = "{{question}} {{answer}} {{arm}}"': "template has {arm}; it takes",
    f'{_PAIRS}arms = ["council"]': "a preference needs two arms or more",
    f'{_PAIRS}arms = ["council", "council"]': "each named once",
    f'{_PAIRS}template = "{{question}} {{first}}"': "template lacks {second}",
}


@pytest.mark.parametrize("text", BAD)
def test_what_cannot_be_used_is_refused_by_name(tmp_path: Path, text: str) -> None:
    """Every refusal names the scorer, the key and the value, in one sentence or two."""
    file = tmp_path / "scorers.toml"
    file.write_text(text)
    with pytest.raises(RequestError) as refused:
        read_scorers(str(file))
    assert BAD[text] in str(refused.value)


def test_paths_are_seen_from_the_file(tmp_path: Path) -> None:
    """A file of scorers works from every directory."""
    file = tmp_path / "scorers.toml"
    file.write_text(
        '[scorers.a]\nlabels = { path = "fixed.csv" }\n[scorers.b]\nkind = "imported"\npath = "people.csv"\n'
        '[scorers.c]\nkind = "python"\nfile = "mine.py"\nfunction = "score"\ntimeout = "2m"\n'
    )
    read = read_scorers(str(file)).scorers
    assert read["a"].labels.path == tmp_path / "fixed.csv"
    assert read["b"].path == tmp_path / "people.csv"
    assert (read["c"].file, read["c"].timeout) == (tmp_path / "mine.py", 120.0)


def test_a_fingerprint_is_what_a_scorer_is_and_reads() -> None:
    """The window and the budget of a grading change no grade; a criterion and the contents of a file do."""
    plain = GradedScorer(kind="graded")
    assert fingerprint_of(plain) == fingerprint_of(GradedScorer(kind="graded", window=3))
    assert fingerprint_of(plain) != fingerprint_of(GradedScorer(kind="graded", criteria="Brevity."))
    assert fingerprint_of(plain, b"a") != fingerprint_of(plain, b"b")
