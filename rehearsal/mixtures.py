"""A mixture of agents: whoever proposes again after seeing the answers of the layer before.

A proposer of the first layer has seen nothing and answers like anybody else (``finals``); in a later layer it says what
it would have said, and takes one statement from the best answers shown that its own lacks. Whoever puts the last
layer together does what a council's chair does (``judgements``).
"""

from rehearsal import finals, judgements
from rehearsal.cues import Cue
from rehearsal.opinions import moves_in, opinion
from rehearsal.problems import subject
from rehearsal.written_texts import written_for


def proposal(seed: int, model: str, cue: Cue) -> str:
    """The model's own answer, bettered by what others said."""
    written = written_for(subject(cue.question))
    if written is not None and written.solutions:
        return finals.concluded("", seed, model, cue)
    own = opinion(seed, model, subject(cue.question))
    borrowed = next((s for s in judgements.kept(seed, model, cue) if not set(moves_in(s)) <= set(moves_in(own))), None)
    said = own if borrowed is None else f"{own}\n\nThe other answers add to this: {borrowed}"
    return finals.concluded(said, seed, model, cue)
