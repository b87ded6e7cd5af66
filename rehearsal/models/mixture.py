"""Scripted mixture of agents: second proposals after the answers of the previous layer.

A proposer of the first layer has seen nothing and answers like other models (``final_answers``); in a later layer it
gives the same answer, and takes one statement from the best answers shown that its own lacks. The aggregator
works like a council's chair (``council_reviews``).
"""

from rehearsal.models import council_reviews, final_answers
from rehearsal.models.council_opinions import arguments_in, opinion
from rehearsal.models.problems import subject
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.written_texts import written_for


def proposal(seed: int, model: str, cue: RecognisedPrompt) -> str:
    """Return the model's own answer, improved by those of others."""
    written = written_for(subject(cue.question))
    if written is not None and written.solutions:
        return final_answers.concluded("", seed, model, cue)
    own = opinion(seed, model, subject(cue.question))
    borrowed = next(
        (s for s in council_reviews.kept(seed, model, cue) if not set(arguments_in(s)) <= set(arguments_in(own))), None
    )
    said = own if borrowed is None else f"{own}\n\nThe other answers add to this: {borrowed}"
    return final_answers.concluded(said, seed, model, cue)
