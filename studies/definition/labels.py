"""Checks of expected answers: whether an answer can equal them.

One that cannot would be counted as a wrong answer of every arm, so it makes its row unusable.
"""

from protocols.answer_text import normalised
from studies.comparison.scoring import FLAGS, LabelRule, read_label
from studies.dataset.cells import placeholder, shown
from studies.definition.study_file import LabelTable

_REMEDIES = {
    "choice": "name the choices in [label] as the column has them, or write the label as one of them",
    "number": 'write one number, or compare texts: read = "exact"',
    "yes_no": 'write yes or no, or compare texts: read = "exact"',
}


def unusable(expected: str, label: LabelTable) -> str | None:
    """Return why ``expected`` cannot be compared with what is read as ``label`` says; ``None`` when it can."""
    said = expected.strip()
    if why := placeholder(said) if said else "is blank":
        return why
    if label.read == "flagged":
        return None if said.casefold() in FLAGS else f"is {shown(said)}, which is none of: {', '.join(FLAGS)}"
    if answer_read(said, label) is not None:
        return None
    if label.read in {"exact", "contains"}:
        return f"is {shown(said)}, which no final answer can be: without marks around it nothing of it is left"
    ends = f" from {label.scale[0]:g} to {label.scale[1]:g}" if label.scale else ""
    wanted = {"number": f"not one number{ends}", "yes_no": "neither yes nor no"}.get(label.read)
    return f"is {shown(said)}, which is {wanted or 'none of: ' + ', '.join(label.choices)}; {_REMEDIES[label.read]}"


def answer_read(expected: str, label: LabelTable) -> str | None:
    """Return the answer that equals the label ``expected``, as it is read of a reply; ``None`` when none can.

    A flag is read from a score, so that its label stays as it is.
    """
    if label.form is None:
        return expected.strip()
    found = read_label(expected, LabelRule(read=label.read, choices=label.choices, scale=label.scale))
    return (normalised(found or "") or None) if label.read in {"exact", "contains"} else found
