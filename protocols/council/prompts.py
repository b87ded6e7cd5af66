"""The prompts of a council (seed 002, "Ranking Prompt Format") and their calls."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from protocols.anonymity import subject_of
from protocols.council.chair import ChairRead
from protocols.council.model import Ballot, CouncilInput, CouncilRecord
from protocols.council.rubric import Rubric, ScoreTally
from protocols.council.wording import MAYBE_FORGEABLE, UNSCORED_REASONS, VOID_REASONS, Forgeable
from protocols.final_answer_prompt import AGAIN, LAST_LINE, unanswered, where_asked
from protocols.further_calls import Unclear, always_clear
from protocols.model_call import Answered, ModelCall, ReaderRef
from protocols.panel import CHAIR, Participant, name_of
from protocols.prompt_pack import PromptPack, fence, load_pack, numbered

RANKING = "FINAL RANKING"
SCORES = "FINAL SCORES"
_CHAIR_FORM = (
    ("AGREEMENT", "- what all or most answers agree on"),
    ("CONTRADICTIONS", "- where answers contradict each other, and who says what"),
    ("UNIQUE INSIGHTS", "- what only one answer says, and whose it is"),
    ("BLIND SPOTS", "- what no answer considers"),
    ("VERDICT", "the answer itself"),
)
"""The headers of a chair's fields, and what is to be written under each."""

PACK = load_pack(__package__, last_line=LAST_LINE, answer_again=AGAIN)
"""The templates that a new run starts with."""


def opinion(inp: CouncilInput, participant: Participant, own_names: Sequence[str], *, attempt: int = 0) -> ModelCall:
    """Return the call that puts the question, as it was asked, to one participant."""
    subject = subject_of(inp.question, own_names)
    needs: dict[str, JsonValue] = {"own_names": list(own_names), "subject": subject.model_dump(mode="json")}
    reader = ReaderRef(reader="council.opinion", needs=needs)
    call_id = numbered(f"opinion-{participant.id}", attempt)
    return inp.build_call(participant, inp.question, reader, call_id=call_id, stage="opinion")


def review(
    inp: CouncilInput,
    reviewer: Participant,
    answers: Mapping[str, str],
    *,
    nonce: str,
    forgeable: Forgeable = MAYBE_FORGEABLE,
    attempt: int = 0,
) -> ModelCall:
    """Return the call that puts ``answers`` (label to shown text, in this reviewer's order) to one reviewer.

    ``forgeable`` is what the reviewer could copy from what it is shown and would pass for a ranking of its own.
    """
    labels = sorted(answers)
    text = inp.prompts.fill(
        "review",
        {
            "question": inp.question,
            "nonce": nonce,
            "answers": "\n\n".join(fence(answer, label, nonce) for label, answer in answers.items()),
            "scoring": _scoring(inp, labels, nonce),
            "header": header(RANKING, nonce if inp.nonce_header else None),
            "form": _form(len(labels)),
            "labels": ", ".join(labels),
            "last_line": where_asked(inp.prompts, "ranking_ends", inp.answer),
        },
    )
    needs: dict[str, JsonValue] = {
        "labels": list(answers),
        "nonce": nonce if inp.nonce_header else None,
        "forgeable": forgeable.has_header,
        "object_forgeable": forgeable.has_object,
        **({"criteria": list(inp.rubric.names)} if inp.rubric else {}),
    }
    return inp.build_call(
        reviewer,
        text,
        ReaderRef(reader="council.ballot", needs=needs),
        call_id=numbered(f"review-{reviewer.id}", attempt),
        stage="review",
        schema_instruction=_review_object(inp, nonce),
    )


def unclear_review(inp: CouncilInput, reply: Answered, shown: Sequence[str], *, nonce: str) -> str | None:
    """Return the further request for a void ballot, or for scores of which none can be read; ``None`` without one."""
    ballot, pack = Ballot.model_validate(reply.reading), inp.prompts
    card, code, labels = ballot.card, nonce if inp.nonce_header else None, sorted(shown)
    is_void, is_unscored = ballot.standing == "void", card is not None and card.standing == "void"
    if not (is_void or is_unscored) or "review_again" not in pack.templates:
        return None
    why = [VOID_REASONS.get(reason, reason) for reason in ballot.repairs] if is_void else []
    why += [UNSCORED_REASONS.get(reason, reason) for reason in card.repairs] if card and is_unscored else []
    slots = {
        "why": "; ".join(why) or "it is not there",
        "header": header(RANKING, code),
        "form": _form(len(labels)),
        "labels": ", ".join(labels),
    }
    if inp.rubric is None:
        return pack.fill("review_again", slots).strip()
    scores = {"scores_header": header(SCORES, code), "scores_form": _scores_form(inp.rubric, labels)}
    return pack.fill("scores_again", slots | scores).strip()


def synthesis(
    inp: CouncilInput,
    chair: Participant,
    answers: Mapping[str, str],
    reviews: str | None,
    *,
    nonce: str,
    attempt: int = 0,
) -> ModelCall:
    """Build the chair's call: ``answers`` by author, and ``reviews`` as ``reviews_for_chair`` writes them."""
    text = inp.prompts.fill(
        "synthesis",
        {
            "question": inp.question,
            "nonce": nonce,
            "answers": "\n\n".join(fence(answer, name, nonce) for name, answer in answers.items()),
            "reviewed": " and then ranked all answers without knowing who wrote them" if reviews else "",
            "reviews": reviews or "",
            "weigh": ", and how the reviewers ranked them" if reviews else "",
            "fields": inp.prompts.fill("synthesis_fields", {"form": _fields_form(inp, nonce)})
            if inp.chair_fields
            else "",
            "last_line": where_asked(inp.prompts, "last_line", inp.answer),
        },
    )
    call_id = numbered(f"synthesis-{CHAIR}", attempt)
    if not inp.chair_fields:
        reader = ReaderRef(reader="council.synthesis", needs=_form_needed(inp))
        return inp.build_call(chair, text, reader, call_id=call_id, stage="synthesis")
    reader = ReaderRef(
        reader="council.analysis", needs={**_form_needed(inp), "nonce": nonce if inp.nonce_header else None}
    )
    added = inp.prompts.templates["synthesis_object"]
    return inp.build_call(chair, text, reader, call_id=call_id, stage="synthesis", schema_instruction=added)


def unclear_synthesis(inp: CouncilInput, nonce: str) -> Unclear:
    """Return the rule for a synthesis without the fields or the final answer that were asked for."""
    if not inp.chair_fields:
        return always_clear if inp.answer is None else unanswered(inp.prompts, inp.answer)
    sentence = inp.prompts.fill("synthesis_again", {"form": _fields_form(inp, nonce)}).strip()

    def unclear(reply: Answered) -> str | None:
        read = ChairRead.model_validate(reply.reading)
        has_answer = inp.answer is None or (read.final is not None and read.final.answer is not None)
        return None if read.analysis is not None and has_answer else sentence

    return unclear


def reviews_for_chair(pack: PromptPack, record: CouncilRecord, *, nonce: str) -> str | None:
    """Return the rankings for the chair's prompt (seed 002, "Full Context Synthesis").

    ``None`` when there was no review.
    """
    if record.labels is None:
        return None
    models = {answer.participant: answer.model for answer in record.opinions}
    shown = [
        fence(
            f"{cast.ballot.evaluation or review.text}\n\nRanking as read: {ranking_text(cast.ballot) or 'none'}",
            f"review by {name_of(review.model)}",
            nonce,
        )
        for review, cast in zip(record.reviews, record.ballots, strict=True)
    ]
    rows = [
        f"{s.place}. {s.label} ({name_of(s.model)}): {_position(s.average_position)}, votes {s.votes}"
        for s in (record.tally.standings if record.tally else ())
    ]
    return pack.fill(
        "synthesis_reviews",
        {
            "label_map": ", ".join(
                f"{name} = {name_of(models[record.labels.author(name)])}" for name in record.labels.names
            ),
            "reviews": "\n\n".join(shown) or "No review was given.",
            "tally": "\n".join(rows) or "No ballot could be counted.",
            "scores": _scores_for_chair(pack, record.scored),
        },
    )


def ranking_text(ballot: Ballot) -> str:
    """Return the ranking as a line, ``Response C > Response A = Response B``; blank for a void ballot."""
    return " > ".join(" = ".join(place) for place in ballot.by_place)


def header(words: str, nonce: str | None) -> str:
    """Return the required header of ``RANKING`` or ``SCORES``; with a nonce, only a header with it counts."""
    return f"{words} {nonce}:" if nonce else f"{words}:"


def _review_object(inp: CouncilInput, nonce: str) -> str:
    """Return the addition for a reply with a schema; blank for an older prompt pack."""
    if "review_object" not in inp.prompts.templates:
        return ""
    code = f', and "code" the code {nonce}' if inp.nonce_header else ""
    scores = inp.prompts.templates["review_scores_object"] if inp.rubric else ""
    return inp.prompts.fill("review_object", {"code": code, "scores": scores})


def _scoring(inp: CouncilInput, labels: Sequence[str], nonce: str) -> str:
    """Return the request for scores; blank without a rubric."""
    if inp.rubric is None:
        return ""
    slots = {
        "criteria": "\n".join(
            f"- {one.name} (weight {one.weight:g})" + (f": {one.about}" if one.about else "")
            for one in inp.rubric.criteria
        ),
        "header": header(SCORES, nonce if inp.nonce_header else None),
        "form": _scores_form(inp.rubric, labels),
    }
    return inp.prompts.fill("review_scores", slots)


def _scores_form(rubric: Rubric, labels: Sequence[str]) -> str:
    heading = f"| answer | {' | '.join(rubric.names)} |"
    rule = "|---" * (len(rubric.names) + 1) + "|"
    return "\n".join([heading, rule, *(f"| {label} |{' ? |' * len(rubric.names)}" for label in labels)])


def _scores_for_chair(pack: PromptPack, scored: ScoreTally | None) -> str:
    """Return the totals of the rubric for the chair's prompt; blank without any."""
    if scored is None:
        return ""
    lines = (
        f"{one.place}. {one.label} ({name_of(one.model)}): {_points(one.total)} ("
        + ", ".join(f"{by.criterion} {_points(by.mean)}" for by in one.criteria)
        + ")"
        for one in scored.standings
    )
    return pack.fill("synthesis_scores", {"scores": "\n".join(lines)})


def _points(mean: float | None) -> str:
    return "not scored" if mean is None else f"{mean:.2f}"


def _form_needed(inp: CouncilInput) -> dict[str, JsonValue]:
    return {} if inp.answer is None else {"form": inp.answer.model_dump(mode="json")}


def _fields_form(inp: CouncilInput, nonce: str) -> str:
    """Return the headers of the chair's lists and of its verdict, each with what is to be written there."""
    code = f" {nonce}" if inp.nonce_header else ""
    return "\n".join(f"{header}{code}:\n{meaning}" for header, meaning in _CHAIR_FORM)


def _form(count: int) -> str:
    return "\n".join(f"{n}. Response ?" for n in range(1, count + 1))


def _position(average: float | None) -> str:
    return "not placed" if average is None else f"average position {average:.2f}"
