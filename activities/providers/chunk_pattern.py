"""Recognition of a stream's chunks by the form that they repeat, without a JSON parser.

Id, model and time are in every chunk. Where the text before and after the word is that of an earlier chunk, and the
word has no character of JSON's own, the chunk is the earlier one with another word: it cannot be read in another way.
All other chunks are parsed. Chunks of one form that follow each other are one run: their words are taken at once.
"""

import re
from typing import Any, NamedTuple

from activities.providers.wire_json import UnreadableJsonError, as_object, read_json

_TEXTS = ("content", "reasoning", "reasoning_content")
_STAMPS = {"id", "object", "created", "model", "provider", "system_fingerprint", "service_tier", "choices"}
_EMPTY_IN_CHOICE = ("finish_reason", "native_finish_reason", "logprobs", "error", "message")
_CHOICE = {"index", "delta", *_EMPTY_IN_CHOICE}
_UNESCAPED = re.compile(r'[^"\\\x00-\x1f]+')
_MARK = "\N{BLACK SQUARE}" * 3
_FREE_TRIES = 4
_MATCHES_PER_TRY = 8
"""Chunks that a learned form has to save before another is looked for: some providers change every chunk."""


class Words(NamedTuple):
    """The words of chunks of one form, which follow each other."""

    field: str
    words: list[str]


class ChunkPattern:
    """A form that is learned from one chunk and recognised in the next ones."""

    def __init__(self) -> None:
        self._head, self._tail, self._name = "", "", ""
        self._tries = self._matches = 0
        self._event_head, self._event_tail = "", ""
        """What is before and after a word in the text of the stream."""

    def run(self, text: str, at: int) -> tuple[Words, int]:
        """Return the words of all events of the learned form from ``at`` on, and where the first other event begins.

        ``text`` is that of a stream; at ``at`` an event begins.
        """
        words = Words(self._name, [])
        head, tail = self._event_head, self._event_tail
        if not head or not text.startswith(head, at):
            return words, at
        between, size = tail + head, len(tail) + len(head)
        start = at + len(head)
        while True:
            end = text.find('"', start)
            word = text[start:end]
            if not word or "\\" in word or not word.isprintable():  # a rare letter may be parsed, too
                break
            if not text.startswith(between, end):
                if text.startswith(tail, end):
                    words.words.append(word)
                    start = end + size
                break
            words.words.append(word)
            start = end + size
        self._matches += len(words.words)
        return words, start - len(head)

    def match(self, text: str) -> Words | None:
        """Return the word of a chunk that has the learned form; None for any other chunk."""
        head, tail = self._head, self._tail
        if not head or not text.startswith(head) or not text.endswith(tail) or len(text) < len(head) + len(tail):
            return None
        word = text[len(head) : -len(tail)]
        if not _UNESCAPED.fullmatch(word):
            return None
        self._matches += 1
        return Words(self._name, [word])

    def learn(self, text: str, chunk: dict[str, Any]) -> None:
        """Take the form of a parsed chunk that has nothing but a text."""
        if self._head and text.startswith(self._head) and text.endswith(self._tail):
            return  # only the word of this one has to be parsed
        self._head = self._event_head = ""
        if self._tries >= _FREE_TRIES + self._matches // _MATCHES_PER_TRY or not (name := _only_text(chunk)):
            return
        self._tries += 1
        delta = chunk["choices"][0]["delta"]
        said = re.search(rf'"{name}"\s*:\s*"{re.escape(delta[name])}"', text)
        if said is None:  # it is escaped
            return
        head, tail = text[: said.end() - 1 - len(delta[name])], text[said.end() - 1 :]
        if _delta_of(f"{head}{_MARK}{tail}") == {**delta, name: _MARK}:
            self._head, self._tail, self._name = head, tail, name
            if "\n" not in head + tail:  # it was in one line
                self._event_head, self._event_tail = f"data: {head}", f"{tail}\n\n"


def _only_text(chunk: dict[str, Any]) -> str:
    """Return the field with the text of a chunk that has nothing else; blank for another chunk."""
    choices = chunk.get("choices")
    if not chunk.keys() <= _STAMPS or not isinstance(choices, list) or len(choices) != 1:
        return ""
    choice = choices[0]
    if choice.get("index") not in (None, 0) or not choice.keys() <= _CHOICE or any(map(choice.get, _EMPTY_IN_CHOICE)):
        return ""
    said = {name: value for name, value in as_object(choice.get("delta")).items() if value and name != "role"}
    return next((name for name in said if len(said) == 1 and name in _TEXTS and isinstance(said[name], str)), "")


def _delta_of(text: str) -> object:
    try:
        value, _ = read_json(text)
    except UnreadableJsonError:
        return None
    delta: object = value["choices"][0]["delta"]
    return delta
