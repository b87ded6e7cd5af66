"""The lists of a chair before its verdict."""

from rehearsal.models.council_opinions import ARGUMENTS, arguments_in
from rehearsal.models.prompt_recognition import RecognisedPrompt

NAMES = ("agreement", "contradictions", "unique_insights", "blind_spots")


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
    points = [*lists(cue).values()]
    sections = [f"{header}\n{_listed(said)}" for header, said in zip(headers, points, strict=False)]
    return "\n".join([*sections, headers[-1], verdict])


def _listed(points: list[str]) -> str:
    return "\n".join(f"- {point}" for point in points) or "- none"
