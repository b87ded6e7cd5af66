"""Scores by the criteria of a rubric and the lists of a chair, in the requested form."""

from collections.abc import Iterator

from rehearsal.models.council_opinions import ARGUMENTS, arguments_in, merit
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


def lists(cue: RecognisedPrompt) -> dict[str, list[str]]:
    """Return points by field, from the arguments in the answers."""
    made = {name: set(arguments_in(text)) for name, text in cue.answers}
    moves = [move.name for move in ARGUMENTS]
    by = {move: [name for name, found in made.items() if move in found] for move in moves}
    return {
        "agreement": [f"all offer {move}" for move in moves if made and len(by[move]) == len(made)],
        "contradictions": [],
        "unique_insights": [f"{by[move][0]}: {move}" for move in moves if len(by[move]) == 1],
        "blind_spots": [f"no answer offers {move}" for move in moves if not by[move]],
    }


def with_lists(cue: RecognisedPrompt, verdict: str) -> str:
    """Return ``verdict`` behind the lists in the requested form; alone where none are asked for."""
    if not cue.lists:
        return verdict
    headers = [line for line in cue.lists.splitlines() if line.endswith(":")]
    points = ["\n".join(f"- {point}" for point in said) or "- none" for said in lists(cue).values()]
    sections = [f"{header}\n{said}" for header, said in zip(headers, points, strict=False)]
    return "\n".join([*sections, headers[-1], verdict])
