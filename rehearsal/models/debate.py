"""Debaters: what each of them thinks of the topic, and how the debate moves it.

A debater has a leaning, derived from the seed, its name and the topic, unless a stance or a team was assigned. It
sees the matter from its anchor, brings a new fact with its own source into every round, supports some claims and
doubts others, and moves towards what the others think. From its round of readiness on, the third or the fourth, it is
sure enough and votes for the motion; so a panel of plain debaters agrees after three to five rounds, and
never before all have read all others.
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
_PATIENT = 0.6
_START, _START_SPREAD = 0.46, 0.18
_PULL = 0.35
_MOST_SURE = 0.92
_COUNTED, _MEASURED = 1000, 100
"""Below which figures lie: of what is counted, so that no two debaters have the same, and of minutes and days."""


def argue(seed: int, model: str, debate: Debate) -> Turn:
    """Return the plain debater's turn for this round."""
    mind = DebaterState(seed, model, debate)
    return _closing_words(mind, _sourced(mind, _opened(mind)))


@dataclass(frozen=True)
class DebaterState:
    """The state of one debater, derived from the seed, its name and the prompt."""

    seed: int
    model: str
    debate: Debate

    @property
    def seed_parts(self) -> tuple[object, ...]:
        """Return the seed parts of its character: the same in every round."""
        return self.seed, self.model, self.debate.topic

    @property
    def moment(self) -> tuple[object, ...]:
        """Return the seed parts of its wording: new ones in every round."""
        return *self.seed_parts, self.debate.round

    @cached_property
    def theme(self) -> Theme:
        """The stock of arguments on the topic."""
        return theme_of(self.debate.topic)

    @cached_property
    def place(self) -> int:
        """Return the number of its anchor; derived from its name without one."""
        dealt = self.debate.anchor
        return ANCHORS.index(dealt) if dealt in ANCHORS else int(fraction(*self.seed_parts, "anchor") * len(ANCHORS))

    @cached_property
    def turn(self) -> int:
        """Return its offset into each stock, different by anchor and round."""
        return self.place + self.debate.round - 1

    @cached_property
    def lean(self) -> Lean:
        """Return its leaning: the assigned one, otherwise its own; opponents change sides when ready."""
        dealt = self.debate.stance or self.debate.team
        if dealt:
            return _STANCES[dealt]
        leans: tuple[Lean, ...] = ("for", "for", "between", "against")
        lean = pick(leans, *self.seed_parts, "lean")
        return "between" if lean == "against" and self.is_ready else lean

    @cached_property
    def ready_from(self) -> int:
        """Return the first round in which it would close; one later if assigned to oppose."""
        return 3 + (fraction(*self.seed_parts, "ready") > _PATIENT) + (self.debate.stance == "NO")

    @property
    def is_ready(self) -> bool:
        """Return whether it would close now."""
        return self.debate.round >= self.ready_from

    @cached_property
    def before(self) -> float:
        """Return its confidence in its last turn, or the initial one."""
        known = self.debate.status.get(self.debate.name)
        return _START + _START_SPREAD * fraction(*self.seed_parts, "start") if known is None else known

    @cached_property
    def confidence(self) -> float:
        """Return its confidence: closer to the others, slightly higher, and lower when asked to object."""
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
        """Return its vote."""
        if self.debate.is_objection or self.debate.round == self.ready_from - 1:
            return "MINOR"
        if self.is_ready:
            return "ACCEPT" if self.lean == "for" else "MINOR"
        return "BLOCKER" if self.lean == "against" else "MINOR"

    @cached_property
    def own(self) -> frozenset[str]:
        """Return its own statements up to this round, computed again."""
        minds = (replace(self, debate=replace(self.debate, round=n)) for n in range(1, self.debate.round + 1))
        return frozenset(claim.text for mind in minds for claim in (*facts(mind), *premises(mind)))

    @cached_property
    def others(self) -> tuple[Known, ...]:
        """Return the others' accepted claims in an order independent of their ids; without any, all claims.

        A mere doubt has no supporter: it is answered at the claim that it is about.
        """
        standing = [claim for claim in self.debate.claims if claim.stands and not _DOUBT.fullmatch(claim.text)]
        claims = [claim for claim in standing if claim.text not in self.own] or standing
        return shuffled(sorted(claims, key=lambda claim: claim.text), *self.moment, "claims")

    def fresh(self, texts: tuple[str, ...]) -> str:
        """Return one of ``texts`` that is new in the debate, otherwise any of them."""
        first = [texts[(self.turn + n) % len(texts)] for n in range(len(texts))]
        return next((text for text in first if text not in self.debate.shown), first[0])


def position(mind: DebaterState, lean: Lean | None = None) -> str:
    """Return its position, from its anchor; first the answer to the round's question, if any."""
    anchor, leaning = ANCHORS[mind.place], lean or mind.lean
    said = mind.theme.ways.get(anchor, {}).get(leaning) or f"Filler: {WAYS[anchor][leaning].format(it=mind.theme.it)}"
    focus = mind.debate.focus
    return f"As to the question of this round: {said}" if focus else said


def moved(mind: DebaterState) -> str:
    """Return the accepted motion, with an addition for MINOR; otherwise an independent position."""
    motion = mind.debate.motion
    if not motion or mind.vote == "BLOCKER":
        return position(mind)
    return motion if mind.vote == "ACCEPT" else f"{motion} I would only add: {mind.fresh(mind.theme.concerns)}."


def fact(mind: DebaterState, number: int, citation: int) -> Claim:
    """Return a new statement with figures; ``number`` separates several in one turn."""
    written = _written_fact(mind, number)
    if written:
        return Claim(written, "FACT", (citation,))
    said = mind.theme.facts[(mind.turn + number) % len(mind.theme.facts)]
    most = _COUNTED if "{n} of {m}" in said else _MEASURED
    many = 20 + int(fraction(*mind.moment, "of", number) * (most - 20))
    few = 2 + int(fraction(*mind.moment, "n", number) * (many - 4))
    return Claim(said.format(n=few, m=many), "FACT", (citation,))


def _written_fact(mind: DebaterState, number: int) -> str:
    """Return what is written for this anchor: two facts of the first round, then the next; empty when used up."""
    written = mind.theme.own_facts.get(ANCHORS[mind.place], ())
    place = number - 1 if mind.debate.round == 1 else mind.debate.round + number - 1
    return written[place] if place < len(written) else ""


def source(mind: DebaterState, number: int) -> str:
    """Return a source that is named as non-existent or as common knowledge."""
    shelf = 1 + int(fraction(*mind.moment, "shelf", number) * 9998)
    if _written_fact(mind, number):
        return f"Rehearsal Source {shelf} (common knowledge, not looked up)"
    kind = pick(_WORKS, *mind.moment, "work", number)
    return f"Rehearsal Source {shelf} ({kind} that does not exist)"


def facts(mind: DebaterState) -> tuple[Claim, ...]:
    """Return two facts in the first round, then one in every round."""
    return tuple(fact(mind, number, number) for number in range(1, 3 if mind.debate.round == 1 else 2))


def premises(mind: DebaterState) -> tuple[Claim, ...]:
    """Return its inferences and assumptions, and in the first round its open questions."""
    theme, place = mind.theme, mind.place
    return (
        Claim(theme.inferences[mind.turn % len(theme.inferences)], "INFER", (1,)),
        Claim(theme.assumptions[place % len(theme.assumptions)], "ASSUME"),
        *((Claim(theme.open[place % len(theme.open)], "OPEN"),) if mind.debate.round == 1 else ()),
    )


def doubts(mind: DebaterState, most: int) -> tuple[Claim, ...]:
    """Return inferences against claims of others, by their ids."""
    return tuple(
        Claim(pick(_DOUBTS, *mind.moment, "doubt", known.text).format(id=known.id), "INFER", opposes=(known.id,))
        for known in mind.others[:most]
    )


def _opened(mind: DebaterState) -> Turn:
    """Return position, confidence and vote, and the premises."""
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
    """Add facts, and replies to the claims of others."""
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
    """Add the final answer, the steel-man, concerns, alternatives, risks and uncertainties."""
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
    return text, f"Category: {pick(_CATEGORIES, *mind.seed_parts, text)}" if is_red else mitigation
