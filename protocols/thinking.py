"""Reasoning within a reply, separated from the answer.

Models and servers mark reasoning in many ways, and omit marks that were in the prompt::

    <think>…</think>  <thinking> <thought> <reasoning> <scratchpad> <seed:think>   also nested, repeated, never closed
    [THINK]…[/THINK]  ◁think▷…◁/think▷  <|begin_of_thought|>…<|end_of_thought|>  <|START_THINKING|>…<|END_THINKING|>
    <cot>…</cot>  <chain-of-thought>  <thinking_process>  <reasoning_content>  <reasoning_summary>
    [THINKING]…[/THINKING]  [REASONING]…[/REASONING]  <|channel>thought…<channel|>
    <analysis>…</analysis>  <reflection> <reason>                        at the beginning, with an answer behind
    …</think>                                                            opened in the prompt
    <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…
    analysis…assistantfinal…                                             the same, its marks swallowed by a server

A block begins at the start of a line; one that begins within a line is reasoning when it runs over several lines. What
is never closed is reasoning to its end. A mark between backticks, one in a block of code, one that a sentence mentions,
and a ``<reasoning>`` behind another element belong to the answer.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(__package__, "thinking")
_MARK, _LED, _CHANNEL, _SOLUTION, _FIELD = (_PATTERNS[it] for it in ("mark", "led", "channel", "solution", "field"))
_CHANNEL_END, _BEGINS_IN_CHANNEL = _PATTERNS["channel_end"], _PATTERNS["begins_in_channel"]
_BARE_ANALYSIS, _BARE_FINAL = _PATTERNS["bare_analysis"], _PATTERNS["bare_final"]
_FENCE = lazy_pattern(r"[^\S\n]{0,20}(?:`{3,20}|~{3,20})(?P<info>[^`\n]{0,200})$")

_LONGEST_GAP = 40
"""Blanks between two blocks on one line."""
_OPENING = frozenset("([{\"'“‘«„`")
_CLOSING = frozenset(")]}\"'”’»`")
"""Beside a mark that is quoted, and so only mentioned."""


def split_thinking(text: str) -> tuple[str, str]:
    """Return the reasoning in ``text`` and the answer; either may be blank."""
    for split in (_by_channels, _by_bare_channels):
        if found := split(text):
            return found
    text = _LED.sub(r"<think>\g<thought></think>", text)
    scan, fields = _Scan(text), {found.start(name) for found in _FIELD.finditer(text) for name in ("begin", "end")}
    for mark in _marks(text):
        if mark.start not in fields:
            scan.take(mark)
    thoughts, answer = scan.end()
    said = _SOLUTION.sub("", answer)
    return thoughts, answer if said == answer else said.strip()


class _Mark(NamedTuple):
    """One mark of reasoning, or a line that begins or ends a block of code."""

    kind: Literal["open", "close", "fence"]
    start: int
    end: int
    line: int
    is_first: bool = True
    """Only blanks precede it on its line."""
    is_code: bool = False
    """It is between backticks of its line."""
    is_quoted: bool = False
    """A backtick is directly before and behind it."""
    is_word: bool = False
    """It is between the words of a sentence."""
    is_bare: bool = False
    """A fence with nothing behind it, which may end a block."""


def _marks(text: str) -> Iterator[_Mark]:
    if not (any(sign in text for sign in "<[◁") and _MARK.search(text)):
        return  # blocks of code alone change nothing
    start = 0
    for number, line in enumerate(text.split("\n")):
        marks = _marks_of(line, start, number)
        yield from marks
        if not marks and (fence := _FENCE.match(line)):
            yield _Mark("fence", start, start + len(line), number, is_bare=not fence["info"].strip())
        start += len(line) + 1


def _marks_of(line: str, offset: int, number: int) -> list[_Mark]:
    marks: list[_Mark] = []
    first, last = len(line) - len(line.lstrip()), len(line.rstrip())
    final_tick, ticks, seen = -1, 0, 0
    for one in _MARK.finditer(line):
        final_tick = final_tick if marks else line.rfind("`")
        ticks += line.count("`", seen, one.start())
        seen = one.start()
        before, behind = line[max(0, one.start() - 1) : one.start()], line[one.end() : one.end() + 1]
        is_edge = one.start() == first or one.end() == last
        is_tight = bool(before.strip() and behind.strip()) and before not in _OPENING and behind not in _CLOSING
        marks.append(
            _Mark(
                "open" if one["open"] else "close",
                offset + one.start(),
                offset + one.end(),
                number,
                is_first=one.start() == first,
                is_code=ticks % 2 == 1 and final_tick >= one.end(),
                is_quoted=before == behind == "`",
                is_word=not (is_edge or is_tight),
            )
        )
    return marks


class _Scan:
    """The marks of one text, taken one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._kept: list[str] = []
        self._thoughts: list[str] = []
        self._from = 0
        """Where the present piece begins, of reasoning or of the answer."""
        self._is_thinking = False
        self._is_fenced = False
        self._opened_in_code = False
        self._owed = 0
        """Blocks that opened inside the last one and were not closed yet."""
        self._within: _Mark | None = None
        """A mark that opens within a line: reasoning only when it ends on another one."""

    def take(self, mark: _Mark) -> None:
        """Take the next mark."""
        if self._is_thinking:
            if mark.kind == "close" and not mark.is_quoted:
                self._think_until(mark)
            elif mark.kind == "open" and not mark.is_code:
                self._owed += 1
        elif mark.kind == "fence":
            self._is_fenced = not (self._is_fenced and mark.is_bare)
            self._opened_in_code = False
        elif mark.kind == "open":
            self._open(mark)
        else:
            self._close(mark)

    def end(self) -> tuple[str, str]:
        """Return the reasoning and the answer."""
        rest = self._text[self._from :]
        (self._thoughts if self._is_thinking else self._kept).append(rest)
        said = "".join(self._kept)
        thought = "\n\n".join(stripped for part in self._thoughts if (stripped := part.strip()))
        return thought, said.strip() if self._thoughts else said

    def _open(self, mark: _Mark) -> None:
        if self._is_fenced:
            self._opened_in_code = True
        elif mark.is_first or self._is_at_head(mark):
            self._keep_until(mark.start)
            self._from, self._is_thinking, self._owed = mark.end, True, 0
        else:
            self._within = mark

    def _close(self, mark: _Mark) -> None:
        opened, self._within = self._within, None
        if self._is_fenced and self._opened_in_code:
            self._opened_in_code = False
        elif mark.is_code or (opened is not None and opened.line == mark.line):
            return
        elif opened is not None and not (opened.is_code or opened.is_word):
            self._keep_until(opened.start)
            self._from = opened.end
            self._think_until(mark)
        elif self._owed or not mark.is_word:
            self._owed = max(0, self._owed - 1)
            # Opened in the prompt, or the rest of a nested block: all that was taken for the answer was reasoning.
            self._thoughts += self._kept
            self._kept = []
            self._think_until(mark)

    def _is_at_head(self, mark: _Mark) -> bool:
        """Return whether a block begins directly after another one."""
        return mark.start - self._from <= _LONGEST_GAP and not self._text[self._from : mark.start].strip()

    def _keep_until(self, end: int) -> None:
        self._kept.append(self._text[self._from : end])

    def _think_until(self, mark: _Mark) -> None:
        self._thoughts.append(self._text[self._from : mark.start])
        self._from, self._within = mark.end, None
        self._is_thinking = self._is_fenced = self._opened_in_code = False


def _by_channels(text: str) -> tuple[str, str] | None:
    """Split a reply with marked channels; ``None`` without any."""
    if "<|channel|>" not in text:
        return None
    opened = list(_CHANNEL.finditer(text))
    final = next((one for one in opened if one["channel"] == "final"), None)
    if not _BEGINS_IN_CHANNEL.match(text) and (final is None or _is_in_code(text[: final.start()])):
        return None
    thoughts = [text[: opened[0].start()] if opened else text]
    said: list[str] = []
    for one in opened:
        end = _CHANNEL_END.search(text, one.end())
        content = text[one.end() : end.start() if end else len(text)]
        (said if one["channel"] == "final" else thoughts).append(content)
    kept = (_CHANNEL_END.sub("", part).strip() for part in thoughts)
    return "\n\n".join(part for part in kept if part), "\n\n".join(part.strip() for part in said)


def _by_bare_channels(text: str) -> tuple[str, str] | None:
    """Split a reply with channel names but without their marks; ``None`` if there are none."""
    opening = _BARE_ANALYSIS.match(text)
    final = _BARE_FINAL.search(text) if "assistantfinal" in text else None
    if final and (opening or text[: final.start()].rstrip().endswith(tuple('.!?。！？…)"”'))):
        return text[opening.end() if opening else 0 : final.start()].strip(), text[final.end() :].strip()
    if opening and text[opening.end() : opening.end() + 1].isupper():
        return text[opening.end() :].strip(), ""
    return None


def _is_in_code(before: str) -> bool:
    return before.count("```") % 2 == 1 or before.endswith("`")
