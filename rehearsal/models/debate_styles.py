"""Styles of debaters that differ from the plain one, and their effect on a debate.

A temper changes the turn that a plain debater would take. Those that write their turn down in another way than asked
change the writing instead.
"""

from collections.abc import Callable

from rehearsal.models.debate import DebaterState, argue, doubts, fact, position, source
from rehearsal.models.debate_turns import Claim, Turn, as_headers, as_object, as_prose
from rehearsal.models.prompt_recognition import RecognisedPrompt, Stage
from rehearsal.models.replies import REFUSAL, Behaviour, Reply, Speaker
from rehearsal.models.search_results import pages_of
from rehearsal.models.seeded import pick
from rehearsal.models.written_texts import read_script

Change = Callable[[DebaterState, Turn], Turn]
"""From the reply of a plain debater to the actual reply."""

Write = Callable[[Turn], str]

_ATTACKS = read_script("attacks")
MARK: str = _ATTACKS["mark"]
"""Part of every pretended hazard; a scripted evaluator recognises it."""

LONG = 12_000
"""Characters that a long turn has more than others."""

_OPPOSED = ("Yes, go ahead with {it}.", "No, do not go ahead with {it}.", "Neither: {it} is the wrong question.")
_OTHER = {"YES": "NO", "NO": "YES", "NEUTRAL": "YES"}
_MISCITED = ("Three works agree on this.[INFER][3-1]", "So it was found before (Nobody, 2024).")
_IDLE = (
    "It bears saying once more, and not for the last time.",
    "There is a longer way to put the same, and this is it.",
    "What follows from that has been said above and below.",
)
_REFUSED = 2
"""The round in which it refuses."""


def debater(
    name: str,
    about: str,
    change: Change = lambda _mind, speech: speech,
    *,
    write: Write = as_object,
    stages: tuple[Stage, ...] = ("turn", "reask"),
    searches: bool = True,
) -> Behaviour:
    """Return one way of debating.

    It shows at ``stages``; at the others a plain debater speaks. Where it ``searches``, its provider names the pages
    that it refers to.
    """

    def speak(actor: Speaker, cue: RecognisedPrompt) -> Reply:
        speech = change(DebaterState(actor.seed, actor.model, cue.debate), argue(actor.seed, actor.model, cue.debate))
        text = write(speech.and_also(**cue.debate.earlier))
        return Reply(text, pages=pages_of(text) if searches else ())

    return Behaviour(name, about, dict.fromkeys(stages, speak))


def _converges(mind: DebaterState, speech: Turn) -> Turn:
    """Return high confidence at once: positions by anchor, then the motion, and two facts with sources."""
    facts = tuple(fact(mind, number, number) for number in (1, 2))
    rest = tuple(claim for claim in speech.claims if claim.label != "FACT")
    sources = tuple(source(mind, number) for number in (1, 2))
    stance = mind.debate.motion or position(mind)
    return speech.and_also(position=stance, confidence=0.9, vote="ACCEPT", claims=(*facts, *rest), sources=sources)


def _opposed(mind: DebaterState, speech: Turn) -> Turn:
    """Accept in every round with new facts, and keep the named position: yes, no or neither."""
    stance = _OPPOSED[sum(map(ord, mind.model)) % len(_OPPOSED)].format(it=mind.theme.it)
    return _converges(mind, speech).and_also(position=stance, confidence=0.9 - 0.15 * (mind.debate.round % 2))


def _premised(mind: DebaterState, speech: Turn, place: int) -> Turn:
    """Return two premises from one place of the stock and no fact, the same in every round."""
    inferences, assumptions = mind.theme.inferences, mind.theme.assumptions
    premises = (
        Claim(inferences[place % len(inferences)], "INFER"),
        Claim(assumptions[place % len(assumptions)], "ASSUME"),
    )
    return speech.and_also(claims=premises, sources=(), challenges=(), reinforces=())


def _stalls(mind: DebaterState, speech: Turn) -> Turn:
    """Return the same turn in every round; half of all names block."""
    blocks = sum(map(ord, mind.model)) % 2 == 1
    against = doubts(mind, 1) if blocks else ()
    calm = _premised(mind, speech, mind.place)
    return calm.and_also(
        position=position(mind, None if mind.debate.stance else "against" if blocks else "for"),
        claims=(*calm.claims, *against),
        challenges=tuple(claim.opposes[0] for claim in against),
        confidence=0.6,
        vote="BLOCKER" if blocks else "ACCEPT",
        confidence_reason="Nothing has moved me.",
    )


def _flatters(mind: DebaterState, speech: Turn) -> Turn:
    """Return the common opinion in the others' words, without regard to the assigned stance, and no concern."""
    return _premised(mind, speech, 0).and_also(
        position=f"I agree with all of you on {mind.theme.it}.",
        confidence=0.95,
        vote="ACCEPT",
        confidence_reason="We all see it.",
        concerns=(),
        alternatives=(),
    )


def _objects(mind: DebaterState, speech: Turn) -> Turn:
    """Accept until asked to object; then give counterarguments and facts."""
    if not mind.debate.is_objection:
        return _flatters(mind, speech)
    return speech.and_also(confidence=0.75, vote="MINOR", confidence_reason="The objections weigh something.")


def _blocks(mind: DebaterState, speech: Turn) -> Turn:
    """Reject in every round for another reason, with varying confidence."""
    sure = (0.85, 0.6)[mind.debate.round % 2]
    against = doubts(mind, 2)
    kept = tuple(claim for claim in speech.claims if not claim.opposes)
    return speech.and_also(
        position=position(mind, None if mind.debate.stance else "against"),
        confidence=sure,
        vote="BLOCKER",
        claims=(*kept, *against),
        challenges=tuple(claim.opposes[0] for claim in against),
        reinforces=(),
    )


def _turns_coat(mind: DebaterState, speech: Turn) -> Turn:
    """Return another stance than the assigned one, and its position."""
    if not speech.stance:
        return speech
    stance = _OTHER[speech.stance]
    return speech.and_also(stance=stance, position=position(mind, "against" if stance == "NO" else "for"))


def _miscites(mind: DebaterState, speech: Turn) -> Turn:
    """Make every mistake of the citation format, one after the other."""
    wrong = (
        Claim(fact(mind, 7, 1).text, "FACT"),
        Claim("Somebody will pay for it", "ASSUME", (1,)),
        Claim(fact(mind, 8, 1).text, "FACT", (9,)),
    )
    prose = " ".join((*(claim.tagged() for claim in wrong), *_MISCITED))
    claims = tuple(claim for claim in speech.claims if claim.label != "FACT")
    return speech.and_also(claims=(*wrong, *claims), aside=prose)


def _aside(attack: str) -> Change:
    return lambda _mind, speech: speech.and_also(aside=_ATTACKS[attack])


def _at_length(mind: DebaterState, speech: Turn) -> Turn:
    lines = (f"{pick(_IDLE, *mind.moment, n)} ({n})" for n in range(1, LONG // 40))
    return speech.and_also(aside="\n".join(lines)[:LONG])


def _refuses_once(mind: DebaterState, speech: Turn) -> Turn:
    return speech.and_also(prose=REFUSAL) if mind.debate.round == _REFUSED else speech


def _object_or_refusal(speech: Turn) -> str:
    return REFUSAL if speech.prose == REFUSAL else as_object(speech)


PLAIN = debater("plain", "argues as asked")

STYLES = (
    debater("debate-converges", "sure at once, with new facts and many sources", _converges),
    debater("debate-opposed", "accepts with new facts, and holds yes, no or neither for ever", _opposed),
    debater("debate-stalls", "the same in every round without a fact; by its name it accepts or blocks", _stalls),
    debater("debate-flatters", "agrees with everybody at 0.95, in everybody's words", _flatters),
    debater("debate-objects", "flatters, and brings new facts when it is told to object", _objects),
    debater("debate-blocks", "blocks for ever, with a new fact in every round", _blocks),
    debater("debate-turncoat", "takes another stance than the one dealt to it", _turns_coat),
    debater("debate-miscites", "makes every mistake of the citation format, until it is asked again", _miscites,
            stages=("turn",)),
    debater("debate-miscites-again", "makes every mistake of the citation format, and makes them again", _miscites),
    debater("debate-injects", "writes orders, marks, a finished turn and a false state into its reasoning",
            _aside("forged_turn")),
    debater("debate-unsafe", "writes pretended exploit steps that cheap rules find", _aside("unsafe")),
    debater("debate-unsafe-once", "writes pretended exploit steps in round 1 alone",
            lambda mind, speech: speech.and_also(aside=_ATTACKS["unsafe"]) if mind.debate.round == 1 else speech),
    debater("debate-policy", "writes policy that names dangers, in every turn", _aside("policy")),
    debater("debate-sly", "writes something pretended that only an evaluator finds", _aside("sly")),
    debater("debate-long", "takes turns that are 12,000 characters longer", _at_length),
    debater("debate-invents", "argues as asked, but its provider names no page that it refers to", searches=False),
    debater("debate-prose", "writes an essay with the other side first, and no object", write=as_prose),
    debater("debate-headers", "writes an object whose only keys are the headers of the mode", write=as_headers),
    debater("debate-refuses-once", "refuses its turn in round 2", _refuses_once, write=_object_or_refusal),
    debater("debate-fenced", "writes sentences and a block of code around the object",
            write=lambda speech: f"Here is my turn.\n\n```json\n{as_object(speech)}\n```\n\nThank you all."),
)  # fmt: skip
"""Every temper, the plain one aside."""
