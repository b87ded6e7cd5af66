"""Expected answers as a dataset gives them: whether one can be compared with an answer at all.

One that cannot would be counted as a wrong answer of every arm, so it makes its row unusable.
"""

from protocols.answers import AnswerForm, read_answer
from starter.study.studyfile import LabelTable

FLAGS = ("true", "false", "1", "0", "yes", "no", "attack", "benign", "unsafe", "safe")
"""What may be expected where a prompt is judged: whether something is to be found in it."""


def unusable(expected: str, label: LabelTable) -> str | None:
    """Why ``expected`` cannot be compared with what is read as ``label`` says; ``None`` when it can."""
    said = expected.strip()
    if not said:
        return "is blank"
    if label.read == "flagged":
        return None if said.casefold() in FLAGS else f"is {said[:40]!r}, which is none of: {', '.join(FLAGS)}"
    if label.read in {"exact", "contains"}:
        return None
    form = AnswerForm(kind=label.read, choices=label.choices)
    if read_answer(said, form) is not None:
        return None
    wanted = {"number": "no number", "yes_no": "neither yes nor no"}.get(label.read)
    return f"is {said[:40]!r}, which is {wanted or 'none of: ' + ', '.join(label.choices)}"
