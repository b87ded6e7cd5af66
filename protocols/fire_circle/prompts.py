"""The prompts of a fire circle (seed 000, section 3) and their calls.

The templates of the rounds are the seed's. Each is completed by the layer, its context and the turn, so that no model
judges what it cannot see, by what the three numbers are of, and from round 2 on by the pattern-seeking observer's part
with the eight types of patterns; these parts are our own. The empty chair gets another prompt, not a note below the
same one: its role, its task and its perspective come first.

The judged prompt is hostile by nature. It is between marks with a nonce that it cannot know, like all text of
peer wrote.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from protocols.fire_circle import voices
from protocols.fire_circle.io import FireCircleInput, JudgementInput
from protocols.fire_circle.model import LAYERS, Evaluation
from protocols.model_call import ModelCall, ReaderRef
from protocols.panel import Participant
from protocols.prompt_pack import PromptPack, fence, load_pack, nonce_of

PACK = load_pack(__package__)
"""The templates that a new run starts with; ``empty_chair`` may be replaced by a user's own text."""


class Seat(NamedTuple):
    """The seat and round of a call; ``attempt`` counts the earlier calls for it, to another model."""

    participant: Participant
    round: int
    attempt: int = 0

    @property
    def call_id(self) -> str:
        """``r2-p3``; a further call of the same has its number behind."""
        return f"r{self.round}-{self.participant.id}" + (f"-{self.attempt + 1}" if self.attempt else "")


def with_chair(pack: PromptPack, text: str | None) -> PromptPack:
    """Return ``pack`` with a user's own prompt for the empty chair."""
    return pack if text is None else pack.model_copy(update={"templates": {**pack.templates, "empty_chair": text}})


def baseline(inp: JudgementInput, seat: Seat, *, secret: str) -> ModelCall:
    """Round 1: the plain prompt, alone (section 3.1)."""
    nonce = nonce_of(secret, seat.call_id)
    return _call(inp, seat, inp.prompts.fill("baseline", _material(inp, nonce)))


def discussion(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], *, secret: str) -> ModelCall:
    """Round 2: all of round 1 and what to look for in it (section 3.2)."""
    nonce = nonce_of(secret, seat.call_id)
    slots = {
        "observer": inp.prompts.fill("observer", _material(inp, nonce)),
        "own": voices.own(said, seat.participant.id, nonce),
        "dialogue_context": _others(inp, seat, said, secret),
        "turn_count": str(inp.session.turn if inp.session else "unknown"),
    }
    return _call(inp, seat, inp.prompts.fill("discussion", slots))


def refinement(
    inp: FireCircleInput,
    seat: Seat,
    said: Sequence[Evaluation],
    patterns: Sequence[str],
    chair: str | None,
    *,
    secret: str,
) -> ModelCall:
    """Round 3: round 1, the patterns named since, one line each, and what the chair said (section 3.3).

    Round 4 repeats it and shows the texts of round 3 as well.
    """
    nonce = nonce_of(secret, seat.call_id)
    slots = {
        "observer": inp.prompts.fill("observer", _material(inp, nonce)),
        "own": voices.own(said, seat.participant.id, nonce),
        "round_1_context": _others(inp, seat, [one for one in said if one.round != _DISCUSSED], secret),
        "aggregated_patterns_round_2": fence("\n".join(patterns) or "None was named.", "patterns", nonce),
        "empty_chair_observations_round_2": _chair(seat, said, fence(chair or _UNHELD, "empty chair", nonce)),
    }
    return _call(inp, seat, inp.prompts.fill("refinement", slots))


def from_the_chair(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], *, secret: str) -> ModelCall:
    """Build the call to the empty chair in round 2 and later: its own role, task and perspective (section 4.2)."""
    nonce = nonce_of(secret, seat.call_id)
    slots = {
        **_material(inp, nonce),
        "empty_chair": inp.prompts.templates["empty_chair"],
        "own": voices.own(said, seat.participant.id, nonce),
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


_DISCUSSED = 2
_READERS = {1: "fire_circle.assessment", _DISCUSSED: "fire_circle.discussion"}
"""One reading under three names: from each round another object is asked for."""


_UNHELD = "The chair was empty."

_EARLIER = {"user": "earlier prompt", "assistant": "earlier finding"}
"""The marks around the conversation before a prompt."""


def _others(inp: FireCircleInput, seat: Seat, said: Sequence[Evaluation], secret: str) -> str:
    named = voices.labels(inp.panel, secret)
    return voices.others(said, seat.participant.id, named, nonce_of(secret, seat.call_id))


def _chair(seat: Seat, said: Sequence[Evaluation], words: str) -> str:
    """Return the words from the empty chair; its seat learns that they are its own."""
    holders = {one.participant for one in said if one.is_chair}
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
