"""Final answers in replies of real models, from the trials beside the project; skipped where they are absent."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from protocols.answers import AnswerForm, read_answer
from tests.fakes.real_replies import DATA

TRIALS = DATA / "council-governance"
NUMBER = AnswerForm(kind="number")
LETTERS = AnswerForm(kind="choice", choices=tuple("ABCDEFGHIJ"))
_NUMBERS = ("GSM8K", "AIMO")
_LAST_LINE = re.compile(
    r"final answer:?[^\w-]*(?P<said>-?[\d,.]+|[A-J])\b(?!.*final answer)", re.IGNORECASE | re.DOTALL
)
_HEADED = re.compile(r"^.*final answer[^\n]*$", re.IGNORECASE | re.MULTILINE)

pytestmark = pytest.mark.skipif(not TRIALS.is_dir(), reason="the trials do not lie beside the project")


class Reply(NamedTuple):
    """A reply with the answer that its last line plainly has."""

    form: AnswerForm
    text: str
    said: str | None
    """``None``: no line has one."""


def _replies() -> Iterator[Reply]:
    for path in sorted(TRIALS.glob("*.json")):
        for trial in json.loads(path.read_text()):
            form = NUMBER if trial["benchmark"] in _NUMBERS else LETTERS
            for text in filter(str.strip, trial["stage1_responses"].values()):
                found = _LAST_LINE.search(text)
                said = found["said"].rstrip(".").replace(",", "") if found else None
                yield Reply(form, text, said)


def test_what_the_last_line_states_is_read() -> None:
    """Of every reply that ends as it was asked to, the answer is that of its last line."""
    asked = [reply for reply in _replies() if reply.said is not None]

    assert len(asked) > 150
    assert not [reply.text[-80:] for reply in asked if read_answer(reply.text, reply.form) != reply.said]


def test_without_the_last_line_nothing_else_is_read() -> None:
    """The reasoning alone gives the same answer, or to none: never to another one."""
    read = Counter(
        "none" if answer is None else "same" if answer == reply.said else "another"
        for reply in _replies()
        if reply.said is not None
        for answer in [read_answer(_HEADED.sub("", reply.text), reply.form)]
    )

    assert read["another"] == 0
    assert read["same"] > 100
