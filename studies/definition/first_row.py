"""The first row of a study, its question and its right answer, for a dry run."""

from parley.options.answer import answer_form
from protocols.final_answer_prompt import with_ending
from protocols.model_call import FrozenModel
from studies.definition.labels import answer_read
from studies.definition.load import LoadedStudy


class FirstRow(FrozenModel):
    """The first row of a dataset as it will be asked."""

    line: int
    """Of the file."""
    id: str
    asked: str
    """The question with the sentences that ask for the form of its answer; of a prompt that is judged its layers."""
    expected: str | None
    """The label as the dataset has it; ``None`` when it has none."""
    right: str | None
    """The answer that is right, as it is read of a reply."""
    read: str | None
    """How answers are read: ``choice: A, B``."""


def first_row(study: LoadedStudy) -> FirstRow:
    """Return the first row that can be used, as it is asked and compared."""
    row, label = study.first, study.study.reading
    form = study.study.answer
    layers = "\n\n".join(f"{layer}: {text}" for layer, text in row.layers.items())
    asked = row.question if form is None else with_ending(row.question, answer_form(form))
    read = None if label is None else ": ".join(filter(None, [label.read, ", ".join(label.choices)]))
    right = None if label is None or row.expected is None else answer_read(row.expected, label)
    return FirstRow(line=row.line, id=row.row_id, asked=layers or asked, expected=row.expected, right=right, read=read)
