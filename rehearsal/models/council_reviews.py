"""Reviews, syntheses and second proposals: judging answers by what is in them.

A reviewer sees each answer's merit through a little noise of its own, rolled from the seed, its name and the answer's
text: reviewers mostly agree, not always, and never because of a label or a place in the list. A proposer
of a mixture's later layer gives its own answer again, and takes one statement from the best answers shown that its own
lacks.
"""

import re

from rehearsal.models import council_forms, final_answers
from rehearsal.models.council_opinions import ARGUMENTS, arguments_in, merit, opinion
from rehearsal.models.problems import subject
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.seeded import fraction, pick
from rehearsal.models.written_texts import known_answer, read_script, written_for

_NOISE = 1.6
"""Width of a reviewer's noise in points of merit: neighbours change places in about every third review."""

_TELLING = 60
"""Characters from which on a line of a recorded answer is taken for a statement."""

_BULLET = re.compile(r"^\s*(?:[-*#]+|\d+[.)])\s+")

_FILLER = read_script("filler")


def order(seed: int, reviewer: str, cue: RecognisedPrompt) -> tuple[str, ...]:
    """Return the labels in the order of ``reviewer``'s ranking, best first."""
    return tuple(name for name, _ in sorted(cue.answers, key=lambda a: (-_worth(seed, reviewer, cue, a[1]), a[1])))


def judgement(seed: int, reviewer: str, cue: RecognisedPrompt) -> str:
    """Return a short paragraph on every answer, in the order shown."""
    return "\n\n".join(f"{name}: {_remark(seed, reviewer, text)}" for name, text in cue.answers)


def ranking(header: str, labels: tuple[str, ...]) -> str:
    """Return a ranking in the requested form: the header, then one numbered line per label."""
    return "\n".join([header, *(f"{n}. {label}" for n, label in enumerate(labels, 1))])


def review(seed: int, reviewer: str, cue: RecognisedPrompt) -> str:
    """Return the whole review: judgements, then the ranking under the requested header."""
    scores = council_forms.section(seed, reviewer, cue)
    return f"{judgement(seed, reviewer, cue)}\n\n{scores}{ranking(cue.header, order(seed, reviewer, cue))}"


def synthesis(seed: int, chair: str, cue: RecognisedPrompt) -> str:
    """Return a concluding answer: the written one, else filler that repeats lines of the two best answers."""
    written = written_for(subject(cue.question))
    if written is not None and (verdict := written.verdict(seed, chair)):
        return council_forms.with_lists(cue, final_answers.concluded(verdict, seed, chair, cue))
    points = "\n".join(f"- {s}" for s in kept(seed, chair, cue)[:3])
    concluded = pick(_FILLER["concluded"], seed, chair, cue.question)
    said = f"{concluded} It repeats lines of the best-ranked answers:\n\n{points}"
    return council_forms.with_lists(cue, final_answers.concluded(said, seed, chair, cue))


def proposal(seed: int, model: str, cue: RecognisedPrompt) -> str:
    """Return the model's own answer, improved by those of others."""
    written = written_for(subject(cue.question))
    if written is not None and written.solutions:
        return final_answers.concluded("", seed, model, cue)
    own = opinion(seed, model, subject(cue.question))
    borrowed = next((s for s in kept(seed, model, cue) if not set(arguments_in(s)) <= set(arguments_in(own))), None)
    said = own if borrowed is None else f"{own}\n\nThe other answers add to this: {borrowed}"
    return final_answers.concluded(said, seed, model, cue)


def kept(seed: int, reader: str, cue: RecognisedPrompt) -> tuple[str, ...]:
    """Return the best statements of the two best answers, each once, the best answer's first."""
    best = sorted((text for _, text in cue.answers), key=lambda text: (-_worth(seed, reader, cue, text), text))[:2]
    return tuple(dict.fromkeys(statement for text in best for statement in _substance(text)))


def _worth(seed: int, reviewer: str, cue: RecognisedPrompt, text: str) -> float:
    return (
        merit(text)
        + (fraction(seed, reviewer, "noise", text) - 0.5) * _NOISE
        + final_answers.credit(seed, reviewer, cue.question, text)
    )


def _remark(seed: int, reviewer: str, text: str) -> str:
    known = known_answer(text)
    if known is not None and known.remarks:
        return pick(known.remarks, seed, reviewer, text)
    made = arguments_in(text)
    missing = [move.name for move in ARGUMENTS if move.name not in made]
    tone = pick(_FILLER["high" if len(made) * 2 >= len(ARGUMENTS) else "low"], seed, reviewer, text)
    right = f"it offers {' and '.join(made[:2])}" if made else "it says little that can be checked"
    lack = f", but {pick(missing, seed, reviewer, text, 'lack')} is missing" if missing else ""
    return f"{tone}: {right}{lack}."


def _substance(text: str) -> list[str]:
    """Return up to three sentences with an argument; for recorded texts the first longer lines."""
    lines = [_BULLET.sub("", line) for line in text.splitlines()]
    telling = [line for line in lines if arguments_in(line)] or [line for line in lines if len(line) > _TELLING]
    return [line[:400] for line in telling[:3]]
