"""The readers of a consensus: a first answer, an evaluation, a polished text."""

import re
from collections.abc import Mapping

from pydantic import JsonValue

from protocols import consensus
from protocols.answers import AnswerForm, read_answer
from protocols.consensus.model import Curation, Draft, Evaluation
from protocols.consensus.replies.acceptance import consent, undressed
from protocols.consensus.replies.dress import trimmed
from protocols.consensus.replies.passages import LONGEST_REMARK, Passage, passage
from protocols.consensus.replies.sentences import Compared, has_full_marks, is_opposed, is_rating, sentences
from protocols.consensus.wording import WORD, WORDS
from protocols.json_in_text import whole_object
from protocols.reply_reader import ReplyReader, text_in
from protocols.text_files import compile_patterns

_FEWEST_ABOUT = 4
"""One character in so many, at least, is about the draft in an objection that opens with something else."""
_MOST_LAST = 3
"""Sentences at the end of a reply that may take its text back."""
_PATTERNS = compile_patterns(consensus.__name__, "readers")
_WORD = re.compile(r"[^\W\d_]+")

_CLOSING_MARK = re.compile(r"\n[^\S\n]{0,20}</answer>\s{0,20}\Z", re.IGNORECASE)


def read_draft(text: str, _needs: Mapping[str, JsonValue]) -> Draft:
    """Return the answer to the bare question without the blank lines around it."""
    return Draft(text=trimmed(_storable(text)))


def read_evaluation(text: str, needs: Mapping[str, JsonValue]) -> Evaluation:
    """Return the reading of ``text`` as an evaluation of a draft (seed 004, "Decision Logic").

    ``needs["shown"]`` is what the model was shown, ``needs["nonce"]`` the code of the marks around the draft in it.
    """
    nonce, draft = text_in(needs, "nonce"), _compared(needs)
    own = _out_of_object(_unmarked(trimmed(_storable(text)), nonce), draft)
    accepted = consent(own, draft)
    if accepted:
        return Evaluation(accepted=True, found_as=accepted)
    found = None if _is_object(own, draft) else passage(own, draft)
    if found and not draft.is_same(found.text) and not _takes_back(found, own, draft):
        return Evaluation(accepted=False, draft=found.text, found_as="correction", remark=found.remark)
    is_objection = found is None and _objects(own, draft)
    return Evaluation(accepted=False, found_as="objection" if is_objection else "doubtful", remark=own[:LONGEST_REMARK])


def read_curation(text: str, needs: Mapping[str, JsonValue]) -> Curation:
    """Return the curator's text, distinguished from a mere verdict and from comments as in an evaluation."""
    nonce, draft = text_in(needs, "nonce"), _compared(needs)
    own = _out_of_object(_unmarked(trimmed(_storable(text)), nonce), draft)
    accepted = consent(own, draft)
    found = None if accepted or _is_object(own, draft) else passage(own, draft)
    if found and not _takes_back(found, own, draft) and _keeps_answer(found.text, draft.text, needs):
        return Curation(text=found.text, found_as="text", remark=found.remark)
    return Curation(text=None, found_as="nothing_to_polish" if accepted else "doubtful", remark=own[:LONGEST_REMARK])


def _keeps_answer(text: str, draft: str, needs: Mapping[str, JsonValue]) -> bool:
    """Return whether the polished text has the accepted draft's final answer, if one is requested."""
    if needs.get("form") is None:
        return True
    form = AnswerForm.model_validate(needs["form"])
    accepted = read_answer(draft, form)
    return accepted is None or read_answer(text, form) == accepted


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _compared(needs: Mapping[str, JsonValue]) -> Compared:
    """Return the draft between the marks with the code, and the text after it; without marks, all of it."""
    shown, nonce = text_in(needs, "shown"), text_in(needs, "nonce")
    opening, closing = f'<answer name="response" nonce="{nonce}">\n', f'\n</answer nonce="{nonce}">'
    _, opened, rest = shown.partition(opening)
    inside, closed, behind = rest.partition(closing)
    return Compared(inside, behind) if nonce and opened and closed else Compared(shown)


def _unmarked(text: str, nonce: str) -> str:
    """Return ``text`` without copied marks of its prompt on separate lines."""
    inside = rf"[^<>\n]{{0,300}}{re.escape(nonce)}[^<>\n]{{0,300}}"
    mark = rf"^[^\S\n]{{0,20}}<[ /]{{0,9}}answer\b{inside}>[^\S\n]{{0,20}}(?:\n|\Z)"
    rest, marks = re.subn(mark, "", text, flags=re.IGNORECASE | re.MULTILINE) if nonce else (text, 0)
    return trimmed(_CLOSING_MARK.sub("", rest)) if marks else text


def _out_of_object(own: str, draft: Compared) -> str:
    """Return the text below keys and values, or the only corrected text in a JSON object with comments and a verdict.

    An object that has the word as well, or several texts, stays as it is, and so does one for a draft that is one.
    """
    own = own if own.lstrip("*_")[:3] == draft.text.lstrip("*_")[:3] else _PATTERNS["front_matter"].sub("", own)
    if draft.text.startswith(("{", "[", "```json")) or not own.startswith(("{", "```")):
        return own
    said = whole_object(own) or {}
    given = {key.lower().strip(): value.strip() for key, value in said.items() if isinstance(value, str)}
    texts = [value for key, value in given.items() if value and not WORDS["text_keys"].isdisjoint(_WORD.findall(key))]
    accepts = any(undressed(value) == WORD for value in given.values())
    return texts[0] if len(texts) == 1 and not accepts else own


def _is_object(own: str, draft: Compared) -> bool:
    """Return whether a reply is still a JSON object, perhaps behind a remark, and the draft has none: it is no text."""
    has_object = "{" in draft.text and not own.startswith(("{", "```"))
    is_like_draft = has_object or draft.text.startswith(("{", "[", "```"))
    return not is_like_draft and _PATTERNS["led_object"].fullmatch(own) is not None


def _objects(own: str, draft: Compared) -> bool:
    """Return whether ``own`` holds something against the draft and does not give the word as well.

    Of several sentences about the draft the first or the last objects: praise at both ends with a doubt between them is
    not certain, and is asked.
    """
    if any(undressed(line) == WORD for line in _ends(own)) or has_full_marks(own):
        return False
    said = [sentence for sentence in sentences(own) if not draft.has_shown(sentence)]
    named = [number for number, sentence in enumerate(said) if draft.is_about(sentence)]
    about = [number for number in named if not is_rating(said[number])] or named
    if not about:
        return False
    length = sum(len(said[number]) for number in about)
    is_aside = _FEWEST_ABOUT * length < sum(map(len, said)) and about[0] != 0
    # The text around the words about the draft belongs to them: "Nearly complete. The year is missing."
    beside = {max(0, about[0] - 1), about[0], about[0] + 1, about[-1], about[-1] + 1}
    return not is_aside and any(is_opposed(said[number]) for number in beside if number < len(said))


def _takes_back(found: Passage, own: str, draft: Compared) -> bool:
    """Return whether an acceptance accompanies the text in ``own``, or its end takes it back: both are doubtful."""
    ends = [line for part in (found.text, found.remark) for line in _ends(part)]
    last = [sentence for sentence in sentences(own)[-_MOST_LAST:] if sentence not in draft.sentences]
    is_word = any(undressed(line) == WORD and line.strip().lower() not in draft.sentences for line in ends)
    return is_word or any(_PATTERNS["taken_back"].search(sentence[:LONGEST_REMARK]) for sentence in last)


def _ends(text: str) -> tuple[str, ...]:
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines[0], lines[-1], *sentences(lines[-1])[-1:]) if lines else ()


READERS = {
    "draft": ReplyReader(read_draft, verdict=""),
    "evaluation": ReplyReader(read_evaluation, compares=True),
    "curation": ReplyReader(read_curation, compares=True, verdict=""),
}
