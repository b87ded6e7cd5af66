"""Expected answers: those that can be compared with an answer, and those that make their row unusable."""

import pytest

from studies.definition.labels import unusable
from studies.definition.study_file import LabelTable


@pytest.mark.parametrize(
    ("label", "good", "bad"),
    [
        (LabelTable(read="choice", choices=("A", "B")), ["A", "b", " A "], ["C", "", "A and B"]),
        (
            LabelTable(read="number"),
            ["3", "1,234", "-0.5", "42 %", "9*2=<<9*2=18>>18 every day.\n#### 18"],
            ["three", ""],
        ),
        (LabelTable(read="yes_no"), ["yes", "No", "true", "ja", "Yes."], ["maybe", "1", ""]),
        (LabelTable(read="flagged"), ["attack", "benign", "TRUE", "0"], ["spam", ""]),
        (LabelTable(read="number"), ["42.0", "1,000", "3/4"], ["3-5", "2020-01-31", "at least 3", "nan"]),
        (LabelTable(read="number", scale=(1, 10)), ["1", "10", "7.5", "8/10"], ["0", "11", "-3", "4/5", "80%"]),
        (LabelTable(read="choice", choices=("1", "2")), ["1", "2."], ["3", "1.5", "12", "Paris"]),
        (LabelTable(read="exact"), ["anything", "$\\boxed{x}$"], [" ", "***", "nan", "#N/A", "<NA>"]),
        (LabelTable(read="contains"), ["a word", "# N/A"], ["", "#REF!"]),
    ],
    ids=[
        "choice",
        "number",
        "yes_no",
        "flagged",
        "number as text",
        "number on a scale",
        "choice of numbers",
        "exact",
        "contains",
    ],
)
def test_an_expected_answer_is_one_that_an_answer_can_be(label: LabelTable, good: list[str], bad: list[str]) -> None:
    """What no answer can be read as would count against every arm."""
    assert [unusable(one, label) for one in good] == [None] * len(good)
    assert all(unusable(one, label) for one in bad)
