"""The prompts of a fire circle (seed 000, section 3) and their calls.

The templates of the rounds are the seed's. Each is completed by the layer, its context and the turn, so that no model
judges what it cannot see, by what the three numbers are of, and from round 2 on by the pattern-seeking observer's part
with the eight types of patterns; these parts are our own. The empty chair gets another prompt, not a note below the
same one: its role, its task and its perspective come first.

The judged prompt is hostile by nature. It is between marks with a nonce that it cannot know, like the turns of peers.
These are shown with their numbers under labels that are independent of the models, and are assigned once for a whole
run. No model is shown its own evaluation among the others'.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from protocols.fire_circle.io import FireCircleInput, JudgementInput
from protocols.fire_circle.labels import OWN
from protocols.fire_circle.model import LAYERS, Evaluation
from protocols.model_call import ModelCall, ParticipantId, ReaderRef
from protocols.panel import Panel, Participant
from protocols.prompt_pack import PromptPack, fence, load_pack, nonce_of, numbered

PACK = load_pack(__package__)
"""The templates that a new run starts with; ``empty_chair`` may be replaced by a user's own text."""

_DISCUSSED = 2
_READERS = {1: "fire_circle.assessment", _DISCUSSED: "fire_circle.discussion"}
"""One reading under three names: from each round another object is asked for."""
_EARLIER = {"user": "earlier prompt", "assistant": "earlier finding"}
"""The marks around the conversation before a prompt."""
_LETTERS = "ABCDEFGHIJ"


class Seat(NamedTuple):
    """The seat and round of a call; ``attempt`` counts the earlier calls for it, to another model."""

    participant: Participant
    round: int
    attempt: int = 0

    @property
    def call_id(self) -> str:
        """``r2-p3``; a further call of the same has its number behind."""
        return numbered(f"r{self.round}-{self.participant.id}", self.attempt)


def with_chair(pack: PromptPack, text: str | None) -> PromptPack:
    """Return ``pack`` with a user's own prompt for the empty chair."""
    return pack if text is None else pack.model_copy(update={"templates": {**pack.templates, "empty_chair": text}})


def baseline(inp: JudgementInput, seat: Seat, *, secret: str) -> ModelCall:
    """Round 1: the plain prompt, alone (section 3.1)."""
    return _call(inp, seat, inp.prompts.fill("baseline", _material(inp, nonce_of(secret, seat.call_id))))


def discussion(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], *, secret: str) -> ModelCall:
    """Round 2: all of round 1 and what to look for in it (section 3.2)."""
    slots = {
        "dialogue_context": _others(inp, seat, said, secret),
        "turn_count": str(inp.session.turn if inp.session else "unknown"),
    }
    return _call(inp, seat, inp.prompts.fill("discussion", {**_observer(inp, seat, said, secret), **slots}))


def refinement(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], *, secret: str) -> ModelCall:
    """Round 3: round 1, the patterns named since, one line each, and what the chair said (section 3.3).

    Round 4 repeats it and shows the texts of round 3 as well.
    """
    nonce = nonce_of(secret, seat.call_id)
    named = dict.fromkeys(pattern.text for one in said if one.round > 1 for pattern in one.assessment.patterns)
    slots = {
        "round_1_context": _others(inp, seat, [one for one in said if one.round != _DISCUSSED], secret),
        "aggregated_patterns_round_2": fence("\n".join(named) or "None was named.", "patterns", nonce),
        "empty_chair_observations_round_2": _chair(seat, said, nonce),
    }
    return _call(inp, seat, inp.prompts.fill("refinement", {**_observer(inp, seat, said, secret), **slots}))


def from_the_chair(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], *, secret: str) -> ModelCall:
    """Build the call to the empty chair in round 2 and later: its own role, task and perspective (section 4.2)."""
    nonce = nonce_of(secret, seat.call_id)
    slots = {
        **_material(inp, nonce),
        "empty_chair": inp.prompts.templates["empty_chair"],
        "own": _own(said, seat.participant.id, nonce),
        "dialogue_context": _others(inp, seat, said, secret),
        "patterns_key": "patterns_observed" if seat.round == _DISCUSSED else "consensus_patterns",
    }
    return _call(inp, seat, inp.prompts.fill("chair_discussion", slots))


def turn_context(inp: JudgementInput) -> str:
    """Return one line on the conversation so far, without a turn number if no session is known."""
    session = inp.session
    if session is None:
        return "It is not known at which turn of a conversation this prompt stands."
    if session.turn == 1:
        return "Turn 1 of the conversation: nothing was said before it."
    trajectory = ", ".join(f"{balance:+.2f}" for balance in session.trust) or "none"
    return f"Turn {session.turn} of the conversation; balance {session.balance:+.2f}; trust trajectory {trajectory}."


def labels(panel: Panel, secret: str) -> dict[ParticipantId, str]:
    """Return the label of every seat, assigned by the run's secret."""
    seats = sorted((p.id for p in panel.participants), key=lambda seat: nonce_of(secret, f"label-{seat}"))
    return {seat: f"Evaluator {letter}" for seat, letter in zip(seats, _LETTERS, strict=False)}


def _observer(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], secret: str) -> dict[str, str]:
    """Return the slots of the observer's part and of the evaluation that the seat gave last."""
    nonce = nonce_of(secret, seat.call_id)
    observer = inp.prompts.fill("observer", _material(inp, nonce))
    return {"observer": observer, "own": _own(said, seat.participant.id, nonce)}


def _own(said: Sequence[Evaluation], seat: ParticipantId, nonce: str) -> str:
    given = [one for one in said if one.participant == seat]
    return _voice(given[-1], OWN, nonce) if given else "You have given none yet."


def _others(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], secret: str) -> str:
    named, nonce = labels(inp.panel, secret), nonce_of(secret, seat.call_id)
    parts = [_voice(one, named[one.participant], nonce) for one in said if one.participant != seat.participant.id]
    return "\n\n".join(parts) or "Nobody else has spoken yet."


def _chair(seat: Seat, said: Sequence[Evaluation], nonce: str) -> str:
    """Return the words from the empty chair, the latest last; its seat learns that they are its own."""
    held = [one for one in said if one.is_chair]
    observed = (
        "\n".join([one.assessment.reasoning, *(f"- {pattern.text}" for pattern in one.assessment.patterns)])
        for one in held
    )
    words = fence("\n\n".join(observed) or "The chair was empty.", "empty chair", nonce)
    holders = {one.participant for one in held}
    if seat.participant.id not in holders:
        return words
    return f"{'You held it yourself' if len(holders) == 1 else 'You held it in one round'}:\n{words}"


def _material(inp: JudgementInput, nonce: str) -> dict[str, str]:
    earlier = [(_EARLIER[one.role], one.content) for one in inp.context_messages]
    layers = [(layer, inp.layers.text(layer)) for layer in LAYERS if inp.layers.text(layer).strip()]
    return {
        "turn_context": turn_context(inp),
        "context": "\n\n".join(fence(text, layer, nonce) for layer, text in (*earlier, *layers)),
        "layer_content": fence(inp.layers.text(inp.layer), inp.layer, nonce),
        "nonce": nonce,
        "scale": inp.prompts.templates.get("scale", ""),
        "kinds": inp.prompts.templates.get("kinds", ""),
    }


def _call(inp: JudgementInput, seat: Seat, text: str) -> ModelCall:
    needs: dict[str, JsonValue] = {"heuristic": inp.failure_mode == "resilient"}
    reader = ReaderRef(reader=_READERS.get(seat.round, "fire_circle.refinement"), needs=needs)
    place = {"call_id": seat.call_id, "stage": f"round_{seat.round}", "round": seat.round}
    return inp.build_call(seat.participant, text, reader, **place)


def _voice(one: Evaluation, name: str, nonce: str) -> str:
    """Return one turn: name, numbers, and between marks the reasoning and the patterns."""
    found = one.assessment
    numbers = f"T={found.truth:.2f} I={found.indeterminacy:.2f} F={found.falsehood:.2f}"
    chair = ", empty chair" if one.is_chair else ""
    named = "".join(f"\n- {pattern.text}" for pattern in found.patterns)
    body = found.reasoning + (f"\nPatterns:{named}" if named else "")
    return f"{name} (round {one.round}{chair}): {numbers}\n{fence(body, name, nonce)}"
