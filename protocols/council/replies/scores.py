"""The reader of the scores of a review, strict about whose they are and lenient in their form.

Only text under a header with the code is read, and only in the reviewer's own text, so no score that a peer wrote into
its answer can count. Where no code is asked for, the header's words are enough. A reply that is one JSON object with
the code, or where no shown text has such an object, is read as a whole. What is read under the header::

    table   a row for each answer and a column for each criterion, or the other way round
    object  {"Response A": {"accuracy": 8}}, {"accuracy": {"A": 8}}, [{"label": "A", "criterion": …, "score": 8}]
    lines   "Response A: accuracy 8/10, clarity 7", criteria below a label, labels below a criterion, numbers alone

The form with the most scores counts. A score that two forms or two lines give differently is none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from protocols import council, json_in_text
from protocols.council.model import Ballot
from protocols.council.replies import json_rankings
from protocols.council.replies.ballot import read_ballot
from protocols.council.replies.headers import carries, own_text, undressed
from protocols.council.replies.score_forms import from_tables, from_value
from protocols.council.replies.score_lines import LineReader
from protocols.council.replies.score_values import Cells
from protocols.council.rubric import CardForm, ScoreCard
from protocols.council.wording import holds_header, holds_score_word, squashed
from protocols.reply_reader import text_in, texts_in
from protocols.text_files import compile_patterns, read_toml

_REACH = 20_000
"""Characters under a header that are read."""
_LONGEST_LINE = 600
_LONGEST_HEADER = 160
_MOST_SECTIONS = 4
_MOST_NAMED = 4
"""Missing scores that are named one by one."""
_WEIGHTS = re.compile(r"\([^()]{0,60}\)|\b\d{1,3}\s?%|[×x]\s?\d+(?:[.,]\d+)?")
_SHORTEST_START = 4
_PATTERNS = compile_patterns(council.__name__, "replies_scores")
_MEANINGS = {
    squashed(word): meaning
    for meaning, words in read_toml(council.__name__, "wording.toml")["criteria"].items()
    for word in words
}


def read_review(text: str, needs: Mapping[str, JsonValue]) -> Ballot:
    """Return the ballot of a review, and with ``needs["criteria"]`` the scores in it."""
    criteria = texts_in(needs, "criteria")
    if not criteria:
        return read_ballot(text, needs)
    card, rest = read_scores(text, needs, criteria)
    return read_ballot(rest, needs).model_copy(update={"card": card})


def read_scores(text: str, needs: Mapping[str, JsonValue], criteria: Sequence[str]) -> tuple[ScoreCard, str]:
    """Return the scores in a review, and the review without them."""
    labels = sorted(texts_in(needs, "labels"))
    nonce = text_in(needs, "nonce") or None
    reader = _Reader(labels, criteria)
    if (whole := json_in_text.whole_object(text)) is not None:
        is_own = nonce is None or json_rankings.has_code(whole, nonce) or needs.get("object_forgeable") is False
        return (reader.of_object(whole, text) if is_own else reader.nothing("object without the code")), text
    lines = own_text(text, nonce).split("\n")
    sections = list(_sections(lines, nonce))[-_MOST_SECTIONS:]
    kept = [line for number, line in enumerate(lines) if not any(number in section for section in sections)]
    cards = [reader.of_section("\n".join(lines[one.start : one.stop])[:_REACH]) for one in reversed(sections)]
    card = next((one for one in cards if one.scores), cards[0] if cards else None)
    return card or reader.nothing("no header with the code" if nonce else "no header"), "\n".join(kept)


def _sections(lines: Sequence[str], nonce: str | None) -> Iterator[range]:
    """Return the numbers of the lines of scores: from each of their headers to the next header."""
    start: int | None = None
    code_at: int | None = None
    for number, line in enumerate(lines):
        kind = _kind(line, nonce) if number != code_at else ""
        if kind == "scores" and nonce and not carries(line, nonce):
            code_at = _code_below(lines, number, nonce)
            kind = kind if code_at is not None else ""
        if kind and start is not None:
            yield range(start, number)
            start = None
        if kind == "scores":
            start = number
    if start is not None:
        yield range(start, len(lines))


def _kind(line: str, nonce: str | None) -> str:
    """Return ``scores`` or ``ranking`` for a header, and a blank text for any other line."""
    if not line.strip() or len(line) > _LONGEST_HEADER or "|" in line:
        return ""
    if holds_header(line):
        return "ranking"
    has_code = nonce is not None and carries(line, nonce)
    is_named = holds_score_word(line)
    if is_named and (has_code or _is_bare(line)):
        return "scores"
    return "ranking" if has_code and not is_named else ""


def _is_bare(line: str) -> bool:
    """Return whether a line is two or three words and a colon, or a heading, without any number."""
    said = line.strip(" \t*_#`")
    return len(said.split()) <= 3 and not re.search(r"\d", said)  # noqa: PLR2004 - as in the docstring


def _code_below(lines: Sequence[str], number: int, nonce: str) -> int | None:
    """Return the number of the line below a header that has the code and no words; ``None`` without one."""
    below = next((at for at in range(number + 1, min(number + 3, len(lines))) if lines[at].strip()), None)
    is_code = below is not None and len(squashed(lines[below])) <= len(nonce) and carries(lines[below], nonce)
    return below if is_code else None


class _Reader:
    """The reader of one review."""

    def __init__(self, labels: Sequence[str], criteria: Sequence[str]) -> None:
        self._labels = {label[-1].upper(): label for label in labels}
        self._criteria = criteria
        self._squashed = {squashed(name): name for name in criteria}
        words = ("[\\s_-]{0,3}".join(map(re.escape, re.split(r"[\s_-]+", name))) for name in criteria)
        self._names = re.compile(
            rf"{_PATTERNS['before_name'].pattern}(?:{'|'.join(sorted(words, key=len, reverse=True))})(?![^\W_])",
            re.IGNORECASE,
        )

    def nothing(self, why: str) -> ScoreCard:
        """Return a card without scores."""
        return ScoreCard(standing="void", repairs=(why,))

    def of_object(self, value: Mapping[str, JsonValue], text: str) -> ScoreCard:
        """Return the scores of an object that is written as ``text``."""
        is_other = _PATTERNS["other_scale"].search(text)
        return self._card("object", {} if is_other else from_value(dict(value), self._criterion_of), "")

    def of_section(self, section: str) -> ScoreCard:
        """Return the scores under a header, its first line: of the form with the most of them."""
        if _PATTERNS["other_scale"].search(section):
            return self.nothing("no score could be read")
        section = section.partition("\n")[2]
        objects: Cells = {}
        for value, _, _ in json_rankings.values_in(section):
            objects |= from_value(value, self._criterion_of)
        lines = [line[:_LONGEST_LINE] for line in undressed(f"\n{section}").split("\n") if line.strip()]
        rows, repair = from_tables(lines, self._criteria, self._criterion_of)
        plain = LineReader(self._criteria, self._names, self._criterion_of).read(lines)
        found: list[tuple[CardForm, Cells, str]] = [
            ("table", rows, repair),
            ("object", objects, ""),
            ("lines", plain, ""),
        ]
        form, cells, mended = max(found, key=lambda one: self._count(one[1]))
        for _, others, _ in found:
            cells = {
                place: score if others.get(place, score) in {score, None} else None for place, score in cells.items()
            }
        return self._card(form, cells, mended)

    def _count(self, cells: Cells) -> int:
        return sum(score is not None and letter in self._labels for (letter, _), score in cells.items())

    def _card(self, form: CardForm, cells: Cells, mended: str) -> ScoreCard:
        scores: dict[str, dict[str, float]] = {}
        missing: list[str] = []
        for letter, label in sorted(self._labels.items()):
            for name in self._criteria:
                score = cells.get((letter, name))
                if score is None:
                    missing.append(f"no score of {label} for {name}")
                else:
                    scores.setdefault(label, {})[name] = score
        if not scores:
            return self.nothing("no score could be read")
        more = [f"and {len(missing) - _MOST_NAMED} more"] if len(missing) > _MOST_NAMED else []
        repairs = (*([mended] if mended else []), *missing[:_MOST_NAMED], *more)
        return ScoreCard(scores=scores, standing="partial" if missing else "complete", found_as=form, repairs=repairs)

    def _criterion_of(self, heading: str) -> str | None:
        """Return the criterion of a heading: its words, the beginning of one, or a translation; blank: no score."""
        if _PATTERNS["no_score"].search(self._names.sub(" ", heading)):
            return ""
        plain = squashed(_WEIGHTS.sub(" ", heading))
        if plain in self._squashed:
            return self._squashed[plain]
        sizes = {words: min(len(words), len(plain)) for words in self._squashed}
        alike = [words for words, size in sizes.items() if size >= _SHORTEST_START and words[:size] == plain[:size]]
        meaning = _MEANINGS.get(plain, plain)
        alike = alike or [words for words in self._squashed if _MEANINGS.get(words) == meaning]
        return self._squashed[alike[0]] if len(alike) == 1 else None
