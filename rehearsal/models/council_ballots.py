"""Other forms of a ranking than the requested one: one row per form."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from rehearsal.models import council_reviews
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.replies import writing

_MEDALS = ("🥇", "🥈", "🥉", "4️⃣", "5️⃣", "6️⃣", "7️⃣", "8️⃣", "9️⃣")

Write = Callable[[str, Sequence[str]], str]
"""From the requested header and the labels, best first, to the ranking."""


def _code(header: str) -> str:
    return header.removeprefix("FINAL RANKING").strip(" :")


def _letters(labels: Sequence[str]) -> list[str]:
    return [label[-1] for label in labels]


def _numbered(labels: Sequence[str], word: str) -> str:
    return "\n".join(f"{n}. {word}{letter}" for n, letter in enumerate(_letters(labels), 1))


def _medals(header: str, labels: Sequence[str]) -> str:
    marks = [*_MEDALS, *(f"{n}." for n in range(len(_MEDALS) + 1, len(labels) + 1))]
    return f"{header}\n{' '.join(f'{mark} {letter}' for mark, letter in zip(marks, _letters(labels), strict=False))}"


def _table(header: str, labels: Sequence[str]) -> str:
    places = sorted((label, n) for n, label in enumerate(labels, 1))
    rows = "\n".join(f"| {label} | {n} |" for label, n in places)
    return f"{header}\n\n| Response | Rank |\n|---|---|\n{rows}"


def _behind(header: str, labels: Sequence[str]) -> str:
    return f"{header}\n" + "\n".join(sorted(f"{label} – rank {n}" for n, label in enumerate(labels, 1)))


def _tied(header: str, labels: Sequence[str]) -> str:
    first, *others = labels
    rest = [f"2. {' = '.join(others[:2])}", *(f"{n}. {label}" for n, label in enumerate(others[2:], 4))]
    return f"{header}\n1. {first}\n" + "\n".join(rest)


def _object(header: str, labels: Sequence[str]) -> str:
    listed = ", ".join(f'"{label}"' for label in labels)
    return f'{{"evaluation": "Filler from a script.", "ranking": [{listed}], "code": "{_code(header)}"}}'


FORMS: Mapping[str, tuple[str, Write]] = {
    "medal-ballot": ("ranks with medals, on one line", _medals),
    "table-ballot": ("ranks in a table, labels first and in their order", _table),
    "place-ballot": ("writes the place behind each label, in the order of the labels", _behind),
    "line-ballot": ("ranks with numbers on one line", lambda h, ls: f"{h} {_numbered(ls, '')}".replace("\n", " ")),
    "tied-ballot": ("lets the second and the third share a place", _tied),
    "bare-code": ("writes the code alone for a header", lambda h, ls: f"{_code(h)}\n{_numbered(ls, 'Response ')}"),
    "code-below": (
        "writes the code under the header",
        lambda h, ls: f"FINAL RANKING:\n{_code(h)}\n{_numbered(ls, '')}",
    ),
    "german-ballot": (
        "ranks in German",
        lambda h, ls: f"Endgültige Rangliste {_code(h)}:\n{_numbered(ls, 'Antwort ')}",
    ),
    "chinese-ballot": ("ranks in Chinese", lambda h, ls: f"最终排名 {_code(h)}：\n{_numbered(ls, '回答')}"),
    "object-ballot": ("writes its whole review as one JSON object", _object),
    "worst-first": (
        "ranks worst first, also when it is asked once more",
        lambda h, ls: f"{h} (worst to best)\n{_numbered([*reversed(ls)], 'Response ')}",
    ),
}
"""By behaviour: what it does, and its form of a ranking."""


def _review(write: Write, seed: int, model: str, cue: RecognisedPrompt) -> str:
    """Return a review with its ranking in another form; a form may be the whole reply."""
    ranking = write(cue.header, council_reviews.order(seed, model, cue))
    return ranking if ranking.startswith("{") else f"{council_reviews.judgement(seed, model, cue)}\n\n{ranking}"


def _mended(seed: int, model: str, cue: RecognisedPrompt) -> str:
    said = council_reviews.judgement(seed, model, cue)
    return council_reviews.review(seed, model, cue) if cue.is_again else said


BALLOTS = (
    *(writing(name, about, {"review": partial(_review, write)}) for name, (about, write) in FORMS.items()),
    writing("mends-ballot", "leaves out its ranking, and gives it when it is asked once more", {"review": _mended}),
)
"""Every reviewer with another form of a ranking."""
