"""How ACCEPT is told from a correction: a reading never raises, and takes time in proportion to the text.

Seed 004 asks for ONLY the word ACCEPT, and models say more. A rule that looks for the word takes "ACCEPTABLE? No" and
"I do not ACCEPT" for consent, so consent is the word and nothing but the word::

    ACCEPT                            accepted; thinking, emphasis, quotes, "Verdict:" or a full stop do not matter
    ACCEPT, below it a short remark   accepted, unless the remark proposes a correction
    talk about the verdict, no text   an objection: not accepted, and nothing to put in the draft's place
    talk, below it a text             a correction: the text without the talk
    anything else                     a correction, as it stands

Only what opens with the verdict is taken for talk: a short answer such as "It is 1945, not 1944." is a text. In doubt
nothing is accepted, and a remark does not replace a draft: another round costs less than a wrong verdict.
"""

import re
import string
import unicodedata
from collections.abc import Mapping
from itertools import takewhile
from typing import Literal

from pydantic import JsonValue

from protocols.consensus.model import Curation, Draft, Evaluation

_SHORT = 200
"""Characters of the longest remark."""

_TAG = r"(?:think|thinking|thought|reasoning)>"
_THINKING = re.compile(rf"\s*<{_TAG}", re.IGNORECASE)
_THINKS = re.compile(rf"<{_TAG}", re.IGNORECASE)
_THOUGHT = re.compile(rf"</{_TAG}", re.IGNORECASE)
_THOUGHT_ALONE = re.compile(rf"^[^\S\n]{{0,20}}</{_TAG}[^\S\n]{{0,20}}$", re.IGNORECASE | re.MULTILINE)

_QUOTES = "\"'`«»‹›“”„‟‘’‚‛「」『』﹁﹂〝〞〟❝❞❛❜´′″《》〈〉"
_AROUND = string.whitespace + "*_~#" + _QUOTES
_BEHIND = _AROUND + ".!:。"
"""No question mark: "ACCEPT?" asks."""
_UNADORNED = str.maketrans(dict.fromkeys("’‘ʼ´", "'") | dict.fromkeys('*_~#`"“”„«»', ""))

_ADORNED = rf"[{re.escape(_AROUND)}]{{0,40}}"
_NAMED = re.compile(rf"\A{_ADORNED}(?:verdict|answer){_ADORNED}[:：]", re.IGNORECASE)
_FENCE = r"(?:`{3,9}|~{3,9})"
_FENCED = re.compile(
    rf"\s{{0,40}}{_FENCE}[^\S\n]{{0,9}}\w{{0,20}}\s{{0,9}}\n(?P<inside>[^\n]{{0,300}})\n\s{{0,9}}{_FENCE}"
)
_CLOSING_MARK = re.compile(r"\n[^\S\n]{0,20}</answer>\s{0,20}\Z", re.IGNORECASE)

_KIND = (
    r"(?:(?:major|minor|critical|crucial|factual|significant|serious|obvious|material|substantive|important|essential"
    r"|further|other|more|additional|key|notable|real|apparent|such|relevant|missing|necessary|needed|required|any|need"
    r"|for|of|to)\s){0,4}"
)
_FAULT = (
    r"(?:errors?|mistakes?|omissions?|corrections?|changes?|inaccurac(?:y|ies)|issues?|problems?|flaws?|gaps?|faults?"
    r"|revisions?|improvements?|edits?|additions?|fix(?:es)?|modifications?|amendments?|adjustments?|updates?|typos?"
    r"|clarifications?|concerns?|objections?|contradictions?|caveats?|need|action"
    r"|missing (?:information|details?|facts?))\b"
)
_TO_MEND = (
    r"(?:\s(?:or\s)?(?:is|are|was|were|be|been|has|have|to|should|must|needs?|needed|required|necessary|missing|omitted"
    r"|lacking|wrong|incorrect|inaccurate|found|added|made|changed|corrected|correcting|correct|fix|fixed|fixing|add"
    r"|adding|change|changing|make|improve|suggest|propose|report)\b){0,6}"
)
_NO = (
    r"(?:(?:needs? )?no|zero|(?<!not )without|free (?:of|from)|cannot (?:find|see)|would(?: not|n't) (?:make|suggest)"
    r"|(?:do|does|did)(?: not|n't) (?:need|require|contain|have|see|find|suggest|propose))"
)
_HARMLESS = re.compile(
    rf"\b{_NO}\s{_KIND}{_FAULT}(?:(?:,|,?\s(?:or|and|nor))\s{_KIND}{_FAULT}){{0,4}}{_TO_MEND}"
    rf"|\bno {_KIND}(?:information|details?|facts?|points?)(?: (?:is|are|was|were))? (?:missing|omitted|lacking)\b"
    rf"|\bnothing(?:\s(?:important|major|critical|essential|significant|relevant|of importance|else))?{_TO_MEND}"
    r"|\b(?:omits|lacks|misses) nothing\b|\bnot (?:missing|lacking) anything\b|\berror-free\b"
    r"|\b(?:would|do|does|did)(?: not|n't) (?:omit|miss|lack|need to be changed|(?:change|add) anything)\b"
    r"|\blet me know if you\b[^.!?;,]{0,60}",
    re.IGNORECASE,
)
"""Words for a fault that is denied: "no errors or omissions", "nothing is missing", "does not need any changes"."""

_PROPOSES = re.compile(
    r"^\W{0,4}(?:no|not|if|once|after|provided)\b|(?:[,;–—-]|\band) not\b|->|[→❌✗✘🚫👎]"
    r"|(?:^|[.!?] )\W{0,4}(?:include|mention|use|state|say|write|specify|try)\b"
    r"|\b(?:but|however|although|though|except|yet|instead|rather than|nevertheless|nonetheless|unless|other than"
    r"|only if|apart from|aside from|save for|despite|provided that|assuming|conditional\w{0,4}|on condition)\b"
    r"|\b(?:should|could|might|ought|would|must (?:be|have)|wait|actually|please|better|second thought|recommend\w{0,6}"
    r"|reject\w{0,3}|disagree\w{0,3}|refuse|decline)\b"
    r"|\bcorrect(?:ed|ing|ions?|s)\b|\bcorrect (?:(?:the|this|that|it|its)\b|(?!and\b)\w{1,20}(?: (?:is|was)\b| ?:))"
    r"|\b(?:wrong|false|in(?:correct|accurate|complete)|untrue|imprecise|erroneous|insufficient)(?:ly)?\b"
    r"|\b(?:inaccurac(?:y|ies)|outdated|unclear|errors?|mistakes?|mistaken|miss(?:ing|ed|es)|omit(?:s|ted)?|omissions?"
    r"|typos?|issues?|problems?|flaws?|gaps?|caveats?|concerns?|additions?|lack(?:s|ing)?|need(?:s|ed)?|fail(?:s|ed)?"
    r"|overlook\w{0,3}|forg(?:e|o)ts?|mis(?:lead|spel|stat|represent|quot)\w{1,6})\b"
    r"|\b(?:add(?:s|ed|ing)?|chang(?:e|es|ed|ing)|replac(?:e|es|ed|ing)|fix(?:e[sd]|ing)?|revis\w{1,4}|improv\w{1,6}"
    r"|suggest\w{0,4}|consider|versions?|amend\w{0,6}|adjust\w{0,5}|updat(?:e|es|ed|ing)|rewr(?:ite|itten|ote)"
    r"|edit(?:s|ed)?|rephras\w{1,3}|reword\w{0,3}|clarif\w{1,7}|expand\w{0,3}|modif\w{1,8}|delet\w{1,4}|remov\w{1,4}|insert\w{0,3})\b"
    r"|(?:\bnot|n't) (?:contain|include|mention|have|add|name|answer|address|cover|explain|state|say|give)\b"
    r"|(?:\b(?:not|can ?not)|n't) (?:\w{1,12}ly |quite |yet |be )?(?:accept\w{0,4}|correct|accurate|complete|true|right"
    r"|sure)\b",
    re.IGNORECASE,
)
"""What makes a remark a correction: contrast, a condition, or a word for something to be set right."""

_THEN = (
    r"(?:but|yet|because|since|however|although|though|except|provided|unless|subject to|conditional\w{0,4}|only if|if"
    r"|with (?:an?|minor|some|one|changes|corrections|reservations|caveats)|once|after)\b"
)
_STOP = rf"(?: ?$| ?[^\w\s(/'-]| [-(]| {_THEN})"
_IT = r"(?: (?:it|this|that)\b| (?:this|that|the|your) (?:(?:given|current) )?(?:response|draft|answer|version)\b)?"
_CANNOT = r"(?:can ?not|can't|could not|couldn't|unable to)"
_WILL_NOT = r"(?:do not|don't|will not|won't|would not|wouldn't|must|have to|refuse to|decline to|would|can|will)"
_GRADE = r"(?:(?:un|in)?(?:acceptable|accurate|correct|complete)|wrong|fine|good)\b"
_TALK = re.compile(
    r"[\W\d_]{0,20}(?:(?:(?:my|the|final|overall) ){0,3}(?:verdict|decision|answer|evaluation) ?(?::|is:?) ?)?(?:"
    rf"(?-i:(?:[Dd][Oo] )?(?:[Nn][Oo][Tt] )?ACCEPT(?:ED|ABLE)?){_STOP}"
    rf"|(?:(?:not |un)accept(?:ed|able)?|reject(?:ed)?){_STOP}"
    rf"|accept(?:ed|able)?(?: ?$| ?[.!?)\]}}]|(?: | ?[,:;–—-] ?){_THEN}"
    r"| ?[,:;–—-] ?(?:no|not|it is|it's|the response)\b)"
    rf"|(?:(?:sorry|no|unfortunately),? )?(?:i|we) (?:(?:{_CANNOT}|{_WILL_NOT}|am {_CANNOT}) )?(?:fully |yet )?"
    rf"(?:accept|reject){_IT}{_STOP}"
    rf"|{_CANNOT} accept{_IT}{_STOP}"
    r"|(?:(?:the|this|your) (?:response|draft) (?:is|was|looks|seems|appears)(?: to be)?"
    rf"|(?:verdict|decision) ?(?::|is)) (?:(?:not|both|also|already|quite|\w{{1,12}}ly) ){{0,3}}{_GRADE})",
    re.IGNORECASE,
)
"""How a line opens that is about the verdict and not about the question."""

_AGAINST = re.compile(
    r"\b(?:no|not|can ?not|unable|refuse|decline|reject\w*|wrong|(?:un|in)(?:acceptable|accurate|correct|complete))\b"
    r"|n't\b",
    re.IGNORECASE,
)
_FOR = re.compile(r"[\W_]{0,20}accept(?!\w{0,4}\W{1,3}(?:no|not)\b)", re.IGNORECASE)
_NO_LINE = re.compile(r"[\s*_=#-]*(?:(?:verdict|answer)[\s*_:]{0,20})?", re.IGNORECASE)
_YES_OR_NO = re.compile(r"[\W_]{0,20}(?:(?:verdict|answer)[\W_]{0,20})?(?:yes|no)[\W_]{0,20}", re.IGNORECASE)
_LAST_WORD = re.compile(
    r"(?:\n[^\S\n]{0,20}\n[^\w\n]{0,40}|\n[\W_]{0,40}(?i:(?:final )?verdict)[\W_]{0,20})ACCEPT[\W_]{0,20}\Z"
)
_LETTERS = re.compile(r"[^\W_]+")
_VERDICTS = frozenset(("accept", "accepted", "acceptable", "reject", "rejected"))
_DRESS = _VERDICTS | frozenset(
    (
        *("my", "the", "final", "verdict", "answer", "response", "decision", "is", "it", "this", "i", "we"),
        *("yes", "no", "not", "boxed", "text", "b", "strong"),
    )
)
_LOOKALIKES = str.maketrans("АСЕРТасертΑΕΡΤ", "ACEPTaceptAEPT") | dict.fromkeys(range(0x300, 0x370))
"""Cyrillic and Greek letters that look like those of ACCEPT, and marks that strike it out: no verdict, no text."""


def read_draft(text: str, _needs: Mapping[str, JsonValue]) -> Draft:
    """The answer to the bare question, without the thinking before it and blank lines around it.

    A reply that never got past its thinking is an empty draft.
    """
    return Draft(text=_own(text))


def read_evaluation(text: str, needs: Mapping[str, JsonValue]) -> Evaluation:
    """ACCEPT or not (seed 004, "Decision Logic"); ``needs["nonce"]`` is carried by the marks of the prompt."""
    own = _own(text)
    accepted = _accepted(own)
    if accepted:
        return Evaluation(accepted=True, found_as=accepted)
    nonce = needs.get("nonce")
    draft = _offered(own, nonce if isinstance(nonce, str) else "")
    return Evaluation(accepted=False, draft=draft, found_as="objection" if draft is None else "correction")


def read_curation(text: str, needs: Mapping[str, JsonValue]) -> Curation:
    """The curator's text, told from a mere verdict as in an evaluation."""
    return Curation(text=read_evaluation(text, needs).draft)


def _own(text: str) -> str:
    """What a model says when it has thought, in characters that can be stored; thinking that never ends leaves nothing.

    A closing tag alone on its line ends thinking that was opened in the prompt, where nobody sees it.
    """
    storable = text.encode("utf-8", "replace").decode()
    start = 0
    while opened := _THINKING.match(storable, start):
        closed = _THOUGHT.search(storable, opened.end())
        start = closed.end() if closed else len(storable)
    alone = None if start else _THOUGHT_ALONE.search(storable)
    if alone and not _THINKS.search(storable, 0, alone.start()):
        start = alone.end()
    return _trimmed(storable[start:].lstrip(" \t") if start else storable)


def _trimmed(text: str) -> str:
    """``text`` without the blank lines around it; the first line keeps its indentation, which may mean something."""
    blank = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, blank) + 1 :].rstrip()


def _accepted(own: str) -> Literal["word", "word_and_remark"] | None:
    said = _unfenced(_NAMED.sub("", _unfenced(_folded(_without_thoughts(own)).strip()))).lstrip()
    if _is_word(said):
        return "word"
    first, _, remark = said.partition("\n")
    is_closing = len(remark.strip()) <= _SHORT and not _proposes(remark)
    return "word_and_remark" if _is_word(first) and is_closing else None


def _without_thoughts(text: str) -> str:
    kept: list[str] = []
    start = 0
    while (opened := _THINKS.search(text, start)) and (closed := _THOUGHT.search(text, opened.end())):
        kept.append(text[start : opened.start()])
        start = closed.end()
    return "\n".join((*kept, text[start:]))


def _folded(text: str) -> str:
    """``text`` for looking at only: wide letters plain, what is invisible gone, one kind of line end."""
    table = {ord(c): _plain(c) for c in set(text) if not (c.isascii() and c.isprintable())}
    return text.replace("\r\n", "\n").translate(table)


def _plain(char: str) -> str:
    if char in "\n\r\x85\u2028\u2029":
        return "\n"
    if (unicodedata.category(char) in {"Cf", "Cc"} and not char.isspace()) or "\ufe00" <= char <= "\ufe0f":
        return ""
    plain = unicodedata.normalize("NFKC", char)
    return plain if plain.isascii() else char


def _unfenced(text: str) -> str:
    """``text`` without a code fence around its first line."""
    found = _FENCED.match(text)
    return f"{found['inside']}{text[found.end() :]}" if found else text


def _is_word(text: str) -> bool:
    return text.lstrip(_AROUND).rstrip(_BEHIND).lower() == "accept"


def _spoken(text: str) -> str:
    """``text`` on one line, without adornment."""
    return " ".join(_folded(text).translate(_UNADORNED).split())


def _proposes(text: str) -> bool:
    return _PROPOSES.search(_HARMLESS.sub(" ", _spoken(text))) is not None


def _offered(own: str, nonce: str) -> str | None:
    """The text in a reply that does not accept, for the draft's place; ``None`` when there is none."""
    own = _unmarked(own, nonce)
    lines = _unfenced(own).splitlines(keepends=True)
    head = list(takewhile(lambda line: _NO_LINE.fullmatch(line) or _is_talk(line), lines))
    if not any(map(_is_talk, head)):
        return None if _is_verdict(own) else own
    body = _trimmed("".join(lines[len(head) :]))
    return body if _replaces(body, _HARMLESS.sub(" ", _spoken("".join(head)))) and not _is_verdict(body) else None


def _unmarked(text: str, nonce: str) -> str:
    """``text`` without the marks of its prompt that a model copied, each on a line of its own."""
    inside = rf"[^<>\n]{{0,300}}{re.escape(nonce)}[^<>\n]{{0,300}}"
    mark = rf"^[^\S\n]{{0,20}}<[ /]{{0,9}}answer\b{inside}>[^\S\n]{{0,20}}(?:\n|\Z)"
    rest, marks = re.subn(mark, "", text, flags=re.IGNORECASE | re.MULTILINE) if nonce else (text, 0)
    return _trimmed(_CLOSING_MARK.sub("", rest)) if marks else text


def _is_talk(line: str) -> bool:
    spoken = _spoken(line)
    return _TALK.match(spoken) is not None and (len(spoken) <= _SHORT or not _proposes(spoken))


def _replaces(body: str, talk: str) -> bool:
    """Whether ``body``, below ``talk``, is a text: what only says what is wrong, or why all is well, is none."""
    is_against = _AGAINST.search(talk) is not None and not _FOR.match(talk)
    if len(body) <= _SHORT:
        return is_against and not _proposes(body)
    return is_against or _proposes(f"{talk} {body}")


def _is_verdict(text: str) -> bool:
    """Whether ``text`` is blank, a verdict in any dress, or ends in the word after weighing the draft."""
    seen = _folded(text).strip()
    words = set(_LETTERS.findall(seen.translate(_LOOKALIKES).lower())) if len(seen) <= _SHORT else set()
    is_dressed = (words <= _DRESS and not words.isdisjoint(_VERDICTS)) or _YES_OR_NO.fullmatch(seen) is not None
    return not seen or is_dressed or _LAST_WORD.search(seen[-_SHORT:]) is not None or _accepted(text) is not None
