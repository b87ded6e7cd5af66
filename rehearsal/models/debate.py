"""Debaters: what each of them thinks of the topic, and how the debate moves it.

A debater leans one way, rolled from the seed, its name and the topic, unless a stance or a team was dealt to it. It
looks at the matter from its anchor, brings a new fact with its own source into every round, stands by some claims and
doubts others, and moves towards what the others think. From its round of readiness on, the third or the fourth, it is
sure enough and votes for what is on the table; so a panel of plain debaters agrees after three to five rounds, and
never before everybody has heard everybody.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Literal

from rehearsal.models.debate_prompts import Debate, Known
from rehearsal.models.debate_topics import WAYS, Theme, theme_of
from rehearsal.models.debate_turns import Claim, Turn
from rehearsal.models.final_answers import plain
from rehearsal.models.problems import problem
from rehearsal.models.seeded import fraction, pick, shuffled

Lean = Literal["for", "against", "between"]

ANCHORS = ("Risk-Attentive", "Implementation-Focused", "Evidence-Calibrated", "Systems-Aware")

LEAST_SURE = 0.70
"""The confidence at which a debater is ready to close."""


def argue(seed: int, model: str, debate: Debate) -> Turn:
    """What a plain debater says in this round."""
    mind = DebaterState(seed, model, debate)
    return _closing_words(mind, _sourced(mind, _opened(mind)))


_STANCES: dict[str, Lean] = {"YES": "for", "NO": "against", "NEUTRAL": "between", "red": "against", "blue": "for"}
_DOUBTS = (
    "One more careful count could turn {id} around",
    "What {id} says of one place need hold nowhere else",
    "{id} leaves out who pays for it",
    "If {id} were so, its effect would show sooner",
)
_DOUBT = re.compile("|".join(way.replace("{id}", r"C\d+") for way in _DOUBTS))
_CATEGORIES = ("access control", "monitoring", "rate limits", "staged release", "separation of duties", "backups")
"""Kinds of mitigation, which is all that the red team names."""
_WORKS = ("field notes", "a survey", "a review of trials", "a register of cases", "an audit", "a panel study")


@dataclass(frozen=True)
class DebaterState:
    """One debater at one moment: all that it thinks follows from the seed, its name and what it is shown."""

    seed: int
    model: str
    debate: Debate

    @property
    def dice(self) -> tuple[object, ...]:
        """What its nature depends on: the same in every round."""
        return self.seed, self.model, self.debate.topic

    @property
    def moment(self) -> tuple[object, ...]:
        """What its words depend on: other ones in every round."""
        return *self.dice, self.debate.round

    @cached_property
    def theme(self) -> Theme:
        """The stock of arguments on the topic."""
        return theme_of(self.debate.topic)

    @cached_property
    def place(self) -> int:
        """Which anchor it has, by number; by its own nature where none was dealt."""
        dealt = self.debate.anchor
        return ANCHORS.index(dealt) if dealt in ANCHORS else int(fraction(*self.dice, "anchor") * len(ANCHORS))

    @cached_property
    def turn(self) -> int:
        """Where in each stock it takes from: another place by anchor and in every round."""
        return self.place + self.debate.round - 1

    @cached_property
    def lean(self) -> Lean:
        """Which way it leans: as dealt, else by its nature; who leaned against comes round when it is ready."""
        dealt = self.debate.stance or self.debate.team
        if dealt:
            return _STANCES[dealt]
        leans: tuple[Lean, ...] = ("for", "for", "between", "against")
        lean = pick(leans, *self.dice, "lean")
        return "between" if lean == "against" and self.is_ready else lean

    @cached_property
    def ready_from(self) -> int:
        """The round from which on it would close; one later where it was dealt to stand against."""
        return 3 + (fraction(*self.dice, "ready") > _PATIENT) + (self.debate.stance == "NO")

    @property
    def is_ready(self) -> bool:
        """Whether it would close now."""
        return self.debate.round >= self.ready_from

    @cached_property
    def before(self) -> float:
        """How sure it was when it last spoke; as at first where nothing tells."""
        known = self.debate.status.get(self.debate.name)
        return _START + _START_SPREAD * fraction(*self.dice, "start") if known is None else known

    @cached_property
    def confidence(self) -> float:
        """How sure it is now: nearer to the others, a little surer, and less so when told to object."""
        if self.debate.round == 1:
            return round(self.before, 2)
        others = [sure for name, sure in self.debate.status.items() if name != self.debate.name]
        moved = self.before + _PULL * ((fmean(others) if others else self.before) - self.before)
        if self.debate.is_objection:
            return round(max(0.4, moved - 0.15), 2)
        moved += 0.04 + 0.05 * fraction(*self.moment, "gain")
        return round(min(_MOST_SURE, max(moved, LEAST_SURE + 0.02)) if self.is_ready else min(moved, 0.69), 2)

    @property
    def vote(self) -> str:
        """What it votes."""
        if self.debate.is_objection or self.debate.round == self.ready_from - 1:
            return "MINOR"
        if self.is_ready:
            return "ACCEPT" if self.lean == "for" else "MINOR"
        return "BLOCKER" if self.lean == "against" else "MINOR"

    @cached_property
    def own(self) -> frozenset[str]:
        """What it has stated in this round and before; it remembers by thinking the same again."""
        minds = (replace(self, debate=replace(self.debate, round=n)) for n in range(1, self.debate.round + 1))
        return frozenset(claim.text for mind in minds for claim in (*facts(mind), *premises(mind)))

    @cached_property
    def others(self) -> tuple[Known, ...]:
        """Claims that stand and are not its own, in an order that no id decides; where all are, all of them.

        A mere doubt is nobody's to stand by: it is answered at the claim that it is about.
        """
        standing = [claim for claim in self.debate.claims if claim.stands and not _DOUBT.fullmatch(claim.text)]
        claims = [claim for claim in standing if claim.text not in self.own] or standing
        return shuffled(sorted(claims, key=lambda claim: claim.text), *self.moment, "claims")

    def fresh(self, texts: tuple[str, ...]) -> str:
        """One of ``texts`` that nobody has said so far, as far as it is shown, else one of them."""
        first = [texts[(self.turn + n) % len(texts)] for n in range(len(texts))]
        return next((text for text in first if text not in self.debate.shown), first[0])


_PATIENT = 0.6
_START, _START_SPREAD = 0.46, 0.18
_PULL = 0.35
_MOST_SURE = 0.92


def position(mind: DebaterState, lean: Lean | None = None) -> str:
    """What it holds, seen from its anchor; to the question of the round first, where there is one."""
    anchor, leaning = ANCHORS[mind.place], lean or mind.lean
    said = mind.theme.ways.get(anchor, {}).get(leaning) or f"Filler: {WAYS[anchor][leaning].format(it=mind.theme.it)}"
    focus = mind.debate.focus
    return f"As to the question of this round: {said}" if focus else said


def moved(mind: DebaterState) -> str:
    """The motion, where it is accepted, and for MINOR what it would add; else a position of its own."""
    motion = mind.debate.motion
    if not motion or mind.vote == "BLOCKER":
        return position(mind)
    return motion if mind.vote == "ACCEPT" else f"{motion} I would only add: {mind.fresh(mind.theme.concerns)}."


def fact(mind: DebaterState, number: int, citation: int) -> Claim:
    """A statement with figures that nobody else has; ``number`` tells several of one turn apart."""
    written = _written_fact(mind, number)
    if written:
        return Claim(written, "FACT", (citation,))
    said = mind.theme.facts[(mind.turn + number) % len(mind.theme.facts)]
    most = _COUNTED if "{n} of {m}" in said else _MEASURED
    many = 20 + int(fraction(*mind.moment, "of", number) * (most - 20))
    few = 2 + int(fraction(*mind.moment, "n", number) * (many - 4))
    return Claim(said.format(n=few, m=many), "FACT", (citation,))


_COUNTED, _MEASURED = 1000, 100
"""Below which figures lie: of what is counted, so that no two debaters have the same, and of minutes and days."""


def _written_fact(mind: DebaterState, number: int) -> str:
    """Return what is written for this anchor: two facts of the first round, then the next; empty when used up."""
    written = mind.theme.own_facts.get(ANCHORS[mind.place], ())
    place = number - 1 if mind.debate.round == 1 else mind.debate.round + number - 1
    return written[place] if place < len(written) else ""


def source(mind: DebaterState, number: int) -> str:
    """Return a work that says of itself that it does not exist, or that it is common knowledge."""
    shelf = 1 + int(fraction(*mind.moment, "shelf", number) * 9998)
    if _written_fact(mind, number):
        return f"Rehearsal Source {shelf} (common knowledge, not looked up)"
    kind = pick(_WORKS, *mind.moment, "work", number)
    return f"Rehearsal Source {shelf} ({kind} that does not exist)"


def facts(mind: DebaterState) -> tuple[Claim, ...]:
    """Two to begin with, then one in every round."""
    return tuple(fact(mind, number, number) for number in range(1, 3 if mind.debate.round == 1 else 2))


def premises(mind: DebaterState) -> tuple[Claim, ...]:
    """What it infers and assumes, and to begin with what it holds for open."""
    theme, place = mind.theme, mind.place
    return (
        Claim(theme.inferences[mind.turn % len(theme.inferences)], "INFER", (1,)),
        Claim(theme.assumptions[place % len(theme.assumptions)], "ASSUME"),
        *((Claim(theme.open[place % len(theme.open)], "OPEN"),) if mind.debate.round == 1 else ()),
    )


def doubts(mind: DebaterState, most: int) -> tuple[Claim, ...]:
    """Inferences against claims of others, which they name."""
    return tuple(
        Claim(pick(_DOUBTS, *mind.moment, "doubt", known.text).format(id=known.id), "INFER", opposes=(known.id,))
        for known in mind.others[:most]
    )


def _opened(mind: DebaterState) -> Turn:
    """Position, confidence and vote, and what is premised."""
    debate = mind.debate
    return Turn(
        position=moved(mind) if mind.is_ready else position(mind),
        confidence=mind.confidence,
        vote=mind.vote,
        confidence_reason=_reason(mind),
        stance=debate.stance,
        alignment="" if debate.stance else debate.team or mind.lean,
        claims=premises(mind),
        headers=debate.headers,
    )


def _reason(mind: DebaterState) -> str:
    change = round(mind.confidence - mind.before, 2)
    if mind.debate.round == 1:
        return "A first word, before anybody was heard."
    return f"What was said since moves me by {change:+.2f}; my own sources alone would not."


def _sourced(mind: DebaterState, speech: Turn) -> Turn:
    """With facts, and with what is said to the claims of others."""
    cited = facts(mind)
    against = doubts(mind, 0 if mind.is_ready and not mind.debate.is_objection else 1)
    kept = tuple(known.id for known in mind.others[len(against) : len(against) + 2])
    given_up = {known.text for known in mind.others[: len(against)]}
    return speech.and_also(
        claims=(*cited, *(claim for claim in speech.claims if claim.text not in given_up), *against),
        sources=tuple(source(mind, number) for number in range(1, len(cited) + 1)),
        reinforces=kept,
        challenges=tuple(claim.opposes[0] for claim in against),
        replies_to=mind.debate.peers(*mind.moment)[:1],
    )


def _closing_words(mind: DebaterState, speech: Turn) -> Turn:
    """With the final answer, the other side at its best, concerns, alternatives, risks, and what remains uncertain."""
    theme, turn, posed = mind.theme, mind.turn, problem(mind.debate.topic)
    strongest = theme.inferences[(turn + 2) % len(theme.inferences)]
    first = mind.fresh(tuple(text for text, _ in theme.alternatives))
    place = [text for text, _ in theme.alternatives].index(first)
    return speech.and_also(
        answer=plain(mind.seed, mind.model, posed, "") if posed else "",
        steelman=f"The best that can be said for {theme.it}: {strongest[0].lower()}{strongest[1:]}.",
        concerns=(mind.fresh(theme.concerns),),
        alternatives=tuple(theme.alternatives[(place + n) % len(theme.alternatives)] for n in range(2)),
        risks=tuple(_risk(mind, n) for n in range(3)),
        uncertainty=f"{theme.open[turn % len(theme.open)]}; a count over two years would tell.",
    )


def _risk(mind: DebaterState, number: int) -> tuple[str, str]:
    text, mitigation = mind.theme.risks[(mind.turn + number) % len(mind.theme.risks)]
    is_red = mind.debate.team == "red"
    return text, f"Category: {pick(_CATEGORIES, *mind.dice, text)}" if is_red else mitigation
