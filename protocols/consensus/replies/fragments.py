"""Replies that are no whole text, though they are not about the draft: left out parts, a list of edits, findings.

None of them can take the place of a draft. What the draft has itself is none of them: a draft may be a table of
corrections, a patch, or a text with an ellipsis.
"""

import re
from itertools import islice

from protocols import consensus
from protocols.consensus.replies.sentences import COMPARED, Compared, normalised
from protocols.consensus.wording import SIGNS, WORDS
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(consensus.__name__, "replies_fragments")
_MARKED = _PATTERNS["marked"]
"""Text in brackets, and text after an ellipsis at the beginning of a line."""
_WORD = re.compile(r"[^\W\d_]+")
_PUT_IN = re.compile(r"^\+[^\S\n]?[^\s+]", re.MULTILINE)
_FENCE = re.compile(r"^[^\S\n]{0,9}(?:`{3}|~{3})", re.MULTILINE)
_MARKS = re.compile(r"^[^\S\n]{0,9}(?:[-*] )?([✅❌✔✗✘⚠☑])", re.MULTILINE)
_MOST_NOTES = 200
_SHORT_LIST = 60
"""Words; of a longer draft a reply has to have its share anyway."""
_EDITED = _PATTERNS["edited"]
"""A fault that is marked as an editor marks it: a word struck out, or a remark in brackets behind it."""
_AGAINST = frozenset("❌✗✘⚠")


def is_fragment(text: str, draft: Compared) -> bool:
    """Return whether ``text`` leaves parts of ``draft`` out, or lists what is to be changed in it."""
    text = text[:COMPARED]
    signs = (_is_a_line_for_a_list, _leaves_out, _is_patch, _lists_findings, _marks_claims, _has_no_code)
    is_new = any(mark.search(text) and not mark.search(draft.text) for mark in (_PATTERNS["role"], _EDITED))
    return is_new or any(sign(text, draft) for sign in signs)


def _leaves_out(text: str, draft: Compared) -> bool:
    """Return whether a note replaces a part: "[…]", "[unchanged]", "… (rest as before)"."""
    if _PATTERNS["elided"].search(text) and not _PATTERNS["elided"].search(draft.text):
        return True
    notes = (normalised(found[found.lastindex or 0]).strip(" .)]") for found in _MARKED.finditer(text))
    return any(not draft.holds(note) for note in islice(filter(_stands_for_a_part, notes), _MOST_NOTES))


def _stands_for_a_part(said: str) -> bool:
    return not WORDS["left_out"].isdisjoint(_WORD.findall(said)) or any(sign in said for sign in SIGNS["left_out"])


def _is_patch(text: str, draft: Compared) -> bool:
    """Return whether lines are marked as taken out and put in."""
    is_marked = _PATTERNS["taken_out"].search(text) is not None and _PUT_IN.search(text) is not None
    return is_marked and _PUT_IN.search(draft.text) is None


def _lists_findings(text: str, draft: Compared) -> bool:
    """Return whether a table of the text grades claims, and the draft has no word of its heading."""
    headings = (normalised(found[1]) for found in _PATTERNS["row"].finditer(text))
    return any(not (WORDS["findings"] & set(_WORD.findall(heading))) <= draft.words for heading in headings)


def _marks_claims(text: str, draft: Compared) -> bool:
    """Return whether lines begin with ticks and crosses, and the draft has no such line."""
    return not _AGAINST.isdisjoint(_MARKS.findall(text)) and _MARKS.search(draft.text) is None


def _is_a_line_for_a_list(text: str, draft: Compared) -> bool:
    """Return whether one line comes back for a list, and has less than half of its words."""
    is_list = draft.text.count("\n") > 1 and draft.length <= _SHORT_LIST
    return is_list and "\n" not in text.strip() and draft.shares(text)[0] < 1 / 2


def _has_no_code(text: str, draft: Compared) -> bool:
    """Return whether prose comes back for a block of code: no block, and no line of the draft's."""
    if not _FENCE.match(draft.text) or _FENCE.search(text):
        return False
    own = {line.strip() for line in draft.text.splitlines() if line.strip()}
    return not any(line.strip() in own for line in text.splitlines())
