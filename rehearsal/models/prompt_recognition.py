"""Recognition of a prompt's request from its text alone.

Prompts are recognised the way a model would: peers' answers are in ``<answer name="…" nonce="…">`` fences, and a
review asks for a ranking under a ``FINAL RANKING`` header outside them. The request of a consensus is
behind its fences, where no question can imitate it. A fire circle is recognised by the layer to judge, which
is in a fence behind a line of its own; its round, by the text outside the fences. A mixture's proposers
and its aggregator are recognised by the instruction behind the fences. A debater is recognised by
its system message, and the other roles of a debate by the first words of the request. The nonce
itself is kept only in the header, so that no reply depends on it. Examples and an earlier conversation precede the
request, and decide nothing.

The stages are rows: another protocol's prompts are added as another row.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from rehearsal.models import debate_prompts, fire_circle_prompts
from rehearsal.models.debate_prompts import NO_DEBATE, Debate
from rehearsal.models.fire_circle_prompts import NO_CIRCLE, Circle, Fence
from rehearsal.models.message_parts import text_of, without_files

_AnswerStage = Literal["opinion", "review", "synthesis", "proposal", "aggregation", "evaluation", "curation"]
_CircleStage = Literal["assessment", "discussion", "refinement", "chair"]
_DebateStage = Literal["turn", "reask", "safety", "summary", "closing", "decision"]
Stage = Literal[_AnswerStage, _CircleStage, "classification", _DebateStage, "other"]

_FENCE = re.compile(r'<answer name="([^"\n]*)" nonce="([^"\n]*)">\n(.*?)\n</answer nonce="\2">', re.DOTALL)
_HEADER = re.compile(r"^FINAL RANKING(?: \S+)?:[ \t]*$", re.MULTILINE)
_SCORES = re.compile(r"^FINAL SCORES(?: \S+)?:\n(?:\|[^\n]*\n)+", re.MULTILINE)
_LISTS = re.compile(r"^AGREEMENT(?P<code>(?: \S+)?):\n.*?^VERDICT(?P=code):$", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^Question:\n(.*?)\n\nEverything between", re.DOTALL | re.MULTILINE)
_ORIGINAL = re.compile(
    r"^Original question:\n(.*)\n\n(?:The response stands between|All reviewers accepted)", re.DOTALL | re.MULTILINE
)
"""A question may quote the sentence that follows it, so the last one counts."""
_AGAIN = re.compile(
    r"Your last reply held no answer\.|No .{1,200} can be read|Your (?:ranking|judgement) c|Your judgement does not say"
    r"|I cannot read your assessment\.|Reply with (?:exactly ACCEPT|one JSON object|the complete polished)"
    f"|{re.escape(debate_prompts.AGAIN)}"
)
"""The beginning of a request that follows a reply which could not be read."""

CIRCLE: tuple[Stage, ...] = get_args(_CircleStage)
"""The stages in which a model judges a layer."""

DEBATE: tuple[Stage, ...] = get_args(_DebateStage)
"""The stages of a debate: a debater's turn, the same requested again, and the requests to the other roles."""


@dataclass(frozen=True)
class RecognisedPrompt:
    """One prompt, understood."""

    stage: Stage
    question: str
    """The question under deliberation, without what a protocol wrote around it; in a circle the layer that is judged,
    or the patterns that are to be classified; in a debate the topic."""
    answers: tuple[tuple[str, str], ...] = ()
    """Peers' answers by the name they are shown under, in the order shown; a draft first, then its corrections."""
    header: str = ""
    """The header line that must precede a ranking, with its nonce when it has one."""
    scores: str = ""
    """The header and the empty form of the scores that a review is to have; blank without a rubric."""
    lists: str = ""
    """The headers of the lists and of the verdict that a chair is to write; blank where none are asked for."""
    is_again: bool = False
    """The reply to it could not be read, and it is asked for once more."""
    circle: Circle = NO_CIRCLE
    """What a circle's prompt shows; nothing at other stages."""
    debate: Debate = NO_DEBATE
    """What a debate's prompt shows; nothing at other stages."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema that the reply is to have; ``None`` when the request holds none."""
    is_limited: bool = False
    """The request says how long the reply may be."""
    draw: str = ""
    """Which of several answers to the same prompt this is; empty where the model is to say the same every time."""

    @property
    def draft(self) -> str:
        """The draft under evaluation or curation: the first text shown; empty when none is."""
        return self.answers[0][1] if self.answers else ""


@dataclass(frozen=True)
class _Prompt:
    text: str
    around: str
    fences: tuple[Fence, ...]
    header: str
    scores: str
    lists: str
    end: str
    """The text behind the last fence."""
    circle: Circle

    @property
    def is_about_a_draft(self) -> bool:
        """Return whether the first shown text is a response to work on."""
        return bool(self.fences) and self.fences[0].name == "response"

    @property
    def is_about_patterns(self) -> bool:
        """Return whether the prompt shows a list of patterns and nothing else."""
        return [fence.name for fence in self.fences] == ["patterns"]

    def begins(self, words: str) -> bool:
        """Return whether ``words`` precede the first fence."""
        return bool(self.fences) and words in self.fences[0].before


_ROWS: tuple[tuple[Stage, Callable[[_Prompt], bool]], ...] = (
    ("other", lambda p: not p.text.strip()),
    ("evaluation", lambda p: p.is_about_a_draft and "respond with ONLY the word: ACCEPT" in p.end),
    ("curation", lambda p: p.is_about_a_draft and "Polish the accepted response" in p.end),
    ("chair", lambda p: "WHAT THE CIRCLE SAID SO FAR:" in p.circle.task),
    ("discussion", lambda p: "Focus on PATTERN RECOGNITION" in p.circle.task),
    ("refinement", lambda p: "Final round: Synthesize" in p.circle.task),
    (
        "assessment",
        lambda p: bool(p.circle.judged) and p.begins("Does this prompt layer contain a reciprocity violation?"),
    ),
    ("classification", lambda p: p.is_about_patterns and p.begins("Classify this relational pattern observation")),
    ("proposal", lambda p: bool(p.fences) and "Answer the question yourself, better than any of them." in p.end),
    ("aggregation", lambda p: bool(p.fences) and "You are the aggregator: put these answers together" in p.end),
    ("review", lambda p: bool(p.fences and p.header)),
    ("synthesis", lambda p: bool(p.fences)),
    ("opinion", lambda _: True),
)


def recognise(messages: list[dict[str, Any]]) -> RecognisedPrompt:
    """Parse a conversation: by the request in it, and a debater's by its system and last messages."""
    pairs = [(str(message.get("role")), text_of(message.get("content"))) for message in messages]
    turns = _from_request([(role, without_files(text)) for role, text in pairs])
    first = next((text for role, text in turns if role == "user"), "")
    last = next((text for role, text in reversed(turns) if role == "user"), "")
    system = next((text for role, text in turns if role == "system"), "")
    for stage, fits in _DEBATES:
        if fits(system, last) or fits(system, first):
            return _of_debate(stage, system, turns)
    return replace(_alone(_prompt(first)), is_again=sum(role == "user" for role, _ in turns) > 1)


def _from_request(turns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return ``turns`` without the messages before the request, except the system message.

    The request is the last message of the user. Where that is one sentence about an unreadable reply, the request is
    the message before it.
    """
    asked = [number for number, (role, _) in enumerate(turns) if role == "user"]
    is_again = len(asked) > 1 and _AGAIN.match(turns[asked[-1]][1])
    start = asked[-2 if is_again else -1] if asked else 0
    return [one for number, one in enumerate(turns) if number >= start or one[0] == "system"]


_DEBATES: tuple[tuple[Stage, Callable[[str, str], bool]], ...] = (
    ("reask", lambda system, last: debate_prompts.is_debater(system) and last.startswith(debate_prompts.AGAIN)),
    ("turn", lambda system, _last: debate_prompts.is_debater(system)),
    ("safety", lambda _system, last: debate_prompts.is_asked(last, debate_prompts.EVALUATOR)),
    ("summary", lambda _system, last: debate_prompts.is_asked(last, debate_prompts.SUMMARISER)),
    ("closing", lambda _system, last: debate_prompts.is_asked(last, debate_prompts.SYNTHESISER)),
    ("decision", lambda _system, last: debate_prompts.is_asked(last, debate_prompts.JUDGE)),
)


def _of_debate(stage: Stage, system: str, turns: Sequence[tuple[str, str]]) -> RecognisedPrompt:
    """Parse a debate's prompt: its material is in the first user message, between marks with the protocol's code."""
    text = next((text for role, text in turns if role == "user"), "")
    own = next((text for role, text in reversed(turns) if role == "assistant"), "")
    shown = debate_prompts.debate(system, *_fences(text, debate_prompts.code(text)), own)
    return RecognisedPrompt(stage, shown.topic, debate=shown)


def _alone(prompt: _Prompt) -> RecognisedPrompt:
    """Parse a prompt without earlier messages."""
    stage = next(name for name, fits in _ROWS if fits(prompt))
    if stage in {"opinion", "other"}:
        return RecognisedPrompt(stage, prompt.text.strip())
    if stage in CIRCLE:
        return RecognisedPrompt(stage, prompt.circle.layer(prompt.circle.judged), circle=prompt.circle)
    if stage == "classification":
        return RecognisedPrompt(stage, prompt.fences[0].text)
    asked = (_ORIGINAL if stage in {"evaluation", "curation"} else _QUESTION).search(prompt.around)
    question = asked.group(1).strip() if asked else prompt.around.strip().partition("\n")[0]
    answers = tuple((f.name, f.text) for f in prompt.fences if not f.name.startswith("review by "))
    return RecognisedPrompt(stage, question, answers, prompt.header, prompt.scores, prompt.lists)


def _prompt(text: str) -> _Prompt:
    fences, end = _fences(text)
    around = _FENCE.sub("", text) if fences else text
    headers, forms = _HEADER.findall(around), _SCORES.findall(around)
    return _Prompt(
        text=text,
        around=around,
        fences=fences,
        header=headers[-1].rstrip() if headers else "",
        scores=forms[-1] if forms else "",
        lists=lists[0] if (lists := _LISTS.search(end)) else "",
        end=end,
        circle=fire_circle_prompts.circle(fences, end),
    )


def _fences(text: str, code: str = "") -> tuple[tuple[Fence, ...], str]:
    """Return the texts between marks, of any code or of one, and the text after the last of them."""
    found = [fence for fence in _FENCE.finditer(text) if code in {"", fence.group(2)}]
    starts = [0, *(fence.end() for fence in found)]
    fences = tuple(
        Fence(text[start : fence.start()], fence.group(1), fence.group(3))
        for start, fence in zip(starts, found, strict=False)
    )
    return fences, text[starts[-1] :]
