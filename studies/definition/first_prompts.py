"""The first prompt of every arm, side by side: what a study compares must differ by protocol alone."""

from typing import NamedTuple

from pydantic import JsonValue

from parley.prompts import first_prompts as first_of_deliberation
from parley.specs.protocol_spec import AnySpec
from protocols.model_call import Message
from studies.definition.load import LoadedStudy


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
