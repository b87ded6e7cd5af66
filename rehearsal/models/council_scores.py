"""Scores of answers by the criteria of a rubric, from the merit of their texts."""

from collections.abc import Iterator

from rehearsal.models.council_opinions import merit
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.seeded import fraction

_LOWEST, _HIGHEST = 1, 10
_BASE = 3.0
_NOISE = 3.0
"""Width of a reviewer's noise in points."""


def criteria(cue: RecognisedPrompt) -> list[str]:
    """Return the criteria in the heading of the form; none where no scores are asked for."""
    lines = cue.scores.splitlines()
    return [cell.strip() for cell in lines[1].strip("|").split("|")[1:]] if len(lines) > 1 else []


def scores(seed: int, reviewer: str, cue: RecognisedPrompt) -> Iterator[tuple[str, str, int]]:
    """Yield label, criterion and score for every answer and criterion."""
    for label, text in sorted(cue.answers):
        for name in criteria(cue):
            noise = (fraction(seed, reviewer, "score", name, text) - 0.5) * _NOISE
            yield label, name, max(_LOWEST, min(_HIGHEST, round(_BASE + merit(text) + noise)))


def section(seed: int, reviewer: str, cue: RecognisedPrompt) -> str:
    """Return the scores in the requested form, with a blank line behind; blank where none are asked for."""
    names = criteria(cue)
    if not names:
        return ""
    given = {(label, name): score for label, name, score in scores(seed, reviewer, cue)}
    rows = (
        f"| {label} | {' | '.join(str(given[label, name]) for name in names)} |" for label, _ in sorted(cue.answers)
    )
    return "\n".join([*cue.scores.splitlines()[:3], *rows]) + "\n\n"
