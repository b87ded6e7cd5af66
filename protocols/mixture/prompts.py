"""The prompts of a mixture: the question, then the question with the answers of the previous layer.

The wording follows the paper's "Aggregate-and-Synthesize" prompt (arXiv:2406.04692, table 1), which proposers of later
layers and the aggregator share.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from protocols.anonymity import subject_of
from protocols.final_answer_prompt import AGAIN, LAST_LINE, requests_answer, unanswered
from protocols.further_calls import Unclear, always_clear
from protocols.mixture.model import AGGREGATION, MixtureInput, stage_of
from protocols.model_call import ModelCall, ReaderRef
from protocols.panel import Participant
from protocols.prompt_pack import fence, load_pack, nonce_of, numbered

PACK = load_pack(__package__, last_line=LAST_LINE, answer_again=AGAIN)
"""The templates that a new run starts with."""


def proposal(
    inp: MixtureInput,
    seat: Participant,
    layer: int,
    answers: Mapping[str, str],
    own_names: tuple[str, ...],
    *,
    secret: str,
    attempt: int = 0,
) -> ModelCall:
    """Build a proposer's call in ``layer``, with ``answers`` (shown name to text) of the previous layer."""
    call_id = numbered(f"{stage_of(layer)}-{seat.id}", attempt)
    text = _filled(inp, "refinement", answers, nonce_of(secret, call_id)) if answers else inp.question
    needs: dict[str, JsonValue] = {
        "form": inp.answer.model_dump(mode="json"),
        "own_names": list(own_names),
        "subject": subject_of(inp.question, own_names).model_dump(mode="json"),
    }
    reader = ReaderRef(reader="mixture.proposal", needs=needs)
    return inp.build_call(seat, text, reader, call_id=call_id, stage=stage_of(layer), round=layer)


def unclear(inp: MixtureInput) -> Unclear:
    """Return the rule for an aggregation without a readable answer; an open question asks for none."""
    return always_clear if inp.answer.kind == "free" else unanswered(inp.prompts, inp.answer)


def aggregation(
    inp: MixtureInput, seat: Participant, layer: int, answers: Mapping[str, str], *, secret: str, attempt: int = 0
) -> ModelCall:
    """Build the aggregator's call with the ``answers`` (shown name to text) of the last answered ``layer``."""
    call_id = numbered(f"{AGGREGATION}-{seat.id}", attempt)
    text = _filled(inp, AGGREGATION, answers, nonce_of(secret, call_id))
    reader = ReaderRef(reader="mixture.aggregation", needs={"form": inp.answer.model_dump(mode="json")})
    return inp.build_call(seat, text, reader, call_id=call_id, stage=AGGREGATION, round=layer)


def _filled(inp: MixtureInput, template: str, answers: Mapping[str, str], nonce: str) -> str:
    slots = {
        "question": inp.question,
        "last_line": inp.prompts.templates["last_line"] if requests_answer(inp.question, inp.answer) else "",
        "nonce": nonce,
        "answers": "\n\n".join(fence(text, name, nonce) for name, text in answers.items()),
    }
    return inp.prompts.fill(template, slots)
