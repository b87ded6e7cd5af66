"""The ordered turns of a deliberation: participant, round, stage and text."""

from protocols.model_call import Answered, FrozenModel, ModelId, ParticipantId

ARE_LOADING = "are being loaded"
"""In the answer of a run that has just started to the query ``transcript``; clients ask again."""


class Turn(FrozenModel):
    """One contribution of one participant."""

    participant: ParticipantId
    model: ModelId
    round: int = 1
    stage: str
    text: str
    label: str | None = None
    """The name under which peers saw it, when they saw it under another name."""
    counts: bool = True
    """False for the reply of a turn in whose place another one counts, or that could not be used when asked again."""
    note: str = ""
    """What is to be known of it, in one line: that it was cut off, or could not be used and was asked for once more."""


class Transcript(FrozenModel):
    """All turns, in the protocol's order."""

    turns: tuple[Turn, ...] = ()


CUT = "cut off by its length"
"""The note of a turn that ends where the model was stopped."""


def note_of(reply: Answered) -> str:
    """Return the note on the valid reply of a turn; blank without one."""
    return next((turn.note for turn in turns_of(reply, "") if turn.counts), "")


def turns_of(reply: Answered, stage: str, round_number: int = 1, label: str | None = None) -> tuple[Turn, ...]:
    """Return what one participant said in one turn.

    A further call makes two turns of it, in the order in which they were written; the note of each says which it is.
    """
    said = Turn(
        participant=reply.participant,
        model=reply.model,
        round=round_number,
        stage=stage,
        text=reply.text,
        label=label,
        note=CUT if reply.finish == "truncated" else "",
    )
    made = reply.further
    if made is None:
        return (said,)
    why = "twice the length was allowed once more" if made.kind == "longer" else f"asked again: {made.sentence}"
    first = f"{CUT}; {why}" if made.kind == "longer" else f"could not be used; {why}"
    other = said.model_copy(update={"text": made.other, "label": None, "counts": False})
    if made.outcome == "replaced":
        answer = "; ".join(part for part in ("the answer to being asked again", said.note) if part)
        earlier = (other.model_copy(update={"note": first}),) if made.other.strip() else ()
        return (*earlier, said.model_copy(update={"note": answer}))
    came = "could not be used either" if made.outcome == "unclear" else f"lost ({made.outcome})"
    stands = said.model_copy(update={"note": f"{first} The further reply: {came}."})
    later = other.model_copy(update={"note": f"the answer to being asked again; {came}"})
    return (stands, *((later,) if made.other.strip() else ()))
