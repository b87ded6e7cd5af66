"""Scripted final answers: correctness, detection of others' errors, and wording.

A model's skill follows its hidden quality; a problem's difficulty is derived from its words. Together they decide how
often the model is right. A wrong model mostly makes the mistake
that it always makes with this problem. A model called with a temperature draws anew for each draw, so samples
differ; without one it repeats the same answer.

A model that sees others' final answers checks them: a right one passes, a wrong one is noticed with the checker's
skill. So peers can correct a wrong answer, a right one is never spoilt, and a draft becomes stable.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from rehearsal.models.council_opinions import opinion, quality
from rehearsal.models.problems import FINAL, Problem, final_of, problem, without_final
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.seeded import fraction, pick
from rehearsal.models.written_texts import read_script, written_for

Decide = Callable[[int, str, Problem, str], str | None]
"""What the seed and a model's name make of a problem and a draw; ``None`` for no answer."""

_LEAST_SKILL, _SKILL_RANGE = 0.45, 0.5
_SPREAD = 0.4
"""How much more often an easy problem is solved than a hard one."""
_EASY = 0.35
"""How much more often a problem with written solutions is solved: its few mistakes are slips."""
_HABIT = 0.6
"""How often a wrong answer is the one that the model always gives to that problem when it is wrong."""
_CREDIT = 6.0
"""Points of merit that a final answer brings which the reviewer takes for right."""


def skill(seed: int, model: str) -> float:
    """Return the model's success rate on a problem of medium difficulty, from 0.45 to 0.95."""
    return _LEAST_SKILL + _SKILL_RANGE * quality(seed, model)


def plain(seed: int, model: str, posed: Problem, draw: str) -> str:
    """Return the right answer with a probability by skill and difficulty, otherwise a mistake."""
    written = written_for(posed.words)
    ease = _EASY if written and written.solutions else (0.5 - fraction(seed, "difficulty", posed.words)) * _SPREAD
    if fraction(seed, model, "solve", posed.words, draw) < skill(seed, model) + ease:
        return posed.right
    habit = pick(posed.wrong, seed, model, "habit", posed.words)
    is_habit = fraction(seed, model, "slip", posed.words, draw) < _HABIT
    return habit if is_habit else pick(posed.wrong, seed, model, "mistake", posed.words, draw)


def answered(seed: int, model: str, cue: RecognisedPrompt, decide: Decide = plain) -> str:
    """Return a first answer to the question of ``cue``, with a final answer on request."""
    posed = problem(cue.question)
    if posed is None:
        return opinion(seed, model, cue.question)
    final = decide(seed, model, posed, cue.draw)
    if final is None:
        return "I have looked at this from several sides and cannot settle on an answer."
    if solved := _solution(seed, model, posed, final, cue.draw):
        return f"{solved}\n\n{line(final)}"
    working = pick(read_script("filler")["workings"], seed, model, posed.words, cue.draw)
    return f"{opinion(seed, model, posed.words)}\n\n{working}\n\n{line(final)}"


def concluded(text: str, seed: int, model: str, cue: RecognisedPrompt, decide: Decide | None = None) -> str:
    """Return ``text``, which weighs the answers of ``cue``, with their joint final answer.

    That is the one that most of them give, of those in which the model notices no mistake; where they are even or give
    none, it is the model's own.
    """
    posed = problem(cue.question)
    if posed is None:
        return text
    own = (decide or plain)(seed, model, posed, cue.draw)
    final = own if decide else (_most_given(seed, model, posed, cue) or own)
    if final is None:
        return without_final(text)
    solved = "" if text and final == posed.right else _solution(seed, model, posed, final, cue.draw)
    return f"{solved or without_final(text)}\n\n{line(final)}"


def _solution(seed: int, model: str, posed: Problem, final: str, draw: str) -> str:
    """Return the written way to ``final``, or nothing."""
    written = written_for(posed.words)
    return written.solution(final, seed, model, draw) if written else ""


def carried(bare: Callable[[int, str, RecognisedPrompt], str], seed: int, model: str, cue: RecognisedPrompt) -> str:
    """Return the reply of ``bare`` to a draft, with the draft's final answer kept, corrected or added."""
    posed = problem(cue.question)
    if posed is None:
        return bare(seed, model, cue)
    given = final_of(cue.draft)
    final = given if given is not None and not notices(seed, model, posed, given) else None
    texts = tuple((name, without_final(text)) for name, text in cue.answers)
    said = bare(seed, model, replace(cue, question=posed.words, answers=texts))
    if final is not None:
        return said if said == "ACCEPT" else f"{said}\n\n{line(final)}"
    right = posed.right if given is not None else plain(seed, model, posed, "")
    return f"{texts[0][1] if said == 'ACCEPT' else said}\n\n{line(right)}"


def credit(seed: int, reviewer: str, question: str, text: str) -> float:
    """Return the merit of the final answer in ``text``; 0 if none is requested."""
    posed = problem(question)
    if posed is None:
        return 0.0
    given = final_of(text)
    return 0.0 if given is None or notices(seed, reviewer, posed, given) else _CREDIT


def notices(seed: int, model: str, posed: Problem, given: str) -> bool:
    """Return whether the model recognises ``given`` as wrong."""
    if given.casefold().rstrip(".") == posed.right.casefold().rstrip("."):
        return False
    return fraction(seed, model, "check", posed.words, given) < skill(seed, model)


def line(final: str) -> str:
    """Return the line of a final answer."""
    return f"{FINAL}: {final}"


def _most_given(seed: int, model: str, posed: Problem, cue: RecognisedPrompt) -> str | None:
    given = [final for _, text in cue.answers if (final := final_of(text)) is not None]
    counts = Counter(final for final in given if not notices(seed, model, posed, final)) or Counter(given)
    best = max(counts.values(), default=0)
    leading = [final for final, times in counts.items() if times == best]
    return leading[0] if len(leading) == 1 else None


def _by_draw(seed: int, model: str, posed: Problem, draw: str) -> str:
    """Return the right answer at an even draw and a wrong one at an odd draw; a draw that is no number is rolled."""
    parity = int(draw) if draw.isdecimal() else int(fraction(seed, model, "draw", posed.words, draw) * 2)
    return posed.wrong[0] if parity % 2 else posed.right


MINDS: Mapping[str, tuple[str, Decide]] = {
    "always-right": ("gives the right final answer", lambda _seed, _model, posed, _draw: posed.right),
    "always-wrong": ("gives the same wrong final answer each time", lambda _seed, _model, posed, _draw: posed.wrong[0]),
    "abstains": ("gives no final answer", lambda _seed, _model, _posed, _draw: None),
    "two-minds": ("gives the right final answer at an even draw and a wrong one at an odd draw", _by_draw),
}
"""By behaviour: what it does, and the choice of its final answers; where none is asked for it is the plain model."""
