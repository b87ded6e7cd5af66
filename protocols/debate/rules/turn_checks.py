"""The checks of a turn beyond its format (section 2, P2 to P4, and decisions 1 and 3).

    turn that                                           needs
    votes ACCEPT                                        a concern, and an alternative
    votes BLOCKER, opposes or challenges                the other side at its strongest, first
    votes BLOCKER                                       a FACT that conflicts, or an INFER that shows the gap
    names a risk, in the contentious modes              a mitigation; the category of one is enough for the red team
    has an assigned stance                              that stance
    is in an objection round                            a counterargument, and an alternative
    speaks at all (P4, questions 3 to 5)                two rejected alternatives with their reasons, three risks with
                                                        their mitigations, and what remains uncertain

Of a short turn (``turn_format`` lite) only the stance is looked at: it is not asked for the rest. A violation is
recorded with the turn, and neither rewritten nor punished.
"""

from collections.abc import Iterator

from protocols.debate.model.history import RoundKind
from protocols.debate.model.io import DebateInput
from protocols.debate.model.turn import TurnReading, Violation
from protocols.debate.modes import MODES
from protocols.debate.rules.registry_update import shorten_to_line
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import ParticipantId

ALTERNATIVES, RISKS = 2, 3
"""That P4 asks for at least."""
_QUOTED = 20
_WORD = lazy_pattern(r"\w+")
_NOTHING = frozenset(("none", "no", "nothing", "n a", "na", "tbd", "unknown", "not applicable"))


def find_violations(
    inp: DebateInput, seat: ParticipantId, said: TurnReading, kind: RoundKind, *, can_oppose: bool = True
) -> tuple[Violation, ...]:
    """Return the rules that the turn breaks, without those on the format of citations.

    ``can_oppose`` is whether there was a claim that the turn could have named: where there was none, a FACT or INFER
    of its own is all that a blocker can cite.
    """
    if inp.turn_format == "lite":
        return tuple(_stance(inp, seat, said))
    return (
        *_agreement(said),
        *_dissent(said, can_oppose=can_oppose),
        *_risks(inp, said),
        *_stance(inp, seat, said),
        *(_objection(said) if kind == "objection" else ()),
    )


def unverified(inp: DebateInput, said: TurnReading) -> tuple[Violation, ...]:
    """Return P4's questions on alternatives, risks and uncertainty that the turn leaves open."""
    if inp.turn_format == "lite":
        return ()
    rejected = sum(_is_something(one.text) and _is_something(one.rejected_because) for one in said.alternatives)
    mitigated = sum(_is_something(one.text) and _is_something(one.mitigation) for one in said.risks)
    found: list[Violation] = []
    if rejected < ALTERNATIVES:
        found.append(Violation(kind="few_alternatives", detail=f"{rejected} of {ALTERNATIVES} with a reason"))
    if mitigated < RISKS:
        found.append(Violation(kind="few_risks", detail=f"{mitigated} of {RISKS} with a mitigation"))
    if not _is_something(said.uncertainty):
        found.append(Violation(kind="no_uncertainty", detail="not a word on what remains uncertain"))
    return tuple(found)


def _agreement(said: TurnReading) -> Iterator[Violation]:
    """Yield violations of P2: "Before agreeing with consensus, MUST"."""
    if said.vote == "ACCEPT" and not any(map(_is_something, said.concerns)):
        yield Violation(kind="agreement_without_concern", detail="ACCEPT without a concern or limitation")
    if said.vote == "ACCEPT" and not _has_alternative(said):
        yield Violation(kind="agreement_without_alternative", detail="ACCEPT without an alternative approach")


def _dissent(said: TurnReading, *, can_oppose: bool) -> Iterator[Violation]:
    """Yield violations of P2: steelman first, and dissent tethered to evidence."""
    is_dissent = said.vote == "BLOCKER" or _opposes(said)
    if is_dissent and not _is_something(said.steelman):
        yield Violation(kind="no_steelman", detail="dissent before the strongest rationale of what it is against")
    if said.vote == "BLOCKER" and not _is_tethered(said, can_oppose=can_oppose):
        yield Violation(kind="dissent_untethered", detail="BLOCKER without a FACT that conflicts or an INFER gap")


def _risks(inp: DebateInput, said: TurnReading) -> Iterator[Violation]:
    """Yield violations of P3: "For each vulnerability, MUST propose >=1 mitigation"."""
    if MODES[inp.mode].is_constrained:
        for risk in said.risks:
            if _is_something(risk.text) and not _is_something(risk.mitigation):
                yield Violation(kind="risk_unmitigated", detail=shorten_to_line(risk.text, _QUOTED))


def _stance(inp: DebateInput, seat: ParticipantId, said: TurnReading) -> Iterator[Violation]:
    """Yield violations of decision 1: only devil's advocate deals stances."""
    dealt = MODES[inp.mode].part(inp.position(seat)).stance
    if dealt and said.stance and said.stance != dealt:
        yield Violation(kind="stance_changed", detail=f"assigned {dealt}, said {said.stance}")


def _objection(said: TurnReading) -> Iterator[Violation]:
    """Yield violations of decision 3: "Agents must provide counterarguments + alternatives"."""
    if not any(map(_is_something, said.concerns)) and not _opposes(said):
        yield Violation(kind="no_counterargument", detail="neither a concern nor a claim that it opposes")
    if not _has_alternative(said):
        yield Violation(kind="no_alternative", detail="no alternative approach")


def _opposes(said: TurnReading) -> bool:
    return bool(said.challenges) or any(claim.opposes for claim in said.claims)


def _is_tethered(said: TurnReading, *, can_oppose: bool) -> bool:
    argued = [claim for claim in said.claims if claim.label in {"FACT", "INFER"}]
    return any(claim.opposes or said.challenges or not can_oppose for claim in argued)


def _has_alternative(said: TurnReading) -> bool:
    return any(_is_something(one.text) for one in said.alternatives)


def _is_something(text: str) -> bool:
    """Return whether the text has content; blanks, dashes and "none" have none."""
    words = " ".join(_WORD.findall(text.lower()))
    return bool(words) and words not in _NOTHING
