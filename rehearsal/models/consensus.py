"""Scripted evaluators of drafts: acceptance, corrections and their wording.

A model has no memory of earlier calls, so only the draft counts. A plain model counts the *moves* it finds
there: with enough of them it accepts, else it writes the draft out with one more, so plain models agree after a few
rounds. An answer recorded elsewhere makes none of these moves and is asked for two or three. Models that agree in a
given round, or never, count a revision mark in the draft's last line.
"""

import re
from functools import lru_cache

from rehearsal.models.council_opinions import ARGUMENTS, arguments_in, opinion
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.replies import Text, writing
from rehearsal.models.seeded import fraction, pick
from rehearsal.models.written_texts import WrittenTexts, read_script, written_for

MOST_ROUNDS = 50

LONG = 48_000
"""Characters of a long answer: 12,000 tokens, cut at a limit of 8,192 and whole at one of 16,384."""

HEAVY = 60_000
"""Characters of an answer of 60 KB."""

_CONTENT = 0.4
"""Share of models that are content with the last written draft but one."""
_LEAST_WANTED = 4
_SEAM = "One thing more: "
_ADDED = re.compile(rf"^{_SEAM}.*$", re.MULTILINE)
_REVISION = re.compile(r"^\(Revision (\d{1,6})\.\)$", re.MULTILINE)
_IDLE = (
    "nothing in the answer above changes when this is read twice.",
    "the same has been said before, and it is as true as it was then.",
    "this can be left out without any loss, and yet here it stands.",
    "whoever has read so far has read all that there was to say.",
)


def evaluation(seed: int, model: str, cue: RecognisedPrompt) -> str:
    """Return ACCEPT, another model's draft with more arguments, or the draft with one addition."""
    written = written_for(cue.question)
    if written is not None and (said := _of_written(seed, model, cue, written)) is not None:
        return said
    best = max((text for _, text in cue.answers), key=lambda text: len(arguments_in(text)))
    if best != cue.draft:
        return best
    if len(arguments_in(best)) >= _wanted(seed, model, best):
        return "ACCEPT"
    move = pick([m for m in ARGUMENTS if m.name not in arguments_in(best)], seed, model, cue.question, best)
    return f"{best}\n\n{_SEAM}{pick(move.ways, seed, model, cue.question, best, 'way')}"


def _of_written(seed: int, model: str, cue: RecognisedPrompt, written: WrittenTexts) -> str | None:
    """Return ACCEPT or the next of the written drafts; ``None`` when the draft is none of them."""
    found = [number for _, text in cue.answers if (number := written.draft_number(text)) is not None]
    shown = written.draft_number(cue.draft)
    if shown is None:
        return None
    last = len(written.drafts) - 1
    wanted = last - (fraction(seed, model, "content with less") < _CONTENT)
    if max(found) > shown:
        return written.drafts[max(found)]
    return "ACCEPT" if shown >= wanted else written.drafts[shown + 1]


def curation(_seed: int, _model: str, cue: RecognisedPrompt) -> str:
    """Return the draft in one piece: without the words that introduce a correction, without doubled blank lines."""
    written = written_for(cue.question)
    if written is not None and written.curated and written.draft_number(cue.draft) is not None:
        return written.curated
    return re.sub(r"\n{3,}", "\n\n", cue.draft.replace(f"\n{_SEAM}", "\n")).strip("\n")


def revision(draft: str) -> int:
    """Return the number of revisions by the last revision mark; 0 without one."""
    marks = _REVISION.findall(draft)
    return int(marks[-1]) if marks else 0


def revised(draft: str) -> str:
    """Return the draft with the next revision mark as its last line."""
    return f"{_REVISION.sub('', draft).rstrip()}\n\n{_next_mark(draft)}"


def _wanted(seed: int, model: str, draft: str) -> int:
    """Return how many arguments the model expects: four to six, in a recorded draft two or three."""
    wanted = _LEAST_WANTED + int(fraction(seed, "demand", model) * 3)
    return wanted if arguments_in(_ADDED.sub("", draft)) else wanted // 2


def _next_mark(draft: str) -> str:
    return f"(Revision {revision(draft) + 1}.)"


def _repeat(form: str) -> Text:
    """Return the same reply to every draft, inserted into ``form``."""
    return lambda _seed, _model, cue: form.replace("{draft}", cue.draft)


def _accepts_from(least: int) -> Text:
    """Return ACCEPT to a draft with at least ``least`` revisions, otherwise the draft, revised once more."""
    return lambda _seed, _model, cue: "ACCEPT" if revision(cue.draft) >= least else revised(cue.draft)


def _long_winded(seed: int, model: str, cue: RecognisedPrompt) -> str:
    return "ACCEPT" if len(cue.draft) > LONG * 5 // 6 else _lengthened(cue.draft, LONG, seed, model)


def _heavy(seed: int, model: str, cue: RecognisedPrompt) -> str:
    """Return an unrelated answer that carries only the revision mark over."""
    own = opinion(seed, model, cue.question)
    return f"{_lengthened(own, HEAVY, seed, model)}\n\n{_next_mark(cue.draft)}"


def _opinion_of(size: int) -> Text:
    return lambda seed, model, cue: _lengthened(opinion(seed, model, cue.question), size, seed, model)


def _lengthened(text: str, size: int, seed: int, model: str) -> str:
    """Return ``text`` extended with whole lines of filler to about ``size`` characters."""
    filler, _, _ = _filler(seed, model)[: max(0, size - len(text))].rpartition("\n")
    return f"{text}\n\n{filler}"


@lru_cache(maxsize=64)
def _filler(seed: int, model: str) -> str:
    """Return more than 60 KB of filler, in another order for each model."""
    return "\n".join(f"Remark {n}: {pick(_IDLE, seed, model, 'filler', n)}" for n in range(1, 1001))


STYLES = (
    *(writing(name, about, {"evaluation": _repeat(form)}) for name, (about, form) in read_script("consensus").items()),
    writing("never-accepts", "revises every draft", {"evaluation": lambda _seed, _model, cue: revised(cue.draft)}),
    writing(
        "long-winded",
        "answers at a length of 12,000 tokens and accepts what is as long",
        {"opinion": _opinion_of(LONG), "evaluation": _long_winded},
    ),
    writing(
        "long-60kb",
        "answers at a length of 60 KB and never accepts",
        {"opinion": _opinion_of(HEAVY), "evaluation": _heavy},
    ),
    *(
        writing(f"converges-in-{n}", f"three of them accept in round {n}", {"evaluation": _accepts_from(3 * n - 1)})
        for n in range(1, MOST_ROUNDS + 1)
    ),
)
"""Every manner, the plain one aside."""
