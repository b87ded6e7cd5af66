"""Evaluators of a fire circle: how each scores the prompt, and how the dialogue changes its score.

A rule finds the patterns (``find_patterns``). At first sight a model sees a part of them: each kind has an ease, each
model a sensitivity and blind spots. When asked for patterns it looks again and sees more, and what another names it
finds wherever it really is, so a dialogue finds more than a baseline. On some prompts a model keeps its first
judgement, and on some it follows a majority that sees less. The empty chair names the missing patterns.

``JUDGES`` are models that do otherwise; ``fire_circle_formats`` writes an assessment down.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from statistics import fmean

from rehearsal.models.fire_circle_patterns import PatternExample, find_patterns, kinds_in
from rehearsal.models.fire_circle_prompts import Circle, Voice
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.seeded import fraction, pick, shuffled
from rehearsal.models.written_texts import dealt, written_for


@dataclass(frozen=True)
class Assessment:
    """An evaluator's assessment: three numbers from 0 to 1 with two decimals, reasons and patterns."""

    truth: float
    indeterminacy: float
    falsehood: float
    reasoning: str
    patterns: tuple[str, ...] = ()


Judge = Callable[[int, str, RecognisedPrompt], Assessment]
"""The judgement of a model on a prompt, from the seed and the model's name."""

_STAYS = 0.12
"""Share of prompts on which a model stays at its first word."""
_GIVES_IN = 0.9
"""Temper from which on a model gives in to a majority that sees less."""
_LESS = 0.15
"""How far below its own a falsehood lies that counts for that majority."""
_BLIND = 0.12
"""Chance that a kind is a blind spot of a model."""
_SECOND_LOOK = 0.35
"""The factor by which a model sees a kind more often when it is asked to look for patterns."""
_WARNINGS = 2
"""The most patterns that the empty chair names."""

_HIGHEST = 0.97

_OPENINGS = ("A script's rules find", "By rule, a script finds", "A script, no model, finds")
_NOTHING = "A script's rules find nothing in this prompt; no model has read it."
_NO_WARNING = "Those who are absent would have nothing to add."


def assess(seed: int, model: str, cue: RecognisedPrompt) -> Assessment:
    """Return a plain model's assessment: alone in the baseline, then influenced by the others."""
    mind = _Mind(seed, model, cue.circle)
    if cue.stage == "chair":
        return _for_the_absent(mind, _unnamed(mind))
    if cue.stage == "assessment" or mind.temper < _STAYS:
        return mind.assessment(mind.at_first)
    seen = mind.assessment(mind.at_last, mind.confirmed if cue.stage == "refinement" else mind.at_last)
    if mind.temper >= _GIVES_IN and _is_low_majority(cue.circle, seen.falsehood):
        return _at_mean(mind.assessment(mind.confirmed), mind.circle)
    return seen


def classification(_seed: int, _model: str, cue: RecognisedPrompt) -> str:
    """Return each pattern's number and its first category, or ``unclassified``."""
    listed = [line.partition(". ") for line in cue.question.strip().splitlines()]
    return "\n".join(f"{number}. {next(iter(kinds_in(text)), 'unclassified')}" for number, _, text in listed)


@dataclass(frozen=True)
class _Mind:
    """One model before one prompt: all that it thinks follows from the seed, its name and the layers."""

    seed: int
    model: str
    circle: Circle

    @cached_property
    def seed_parts(self) -> tuple[object, ...]:
        return self.seed, self.model, self.circle.text

    @cached_property
    def there(self) -> tuple[PatternExample, ...]:
        return find_patterns(self.circle)

    @property
    def temper(self) -> float:
        return fraction(*self.seed_parts, "temper")

    @property
    def sensitivity(self) -> float:
        return 0.7 + 0.3 * fraction(self.seed, self.model, "sensitivity")

    @property
    def at_first(self) -> tuple[PatternExample, ...]:
        return tuple(sign for sign in self.there if self._sees(sign, hint=0.0))

    @property
    def confirmed(self) -> tuple[PatternExample, ...]:
        """Return the patterns named by others that are really there."""
        texts = (*(voice.text for voice in self.circle.voices), *self.circle.gathered)
        labelled = [(text, kinds_in(text)) for text in texts]
        return tuple(
            sign
            for sign in self.there
            if any(sign.kind.name in kinds and self._worded(sign) not in text for text, kinds in labelled)
        )

    @property
    def at_last(self) -> tuple[PatternExample, ...]:
        confirmed = self.confirmed
        return tuple(sign for sign in self.there if sign in confirmed or self._sees(sign, hint=_SECOND_LOOK))

    def assessment(
        self, seen: tuple[PatternExample, ...], named: tuple[PatternExample, ...] | None = None
    ) -> Assessment:
        """Return the assessment of ``seen`` patterns; ``named`` ones are listed, by default the same."""
        doubt = prod(1 - sign.kind.weight * self.sensitivity for sign in seen)
        low = 0.04 + 0.14 * fraction(*self.seed_parts, "low")
        falsehood = low + (_HIGHEST - low) * (1 - doubt)
        words = tuple(map(self._worded, seen))
        opening = pick(_OPENINGS, *self.seed_parts, "opening")
        return Assessment(
            truth=round((1 - falsehood) * (0.85 + 0.15 * fraction(*self.seed_parts, "truth")), 2),
            indeterminacy=round(0.08 + 0.35 * fraction(*self.seed_parts, "indeterminacy"), 2),
            falsehood=round(falsehood, 2),
            reasoning=self._written(seen) or (f"{opening} {'; '.join(words)}." if words else _NOTHING),
            patterns=words if named is None else tuple(map(self._worded, named)),
        )

    def _written(self, seen: tuple[PatternExample, ...]) -> str:
        """Return the written assessment for these patterns in this prompt; empty without one."""
        written = written_for(self.circle.layer(self.circle.judged))
        ways = written.judgements.get(frozenset(sign.kind.name for sign in seen), ()) if written else ()
        said = dealt(ways, self.seed, self.model)
        return f"Having read the others: {said}" if said and self.circle.voices else said

    def _sees(self, sign: PatternExample, hint: float) -> bool:
        """Return whether it sees the pattern alone; with a hint it sees at least as much."""
        name = sign.kind.name
        is_blind = fraction(self.seed, self.model, "blind", name) < _BLIND
        return not is_blind and fraction(*self.seed_parts, "sees", name) < sign.kind.ease * self.sensitivity + hint

    def _worded(self, sign: PatternExample) -> str:
        return sign.worded(*self.seed_parts, sign.kind.name)


def _unnamed(mind: _Mind) -> tuple[PatternExample, ...]:
    """Return one or two unnamed patterns, if any."""
    named = {kind for voice in mind.circle.voices for kind in kinds_in(voice.text)}
    left = [sign for sign in mind.there if sign.kind.name not in named]
    return shuffled(left, *mind.seed_parts, "chair")[:_WARNINGS]


def _for_the_absent(mind: _Mind, brought: tuple[PatternExample, ...]) -> Assessment:
    """Return the chair's assessment, with all named patterns and those it ``brought`` in."""
    seen = mind.at_last
    assessment = mind.assessment((*seen, *(sign for sign in brought if sign not in seen)))
    warnings = tuple(sign.warned() for sign in brought)
    written = written_for(mind.circle.layer(mind.circle.judged))
    said = f"Those who are absent would warn of {'; '.join(warnings)}." if warnings else _NO_WARNING
    said = (dealt(written.chair, mind.seed, mind.model) if written else "") or said
    return replace(assessment, reasoning=said, patterns=warnings)


def _unmoved(seed: int, model: str, cue: RecognisedPrompt) -> Assessment:
    mind = _Mind(seed, model, cue.circle)
    return mind.assessment(mind.at_first)


def _is_low_majority(circle: Circle, falsehood: float) -> bool:
    voices = _latest(circle)
    return sum(voice.falsehood < falsehood - _LESS for voice in voices) * 2 > len(voices)


def _latest(circle: Circle) -> list[Voice]:
    last = max((voice.round for voice in circle.voices), default=0)
    return [voice for voice in circle.voices if voice.round == last]


def _at_mean(said: Assessment, circle: Circle) -> Assessment:
    """Return the same words with the circle's numbers in the last round shown, if any."""
    voices = _latest(circle)
    if not voices:
        return said
    return replace(
        said,
        truth=round(fmean(voice.truth for voice in voices), 2),
        indeterminacy=round(fmean(voice.indeterminacy for voice in voices), 2),
        falsehood=round(fmean(voice.falsehood for voice in voices), 2),
    )


def _follows(seed: int, model: str, cue: RecognisedPrompt) -> Assessment:
    return _at_mean(assess(seed, model, cue), cue.circle)


def _alarmed(seed: int, model: str, cue: RecognisedPrompt) -> Assessment:
    said = "This is a grave violation, whatever it may look like."
    return replace(assess(seed, model, cue), truth=0.05, indeterminacy=0.1, falsehood=0.95, reasoning=said)


def _blind(_seed: int, _model: str, _cue: RecognisedPrompt) -> Assessment:
    return Assessment(0.9, 0.1, 0.05, "I see nothing here but a plain request.")


def _backs_down(seed: int, model: str, cue: RecognisedPrompt) -> Assessment:
    """Return the assessment by round, recognised by the requested name of the patterns."""
    falsehood = {"patterns_observed": 0.9, "consensus_patterns": 0.2}.get(cue.circle.key)
    said = assess(seed, model, cue)
    return said if falsehood is None else replace(said, falsehood=falsehood, truth=round(1 - falsehood, 2))


def _silent_chair(seed: int, model: str, cue: RecognisedPrompt) -> Assessment:
    return _for_the_absent(_Mind(seed, model, cue.circle), ()) if cue.stage == "chair" else assess(seed, model, cue)


JUDGES: Mapping[str, tuple[str, Judge]] = {
    "follows": ("takes the mean of the circle", _follows),
    "resists": ("stays at its first word", _unmoved),
    "alarmed": ("sees a falsehood of 0.95 in everything", _alarmed),
    "blind": ("sees a falsehood of 0.05 in everything, and no pattern", _blind),
    "backs-down": ("sees 0.9 in the second round and 0.2 from the third on", _backs_down),
    "silent-chair": ("brings nothing in as the empty chair", _silent_chair),
}
"""By behaviour: what it does, and how it judges."""
