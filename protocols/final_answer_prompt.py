"""The prompt's request for a final answer line, and the repeated request for a missing one.

The last line is part of the question: it is added once, where the question is asked (``with_ending``), and so it is the
same for every protocol. A protocol with a writer for others (a chair, an aggregator)
reminds that writer of the line; none adds it a second time. ``protocols.answers`` reads the line.
"""

import re
from collections.abc import Mapping

from protocols.answer_text import own_words
from protocols.answers import AnswerForm, AnswerKind, AnswerRead
from protocols.further_calls import Unclear
from protocols.model_call import Answered
from protocols.prompt_pack import PromptPack
from protocols.text_files import read_toml

_TEXTS = read_toml(__package__, "final_answer.toml")

ENDINGS: Mapping[AnswerKind, str] = _TEXTS["endings"]
"""What asks for the last line of an answer, by kind; ``{choices}`` are those of the form."""

LAST_LINE: str = _TEXTS["last_line"]
"""The template that reminds a writer of that line, which the packs of such writers hold as ``last_line``."""

AGAIN: str = _TEXTS["again"]
"""The template that asks for the line once more, which every pack that reads answers holds as ``answer_again``."""

_END = 400
"""Characters at the end of a question in which it asks for the form of its answer; before them it may quote one."""
_HEADER = re.compile(r"final[ \t_-]{0,3}answer[*_\"'”’` \t]{0,6}[:：]", re.IGNORECASE)
_BOX = re.compile(r"\\boxed\b")
_READ_IN_BOX: frozenset[AnswerKind] = frozenset({"choice", "number", "yes_no"})


def ending(form: AnswerForm) -> str:
    """Return the sentences that ask for a last line with the answer in ``form``."""
    return _with_form(ENDINGS[form.kind], form)


def _with_form(text: str, form: AnswerForm) -> str:
    """Return ``text`` with the choices of ``form``, or with its scale behind the number alone."""
    filled = text.format(choices=", ".join(form.choices))
    if form.scale is None:
        return filled
    low, high = form.scale
    return filled.replace("the number alone", f"the number alone, from {low:g} to {high:g}")


def with_ending(question: str, form: AnswerForm) -> str:
    """Return ``question`` with the ending of ``form``, or as it is when it asks for such a line itself."""
    return question if requests_answer(question, form) else f"{question.rstrip()}\n\n{ending(form)}"


def requests_answer(question: str, form: AnswerForm) -> bool:
    r"""Return whether the end of ``question``, without a text to grade, asks for a line or ``\boxed{}`` of ``form``."""
    end = own_words(question).rstrip()[-_END:]
    return bool(_HEADER.search(end)) or (form.kind in _READ_IN_BOX and bool(_BOX.search(end)))


def where_asked(pack: PromptPack, template: str, form: AnswerForm | None) -> str:
    """Return the text of ``template``, which is present only if the question requests an answer in a ``form``."""
    return "" if form is None else pack.templates[template]


def unanswered(pack: PromptPack, form: AnswerForm) -> Unclear:
    """Return the rule that asks for the last line once more when no answer in ``form`` can be read."""
    wanted = _with_form(_TEXTS["wanted"].get(form.kind, "the answer, as short as it can be"), form)
    sentence = pack.fill("answer_again", {"wanted": wanted})

    def unclear(reply: Answered) -> str | None:
        return sentence if AnswerRead.model_validate(reply.reading).answer is None else None

    return unclear
