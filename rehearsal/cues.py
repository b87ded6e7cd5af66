"""What a prompt asks for, told from its text alone.

Prompts are recognised the way a model would: peers' answers stand in ``<answer name="…" nonce="…">`` fences, and a
review asks for a ranking under a ``FINAL RANKING`` header that stands outside them. What a consensus asks for stands
behind its fences, where no question can say the same. The nonce itself is kept only in the header, so that nothing
that is said depends on it.

The stages are rows: another protocol's prompts are added as another row.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Stage = Literal["opinion", "review", "synthesis", "evaluation", "curation", "other"]

_FENCE = re.compile(r'<answer name="([^"\n]*)" nonce="([^"\n]*)">\n(.*?)\n</answer nonce="\2">', re.DOTALL)
_HEADER = re.compile(r"^FINAL RANKING(?: \S+)?:[ \t]*$", re.MULTILINE)
_QUESTION = re.compile(r"^Question:\n(.*?)\n\nEverything between", re.DOTALL | re.MULTILINE)
_ORIGINAL = re.compile(
    r"^Original question:\n(.*)\n\n(?:The response stands between|All reviewers accepted)", re.DOTALL | re.MULTILINE
)
"""A question may quote the sentence that follows it, so the last one counts."""


@dataclass(frozen=True)
class Cue:
    """One prompt, understood."""

    stage: Stage
    question: str
    """The question under deliberation, without what a protocol wrote around it."""
    answers: tuple[tuple[str, str], ...] = ()
    """Peers' answers by the name they are shown under, in the order shown; a draft first, then its corrections."""
    header: str = ""
    """The header line that a ranking must stand under, with its nonce when it has one."""

    @property
    def draft(self) -> str:
        """The draft under evaluation or curation: the first text shown; empty when none is."""
        return self.answers[0][1] if self.answers else ""


@dataclass(frozen=True)
class _Prompt:
    text: str
    around: str
    fenced: tuple[tuple[str, str], ...]
    header: str
    end: str
    """What stands behind the last fence."""

    @property
    def is_about_a_draft(self) -> bool:
        """Whether the first text that is shown is a response to work on."""
        return bool(self.fenced) and self.fenced[0][0] == "response"


_ROWS: tuple[tuple[Stage, Callable[[_Prompt], bool]], ...] = (
    ("other", lambda p: not p.text.strip()),
    ("evaluation", lambda p: p.is_about_a_draft and "respond with ONLY the word: ACCEPT" in p.end),
    ("curation", lambda p: p.is_about_a_draft and "Polish the accepted response" in p.end),
    ("review", lambda p: bool(p.fenced and p.header)),
    ("synthesis", lambda p: bool(p.fenced)),
    ("opinion", lambda _: True),
)


def read(messages: list[dict[str, Any]]) -> Cue:
    """Understand a conversation by its last user message."""
    prompt = _prompt(_last_user_text(messages))
    stage = next(name for name, fits in _ROWS if fits(prompt))
    if stage in {"opinion", "other"}:
        return Cue(stage, prompt.text.strip())
    asked = (_ORIGINAL if stage in {"evaluation", "curation"} else _QUESTION).search(prompt.around)
    question = asked.group(1).strip() if asked else prompt.around.strip().partition("\n")[0]
    answers = tuple(pair for pair in prompt.fenced if not pair[0].startswith("review by "))
    return Cue(stage, question, answers, prompt.header)


def _prompt(text: str) -> _Prompt:
    found = list(_FENCE.finditer(text))
    fenced = tuple((fence.group(1), fence.group(3)) for fence in found)
    around = _FENCE.sub("", text) if fenced else text
    headers = _HEADER.findall(around)
    end = text[found[-1].end() :] if found else text
    return _Prompt(text, around, fenced, headers[-1].rstrip() if headers else "", end)


def _last_user_text(messages: list[dict[str, Any]]) -> str:
    users = [m for m in messages if m.get("role") == "user"]
    content = users[-1].get("content") if users else ""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
