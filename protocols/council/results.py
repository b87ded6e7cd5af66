"""The record of a running council, and its result.

The seed's response structure (seed 002, "Response Structure") is filled here and nowhere else.
"""

from collections.abc import Iterator, Mapping, Sequence

from protocols.anonymity import Labels
from protocols.council import rules
from protocols.council.chair import answer_of, fields_of, unread
from protocols.council.model import (
    Ballot,
    CouncilInput,
    CouncilMetadata,
    CouncilRecord,
    CouncilResult,
    HiddenNames,
    Opinion,
    ReviewSkipped,
    Stage,
    Stage1Entry,
    Stage2Entry,
    Stage3Entry,
    StopReason,
    SubmittedBallot,
)
from protocols.council.rules import count_scores
from protocols.council.wording import UNSCORED_REASONS
from protocols.deliberation import Ending
from protocols.flaws import Flaw, FlawKind, is_cut
from protocols.further_calls import whole_turn
from protocols.model_call import Answered, LostCall, ModelId, ParticipantId, Usage
from protocols.panel import CHAIR, Panel, name_of
from protocols.sources import with_sources
from protocols.transcript import Transcript, Turn, turns_of
from protocols.update_requests import ReplaceParticipant

_FEWEST_TO_RANK = 2

FAILURES: Mapping[StopReason, str] = {
    "no_answers": "no participant answered, so there is nothing to review or conclude",
    "participant_lost": "STRICT mode, and a participant was lost",
    "chair_lost": "STRICT mode, and neither the chair nor a fallback concluded",
}
"""The stop reasons that are failures, in words."""


def review_skipped(inp: CouncilInput, opinions: Sequence[Answered]) -> ReviewSkipped | None:
    """Return the reason for skipping the review, or ``None`` without one."""
    if inp.final_only:
        return "final_only"
    return "one_answer" if len(opinions) < _FEWEST_TO_RANK else None


def shown_answers(opinions: Sequence[Answered], labels: Labels, order: Sequence[str]) -> dict[str, str]:
    """Label to answer as peers see it, in the order in which one reviewer sees them."""
    texts = [(answer, Opinion.model_validate(answer.reading).shown) for answer in opinions]
    shown = {labels.of(answer.participant): with_sources(text, answer.sources) for answer, text in texts}
    return {label: shown[label] for label in order}


def cast(review: Answered, labels: Labels, order: Sequence[str]) -> SubmittedBallot:
    """Return the ballot in a review, with its reviewer and the shown order."""
    own = labels.of(review.participant) if review.participant in labels.authors else None
    return SubmittedBallot(
        reviewer=review.participant,
        model=review.model,
        own_label=own,
        shown_order=tuple(order),
        ballot=Ballot.model_validate(review.reading),
    )


def counted(inp: CouncilInput, record: CouncilRecord) -> CouncilRecord:
    """Return the record with the count of its ballots, and with a rubric of its scores."""
    if record.labels is None:
        return record
    models = authors(record.opinions)
    exclude = inp.exclude_self_votes
    tally = rules.tally(record.labels, models, record.ballots, exclude_self_votes=exclude)
    scored = inp.rubric and count_scores(inp.rubric, record.labels, models, record.ballots, exclude_self_votes=exclude)
    return record.model_copy(update={"tally": tally, "scored": scored})


def void_in_strict(inp: CouncilInput, ballots: Sequence[SubmittedBallot]) -> tuple[LostCall, ...]:
    """Return the void ballots that STRICT counts as lost participants; RESILIENT counts the others."""
    if inp.failure_mode == "resilient":
        return ()
    return tuple(
        LostCall(
            participant=cast.reviewer,
            model=cast.model,
            stage="review",
            kind="unparseable",
            error_type="reply.unparseable",
            message=rules.why_void(cast.ballot)[:500],
            attempts=1,
        )
        for cast in ballots
        if cast.ballot.standing == "void"
    )


def authors(opinions: Sequence[Answered]) -> dict[ParticipantId, ModelId]:
    """Return the author model of each participant's answer, even if replaced since."""
    return {answer.participant: answer.model for answer in opinions}


def chair_answers(opinions: Sequence[Answered]) -> dict[str, str]:
    """Return the answers for the chair by model name; a model with two seats is distinguished by seat."""
    names = [name_of(answer.model) for answer in opinions]
    return {
        name if names.count(name) == 1 else f"{name} ({answer.participant})": with_sources(answer.text, answer.sources)
        for name, answer in zip(names, opinions, strict=True)
    }


def chairs(panel: Panel, record: CouncilRecord) -> tuple[ModelId, ...]:
    """Return the candidates for the chair in order: the chair, its fallbacks, by default the best answer's model."""
    fallbacks = panel.chair_fallbacks or (_best(record).model,)
    return tuple(dict.fromkeys((panel.chair.model, *fallbacks)))


def refuse_replacement(record: CouncilRecord, stage: str, request: ReplaceParticipant) -> None:
    """Refuse to replace a participant without remaining calls.

    Raises:
        ValueError: the seat was lost, or only the chair is still to be asked.
    """
    if request.participant == CHAIR:
        return
    if stage == "synthesis":
        raise ValueError(f"{request.participant!r} has nothing left to do: only the chair is still to be asked")
    if stage == "review" and request.participant not in {answer.participant for answer in record.opinions}:
        raise ValueError(f"{request.participant!r} gave no answer, and only those that answered may review")


def transcript(record: CouncilRecord) -> Transcript:
    """Return all turns, in the order of the stages."""
    labels = record.labels

    def turns(replies: Sequence[Answered], stage: Stage) -> list[Turn]:
        shown = labels if stage == "opinion" else None
        each = (turns_of(reply, stage, label=shown.of(reply.participant) if shown else None) for reply in replies)
        return [turn for said in each for turn in said]

    chair = fields_of(record.synthesis)
    verdict = {"text": chair.verdict} if chair and chair.verdict else {}
    concluded = [record.synthesis.model_copy(update=verdict)] if record.synthesis else []
    written = [
        review.model_copy(update={"text": review_text(review, cast.ballot)})
        for review, cast in zip(record.reviews, record.ballots, strict=True)
    ]
    opinions, reviews = turns(record.opinions, "opinion"), turns(written, "review")
    return Transcript(turns=(*opinions, *reviews, *turns(concluded, "synthesis")))


def review_text(review: Answered, ballot: Ballot) -> str:
    """Return a review as it is shown: one that is an object as its paragraphs and its ranking, any other as written."""
    if not ballot.evaluation:
        return review.text
    places = (f"{number}. {' = '.join(place)}" for number, place in enumerate(ballot.by_place, start=1))
    return "\n".join((ballot.evaluation, "", *places)).rstrip()


def build_result(inp: CouncilInput, record: CouncilRecord, ending: Ending[StopReason]) -> CouncilResult:
    """Return the result of a council that ended with these minutes."""
    stage3 = _stage3(record)
    return CouncilResult(
        stage1=tuple(
            Stage1Entry(model=name_of(a.model), response=a.text, usage=a.usage, provider=a.provider)
            for a in record.opinions
        ),
        stage2=tuple(
            Stage2Entry(model=name_of(r.model), ranking=review_text(r, cast.ballot), parsed_ranking=cast.ballot.ranking)
            for r, cast in zip(record.reviews, record.ballots, strict=True)
        ),
        stage3=stage3,
        metadata=_metadata(record),
        verdict=stage3.response if stage3 else None,
        answer=answer_of(record.synthesis),
        synthesis=record.synthesis_by,
        partial=ending.stop_reason != "verdict" or _is_cut(record),
        review_skipped=record.review_skipped,
        labels=record.labels,
        ballots=record.ballots,
        tally=record.tally,
        rubric=inp.rubric,
        scored=record.scored,
        analysis=chair.analysis if (chair := fields_of(record.synthesis)) else None,
        uncounted=rules.uncounted(record.ballots) if record.reviews and record.tally is None else "",
        names_hidden=_names_hidden(record.opinions),
        transcript=transcript(record),
        **ending.fields(inp, record.lost, flaws_of(record)),
    )


def flaws_of(record: CouncilRecord) -> tuple[Flaw, ...]:
    """Return the flaws beyond those of calls: void or repaired ballots, ties, a verdict without a chair."""
    ballots = [flaw for cast in record.ballots for flaw in _flaws_of_ballot(cast)]
    ties = rules.ties_broken(record.tally) if record.tally else ()
    winner = record.tally.winner.author if record.tally else CHAIR
    broken = [Flaw(kind="tie_broken", stage="review", participant=winner, note=tie) for tie in ties]
    chair = _without_chair(record)
    return (*ballots, *broken, *([chair] if chair else []), *unread(record.synthesis))


def _best(record: CouncilRecord) -> Answered:
    """Return the winning answer, or without a tally the first in panel order."""
    if record.tally is None:
        return record.opinions[0]
    winner = record.tally.winner.author
    return next(answer for answer in record.opinions if answer.participant == winner)


def _is_cut(record: CouncilRecord) -> bool:
    standing = _best(record) if record.synthesis_by == "fallback" else None
    return is_cut(record.synthesis or standing)


def _names_hidden(opinions: Sequence[Answered]) -> tuple[HiddenNames, ...]:
    read = [(answer, Opinion.model_validate(answer.reading).names_hidden) for answer in opinions]
    return tuple(HiddenNames(participant=a.participant, model=a.model, names=names) for a, names in read if names)


def _flaws_of_ballot(cast: SubmittedBallot) -> Iterator[Flaw]:
    """Yield the flaws of a ballot and of its scores; none where both are in the requested form."""
    ballot, card = cast.ballot, cast.ballot.card
    repairs = "; ".join(ballot.repairs)
    if ballot.standing == "void":
        why = rules.why_void(ballot)
        note = f"no ranking could be read: {why}" if repairs else why
        yield Flaw(kind="void_ballot", stage="review", participant=cast.reviewer, note=note)
    elif repairs:
        yield Flaw(kind="repaired", stage="review", participant=cast.reviewer, note=repairs)
    if card and card.repairs:
        kind: FlawKind = "unread" if card.standing == "void" else "repaired"
        note = f"scores: {'; '.join(UNSCORED_REASONS.get(why, why) for why in card.repairs)}"
        yield Flaw(kind=kind, stage="review", participant=cast.reviewer, note=note)


def _without_chair(record: CouncilRecord) -> Flaw | None:
    """Return who concluded in place of the chair, and whether it judged its own win."""
    by, winner = record.synthesis_by, record.tally.winner if record.tally else None
    if by not in {"fallback_chair", "fallback"}:
        return None
    if record.synthesis:
        note = f"{name_of(record.synthesis.model)} wrote the verdict in place of the chair"
        if winner and winner.model == record.synthesis.model:
            note += f", and its own answer ({winner.label}) is the one that the tally puts first"
    else:
        stands = f"the answer that the tally puts first ({winner.label})" if winner else "the first answer"
        note = f"no chair answered: the verdict is {stands}, by {name_of(_best(record).model)}"
    return Flaw(kind="fallback_chair", stage="synthesis", participant=CHAIR, note=note)


def _stage3(record: CouncilRecord) -> Stage3Entry | None:
    if record.synthesis:
        written = record.synthesis
        chair = fields_of(written)
        response = chair.verdict if chair and chair.verdict else whole_turn(written)
        return Stage3Entry(model=name_of(written.model), response=response, usage=written.usage)
    if record.synthesis_by == "fallback":
        best = _best(record)
        return Stage3Entry(model=name_of(best.model), response=best.text, usage=Usage())
    return None


def _metadata(record: CouncilRecord) -> CouncilMetadata:
    if record.labels is None:
        return CouncilMetadata()
    models = authors(record.opinions)
    labels = record.labels
    return CouncilMetadata(
        label_to_model={name: name_of(models[labels.author(name)]) for name in labels.names},
        aggregate_rankings=rules.aggregate(record.tally) if record.tally else (),
    )
