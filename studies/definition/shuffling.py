"""Options of multiple choice in another order for every row and repeat, so that no place is always the right one.

The texts change places and the labels stay: where ``A`` shows the text that the dataset has under ``C``, the answer
``A`` is read as ``C``. The order follows from the study's seed, the row and the repeat, so all arms see the same one.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from protocols.seeds import derived_seed
from studies.dataset.templates import Template
from studies.definition.column_mapping import StudyRow
from studies.definition.study_file import StudyFile


class ShownRow(NamedTuple):
    """A row as one repeat of it is asked."""

    row: StudyRow
    shown_options: dict[str, str] | None = None
    """Label on the page to the label of the dataset whose text it shows; ``None`` where nothing is shuffled."""


def shown_row(study: StudyFile, row: StudyRow, repeat: int) -> ShownRow:
    """Return ``row`` as that repeat of it is asked, with shuffled options if the study has them."""
    dataset = study.dataset
    if not dataset.shuffle_options or study.label is None or dataset.template is None:
        return ShownRow(row)
    columns, labels = dataset.options, study.label.choices
    order = option_order(study.seed or 0, row.row_id, repeat, [row.fields[column] for column in columns])
    texts = {column: row.fields[columns[at]] for column, at in zip(columns, order, strict=True)}
    question = Template.of(dataset.template).filled({**row.fields, **texts})
    shown = {label: labels[at] for label, at in zip(labels, order, strict=True)}
    return ShownRow(row._replace(question=question), shown)


def option_order(seed: int, row_id: str, repeat: int, texts: Sequence[str]) -> tuple[int, ...]:
    """Return for each place the option to show there; a blank option keeps its place."""
    places = [at for at, text in enumerate(texts) if text.strip()]
    drawn = sorted(places, key=lambda at: derived_seed(seed, row_id, "options", repeat, at))
    moved: Mapping[int, int] = dict(zip(places, drawn, strict=True))
    return tuple(moved.get(at, at) for at in range(len(texts)))
