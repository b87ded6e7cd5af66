"""The first row of a study, its question and its right answer, for a dry run."""

from typing import NamedTuple

from pydantic import JsonValue

from parley.options.answer import answer_form
from parley.prompts import first_prompts as first_of_deliberation
from parley.specs.protocol_spec import AnySpec
from protocols.final_answer_prompt import with_ending
from protocols.model_call import FrozenModel, Message
from studies.definition.inputs import shown_row
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
    """The answer that is right, as a reply to what is asked has it."""
    read: str | None
    """How answers are read: ``choice: A, B``."""


def first_row(study: LoadedStudy) -> FirstRow:
    """Return the first row that can be used, as its first repeat is asked and compared."""
    (row, shown), label = shown_row(study.study, study.first, 1), study.study.reading
    form = study.study.answer
    layers = "\n\n".join(f"{layer}: {text}" for layer, text in row.layers.items())
    asked = row.question if form is None else with_ending(row.question, answer_form(form))
    read = None if label is None else ": ".join(filter(None, [label.read, ", ".join(label.choices)]))
    right = None if label is None or row.expected is None else answer_read(row.expected, label)
    right = next((on_page for on_page, own in (shown or {}).items() if own == right), right)
    return FirstRow(line=row.line, id=row.row_id, asked=layers or asked, expected=row.expected, right=right, read=read)


class FirstPrompt(NamedTuple):
    """The first prompt of an arm for the study's first row."""

    arm: str
    participant: str
    model: str
    messages: tuple[Message, ...]
    question: str
    """What the arm is asked; blank where it judges a prompt."""

    @property
    def has_question(self) -> bool:
        """True if the question is in the prompt word for word."""
        return any(self.question in message.content for message in self.messages)


def first_prompts(study: LoadedStudy) -> tuple[FirstPrompt, ...]:
    """Return the first prompt of each arm, in the order of the arms, where its protocol provides it."""
    pairs = zip(study.arms, study.entered().arms, strict=True)
    found = (_first(arm.name, arm.kind.spec, entered.template) for arm, entered in pairs)
    return tuple(one for one in found if one is not None)


def _first(arm: str, spec: AnySpec, template: JsonValue) -> FirstPrompt | None:
    inp = spec.input.model_validate(template)
    question = "" if spec.judges else inp.question
    shown = first_of_deliberation(spec, inp)
    return FirstPrompt(arm, shown[0].participant, shown[0].model, shown[0].messages, question) if shown else None
