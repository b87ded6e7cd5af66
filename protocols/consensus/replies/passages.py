"""The corrected text in a reply, without comments about it.

Removed are a line that announces the text ("Corrected version:") with all text above it, remarks above and
below, a list of changes at the end, rules and a block of code around the whole. The rest is a text only when it can
replace the draft: it is not about the draft, and it is not far shorter than the draft.
"""

from collections.abc import Sequence
from typing import NamedTuple

from protocols import consensus
from protocols.consensus.replies.dress import trimmed, undressed
from protocols.consensus.replies.fragments import is_fragment
from protocols.consensus.replies.sentences import (
    LOOKED_AT,
    Compared,
    folded,
    is_opposed,
    is_review,
    normalised,
    sentences,
)
from protocols.consensus.wording import PHRASES, POLAR, REVERSED, SIGNS, WORD, WORDS
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

LONGEST_REMARK = 2_000
"""Characters of what was taken off that are kept."""

SHORT = 25
"""Words of a short draft: a correction of it may be shorter still."""

_LONGEST_LINE = 160
_LONGEST_LABEL = 60
_MOST_ANNOUNCEMENTS = 3
_MOST_OPENING = 14
_MOST_BARE = 2
_FEWEST_OF_LENGTH = 1 / 3
_FEWEST_OF_WORDS = 0.5
_FEWEST_OF_A_REWRITE = 0.25
_MOST_ABOUT = 0.25
_FEW = 3
_TAIL = 30
"""Characters at the end of a text, looked for within the draft."""
_BEGINNING = 12
_UNSPACED = "\u2e80"
"""Letters from here on have no blanks between words, so that few tokens may be many words."""

_RULE = lazy_pattern(r"\s*(?:[-*_=]\s?){3,}\s*")
_PATTERNS = compile_patterns(consensus.__name__, "replies_passages")
_OFFER = _PATTERNS["offer"]
_PART = _PATTERNS["part"]
"""A line that announces a part of a text."""
_MOST_LINES = 200
_TOKEN = lazy_pattern(r"[^\W\d_]+")
_NUMBER = lazy_pattern(r"\d+(?:[.,]\d+)*")
_ENDS, _STOPS, _OPENING = (":", "：", "通りです。", "如下。", "다음과 같습니다."), '.!?。！？*_`|)"”', "> \t\n*"


class Passage(NamedTuple):
    """A text, and the text around it."""

    text: str
    remark: str = ""
    is_below_remarks: bool = False


def passage(reply: str, draft: Compared) -> Passage | None:
    """Return the text in ``reply`` that can take the place of ``draft``; ``None`` when there is none."""
    lines = reply.splitlines(keepends=True)
    parts = (_PART.search(line[:_LONGEST_LINE].lower()) for line in lines[:_MOST_LINES])
    if any(found and not draft.has_like(found[0]) for found in parts):
        return None
    for number, rest in reversed(_announced(lines, draft)):
        found = _cleaned([rest, *lines[number + 1 :]] if rest else lines[number + 1 :], draft)
        if not found.is_below_remarks and fills(found.text, draft):
            above = "".join(lines[: number + 1]) if not rest else "".join(lines[:number])
            return Passage(found.text, _remark(above, found.remark))
    found = _cleaned(lines, draft)
    # Remarks above a text that nothing announces may quote the draft: what belongs to which is not certain.
    return found if not found.is_below_remarks and fills(found.text, draft) else None


def fills(text: str, draft: Compared) -> bool:
    """Return whether ``text`` can replace ``draft``: it is no comment on it, and not far shorter."""
    said = sentences(text)
    if not said or (said_all := normalised(text[:_LONGEST_LINE]).strip(" .!。！।")) in PHRASES["assent"]:
        return bool(said) and (said_all, draft.first_word) in REVERSED
    gives_word = _TOKEN.findall(said_all) == [WORD] or (WORD.upper() in text and WORD.upper() not in draft.text)
    if gives_word or is_fragment(text, draft) or is_review(text, draft):
        return False
    about = [sentence for sentence in said if draft.is_about(sentence) or draft.is_faulted_by(sentence)]
    if not draft.text:
        return not about
    kept = text.removesuffix("...").rstrip(" …") or text
    is_cut = kept[-1] not in _STOPS and draft.text.partition(kept[-_TAIL:])[2][:1].strip("\n.!?。！？") != ""
    if draft.length <= SHORT:
        is_half = is_cut and len(text.split()) > _FEW
        return not (about or is_half or _speaks_of(text, draft)) and _shares_script(text, draft)
    is_about = sum(map(len, about)) > _MOST_ABOUT * sum(map(len, said)) or said[0] in about
    if is_about or is_cut or _begins_at(text) > max(1, _begins_at(draft.text)):
        return False
    coverage, length = draft.shares(text)
    is_rewritten = coverage >= _FEWEST_OF_A_REWRITE and length >= _FEWEST_OF_LENGTH
    return coverage >= _FEWEST_OF_WORDS or (is_rewritten and _shares_script(text, draft))


def _begins_at(text: str) -> int:
    """Return the number of the step or point with which ``text`` begins; 0 when it begins without one."""
    found = _PATTERNS["first_number"].match(text)
    return int(found[1]) if found else 0


def _speaks_of(text: str, draft: Compared) -> bool:
    """Return whether a reply to a short draft says what is wrong in it instead of setting it right, or says nothing."""
    said = normalised(text[:LOOKED_AT])
    tokens = _TOKEN.findall(said)
    has_no_number = _PATTERNS["figure"].fullmatch(draft.text.strip()) is not None and _NUMBER.search(text) is None
    is_long = draft.length > _FEW < len(tokens) or (draft.length > 4 * _FEW and said < _UNSPACED)
    is_silent = _PATTERNS["wordless"].fullmatch(text[:LOOKED_AT]) is not None
    contradicts = bool(tokens) and tokens[0] in POLAR and draft.first_word not in POLAR
    return (
        is_silent
        or contradicts
        or (draft.words.isdisjoint(tokens) and (has_no_number or (0 < len(tokens) <= 2 * _FEW and is_long)))
        or (_PATTERNS["grade"].fullmatch(said) is not None and _NUMBER.sub("", said) not in draft.text)
        or not WORDS["faulted"].isdisjoint(set(tokens) - draft.words)
        or any(sign in said for sign in ("→", "->"))
    )


def _shares_script(text: str, draft: Compared) -> bool:
    """Return whether both are written in Latin letters, or neither is; a text without letters goes with both."""
    scripts = [
        {char.isascii() or char < "\u0250" for char in one[:_LONGEST_LINE] if char.isalpha()}
        for one in (text, draft.text)
    ]
    return not all(scripts) or bool(scripts[0] & scripts[1])


def _announced(lines: Sequence[str], draft: Compared) -> list[tuple[int, str]]:
    """Return the lines that announce a text, with the part of it on the same line."""
    found: list[tuple[int, str]] = []
    read = 0
    for number, line in enumerate(lines):
        read += len(line)
        if read > LOOKED_AT or len(found) >= _MOST_ANNOUNCEMENTS:
            break
        label, colon, rest = _labelled(line)
        if rest and line.rstrip().endswith(".") and len(line) <= _LONGEST_LINE and _announces(line, is_closed=False):
            label, rest = line, ""
        is_above = number == 0 and colon and not rest and _is_above(label, lines[1:_FEW], draft)
        is_announcement = is_above or _announces(label, is_closed=bool(colon) or _is_heading(line))
        if is_announcement and not draft.has_like(label):
            found.append((number, rest.lstrip(" *_")))
    return [(number, rest) for number, rest in found if rest.strip() or "".join(lines[number + 1 :]).strip()]


def _is_above(label: str, following: Sequence[str], draft: Compared) -> bool:
    """Return whether a short line without an objection is above a text with the beginning of ``draft``."""
    is_short = len(label) <= _LONGEST_LABEL and not is_opposed(label)
    return is_short and "".join(following).lstrip(_OPENING).startswith(draft.text.lstrip(_OPENING)[:_BEGINNING])


def _labelled(line: str) -> tuple[str, str, str]:
    """Return a line's label, its colon and what follows; of a line without one the line alone."""
    shown = line.strip()
    if shown.endswith(_ENDS) or (len(shown.rstrip("*_ ")) < len(shown) and shown.rstrip("*_ ").endswith(_ENDS)):
        return (shown, ":", "") if len(shown) <= _LONGEST_LINE else ("", "", "")
    for colon in _ENDS:
        label, found, rest = shown.partition(colon)
        if found and len(label) <= _LONGEST_LABEL:
            return label, found, rest
    return (shown, "", "") if len(shown) <= _LONGEST_LINE else ("", "", "")


def _announces(label: str, *, is_closed: bool) -> bool:
    said = (sentences(label) or [""])[-1]
    tokens = _TOKEN.findall(said)
    has_latin = not WORDS["revised"].isdisjoint(tokens) and not WORDS["versions"].isdisjoint(tokens)
    has_signs = any(sign in said for sign in SIGNS["revised"]) and any(sign in said for sign in SIGNS["version"])
    is_opening = said.startswith(SIGNS["opening"])
    is_bare = is_closed and 1 <= len(tokens) <= _MOST_BARE and not WORDS["bare"].isdisjoint(tokens)
    is_short = is_opening and len(tokens) <= _MOST_OPENING
    is_plain = is_short and is_closed and not WORDS["plain_versions"].isdisjoint(tokens)
    is_beside = said.startswith(SIGNS["beside"]) or not WORDS["reviews"].isdisjoint(tokens)
    names_text = (has_latin or has_signs) and (is_closed or is_short or said.rstrip(".").endswith(("below", "follows")))
    return bool(said) and not is_beside and (is_plain or is_bare or names_text)


def _is_heading(line: str) -> bool:
    shown = line.strip()
    return shown.startswith("#") or (len(shown) > len("****") and shown.startswith("**") and shown.endswith("**"))


def _cleaned(lines: Sequence[str], draft: Compared) -> Passage:
    """Return a text without the remarks, rules and the block of code around it."""
    blocks = _blocks(lines)
    first, last, is_below_remarks = 0, len(blocks), False
    while first < last and (_is_ornament(blocks[first], draft) or _is_remark(blocks[first], draft)):
        is_below_remarks |= not _is_ornament(blocks[first], draft)
        first += 1
    end = next((n for n in range(max(first, 1), last) if _is_change_list(blocks[n], draft)), last)
    while end > first and _closes(blocks[end - 1], draft):
        end -= 1
    text = trimmed("".join(blocks[first:end]))
    remark = _remark("".join(blocks[:first]), "".join(blocks[end:]))
    return Passage(undressed(text, draft), remark, is_below_remarks)


def _blocks(lines: Sequence[str]) -> list[str]:
    """Return the paragraphs, each with the blank lines behind it.

    A block of code stays in one piece, and so does the middle of a long text, where no remark is looked for.
    """
    blocks: list[list[str]] = []
    total, read, is_open, was_blank = sum(map(len, lines)), 0, False, True
    for line in lines:
        is_blank = not line.strip()
        is_middle = LOOKED_AT < read < total - LOOKED_AT
        if not is_blank and (not blocks or (was_blank and not is_open and not is_middle)):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
        read += len(line)
        is_open ^= line.lstrip().startswith(("```", "~~~"))
        was_blank = is_blank
    return ["".join(block) for block in blocks]


def _is_ornament(block: str, draft: Compared) -> bool:
    """Return whether a paragraph says nothing: a rule, a courtesy, an announcement; what the draft has is none."""
    shown = normalised(block[:LOOKED_AT])
    if shown in draft.sentences or len(block) > _LONGEST_LINE:
        return False
    if _RULE.fullmatch(folded(block).strip()):
        return not draft.text.startswith("---")
    label, colon, rest = _labelled(block)
    is_line = "\n" not in block.strip()
    is_announcement = is_line and not rest and _announces(label, is_closed=bool(colon) or _is_heading(block))
    return _PATTERNS["courtesy"].fullmatch(shown) is not None or (is_announcement and not draft.has_like(label))


def _is_remark(block: str, draft: Compared) -> bool:
    """Return whether a paragraph is about the draft: most of its sentences are, or the first of a few."""
    if len(block) > LOOKED_AT or normalised(block) in draft.sentences:
        return False
    said = sentences(block)
    about = [sentence for sentence in said if draft.is_about(sentence)]
    return bool(about) and (2 * len(about) > len(said) or (said[0] in about and len(said) <= _FEW))


def _closes(block: str, draft: Compared) -> bool:
    """Return whether a paragraph at the end is no part of a text: a rule, an offer, or a remark."""
    is_rule = _RULE.fullmatch(folded(block[:_LONGEST_LINE]).strip()) is not None and not draft.text.endswith("---")
    shown = normalised(block[:LOOKED_AT].removeprefix("---\n"))
    is_offer = _OFFER.match(shown) is not None and not draft.has_like(shown)
    return is_rule or is_offer or _is_remark(block, draft)


def _is_change_list(block: str, draft: Compared) -> bool:
    """Return whether a paragraph opens a list of what was changed."""
    line = block[:_LONGEST_LINE].lstrip("-=_ \n").partition("\n")[0].strip()
    label, colon, _ = _labelled(line)
    said = normalised(label).rstrip(":： ")
    tokens = _TOKEN.findall(said)
    is_named = not WORDS["changes"].isdisjoint(tokens) and WORDS["change_line"].issuperset(tokens)
    has_sign = len(said) <= _LONGEST_LABEL and any(sign in said for sign in SIGNS["change"])
    is_new = draft.sentences.isdisjoint((said, f"{said}:"))
    return (is_named or has_sign) and (bool(colon) or _is_heading(line)) and is_new


def _remark(*parts: str) -> str:
    return "\n\n".join(part for part in (trimmed(one) for one in parts) if part)[:LONGEST_REMARK]
