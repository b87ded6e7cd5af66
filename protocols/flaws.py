"""Flaws: everything that went into a result and was lost, could not be used as meant, or was mended on the way.

Every protocol's result has a ``Degraded``: a count for each kind of flaw, and the flaws themselves in the order in
which they were found. Some kinds degrade a result, because an answer is missing or may mean something else than its
number says; the others are only stated::

    degrades a result                               is only stated
    lost            the call failed                 asked_again   asked once more in the same turn
    refused         the model declined to answer    repaired      read after its form was mended
    cut             ends at its length limit        tie_broken    equal answers, put in order by rule
    unread          no reader understood it         contradicted  a number against its own reasoning
    void_ballot     the review orders no answer
    guessed         a number found by keywords
    fallback_chair  the chair was lost, another
                    model concluded
    fallback_model  a model was lost, and the
                    next of its seat answered

``partial`` is another thing: the deliberation did not run to the end that its rules give it, or its verdict is cut. A
fire circle is partial, too, when a model left the dialogue (seed 000, section 5.3).

A fallback takes the seat of a lost model where another model cures the loss (``CURED``). It does not where money,
credit or a budget is used up, a key or a setting must be corrected by a user, the model itself refused (that is its
answer), a user stopped or gave up the call, a worker was lost over it, or a shared round has no answer.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, computed_field

from protocols.model_call import Answered, Failed, FrozenModel, LostCall, ModelCall, ModelId, ParticipantId
from protocols.panel import Participant, name_of

FlawKind = Literal[
    "lost",
    "refused",
    "cut",
    "unread",
    "void_ballot",
    "guessed",
    "fallback_chair",
    "fallback_model",
    "asked_again",
    "repaired",
    "tie_broken",
    "contradicted",
]
KINDS: tuple[FlawKind, ...] = get_args(FlawKind)
"""In the order in which they are stated."""

DEGRADING: frozenset[FlawKind] = frozenset(
    {"lost", "refused", "cut", "unread", "void_ballot", "guessed", "fallback_chair", "fallback_model"}
)
"""The kinds that make a result a degraded one."""

WORDS: Mapping[FlawKind, tuple[str, str]] = {kind: (kind.replace("_", " "),) * 2 for kind in KINDS} | {
    "void_ballot": ("ballot void", "ballots void"),
    "fallback_chair": ("fallback chair", "fallback chairs"),
    "fallback_model": ("fallback model", "fallback models"),
    "tie_broken": ("tie broken", "ties broken"),
}
"""The word after a count of one, and after a higher one."""

_BY_FAILURE: Mapping[str, FlawKind] = {"refused": "refused", "truncated": "cut", "unparseable": "unread"}
"""Of calls that failed; every other one is ``lost``."""

_LONGEST_NOTE = 200


def _shortened(note: str) -> str:
    line = " ".join(note.split())
    return line if len(line) <= _LONGEST_NOTE else f"{line[: _LONGEST_NOTE - 1]}…"


class Flaw(FrozenModel):
    """A reply or decision with a flaw."""

    kind: FlawKind
    stage: str
    round: int = Field(default=1, ge=1)
    participant: ParticipantId
    note: Annotated[str, AfterValidator(_shortened)] = ""
    """Why, in one line; a longer text is shortened."""


class Degraded(FrozenModel):
    """The losses and repairs behind a result, in one form for every protocol. Created by ``degraded_of``."""

    counts: dict[FlawKind, int] = Field(default_factory=dict)
    """By kind, only those that occurred."""
    flaws: tuple[Flaw, ...] = ()
    """In the order in which they were found."""

    @computed_field  # type: ignore[prop-decorator] # mypy supports no decorator above a property
    @property
    def is_degraded(self) -> bool:
        """Return whether anything was lost or unusable."""
        return any(self.counts.get(kind) for kind in DEGRADING)

    @computed_field  # type: ignore[prop-decorator] # as above
    @property
    def summary(self) -> str:
        """The counts in words, ``2 refused, 1 ballot void; also 1 asked again``; blank where nothing occurred."""
        return summarise(self.counts)

    @property
    def line(self) -> str:
        """The counts as every screen states them: ``degraded: 2 refused``; blank where nothing occurred."""
        return state_flaws(self.counts)


def degraded_of(flaws: Iterable[Flaw], failed: Iterable[LostCall] = ()) -> Degraded:
    """Count ``flaws``, and add one for each of ``failed`` that none of them names."""
    found = list(flaws)
    named = {(flaw.stage, flaw.round, flaw.participant) for flaw in found if flaw.kind in DEGRADING}
    found += [_of_loss(call) for call in failed if (call.stage, call.round, call.participant) not in named]
    counted = Counter(flaw.kind for flaw in found)
    return Degraded(counts={kind: counted[kind] for kind in KINDS if counted[kind]}, flaws=tuple(found))


def flaw_of(call: ModelCall, reply: Answered | Failed) -> Flaw | None:
    """Return the flaw of a failed call or a cut answer, ``None`` for a whole answer."""
    if isinstance(reply, Failed):
        kind, note = kind_of(reply.kind), f"{reply.kind}: {reply.message}"
    elif reply.finish == "truncated":
        kind, note = "cut", "the reply ends at its length limit"
    else:
        return None
    return Flaw(kind=kind, stage=call.stage, round=call.round, participant=call.participant, note=note)


def kind_of(failure: str) -> FlawKind:
    """Return the kind of flaw of a call with the failure ``failure``."""
    return _BY_FAILURE.get(failure, "lost")


def asked_again(call: ModelCall, reply: Answered | Failed) -> Flaw | None:
    """Return the flaw of a turn with a further call, ``None`` without one."""
    made = reply.further if isinstance(reply, Answered) else None
    if made is None:
        return None
    note = "cut off by its length" if made.kind == "longer" else made.sentence
    return Flaw(kind="asked_again", stage=call.stage, round=call.round, participant=call.participant, note=note)


def words_of(flaw: Flaw, names: Mapping[ParticipantId, str]) -> str:
    """Name one flaw in words: ``refused, opinion p2``, with the name of its seat, and with a later round."""
    place = f"{flaw.stage} {names.get(flaw.participant, flaw.participant)}" + (
        f", round {flaw.round}" if flaw.round > 1 else ""
    )
    return f"{WORDS[flaw.kind][0]}, {place}"


def total(counts: Iterable[Mapping[FlawKind, int]]) -> dict[FlawKind, int]:
    """Add up the counts of several results."""
    counted: Counter[FlawKind] = Counter()
    for one in counts:
        counted.update(one)
    return {kind: counted[kind] for kind in KINDS if counted[kind]}


def is_cut(reply: Answered | None) -> bool:
    """Return whether ``reply`` ends at its length limit."""
    return reply is not None and reply.finish == "truncated"


def state_flaws(counts: Mapping[FlawKind, int]) -> str:
    """Format ``counts`` as one line for every screen; blank without flaws."""
    if not counts:
        return ""
    is_degraded = not DEGRADING.isdisjoint(kind for kind, count in counts.items() if count)
    return f"{'degraded' if is_degraded else 'not degraded'}: {summarise(counts)}"


def summarise(counts: Mapping[FlawKind, int]) -> str:
    """Put ``counts`` into words: the kinds that degrade first, the others behind ``also``."""
    degrading = _counted(counts, [kind for kind in KINDS if kind in DEGRADING])
    stated = _counted(counts, [kind for kind in KINDS if kind not in DEGRADING])
    return "; also ".join(part for part in (degrading, stated) if part)


def losses(failed: Iterable[LostCall]) -> str:
    """List ``failed`` in one line: seat, model, round, kind and message."""
    named = ((one, _shortened(one.message)) for one in failed)
    return "; ".join(
        f"{one.participant} {name_of(one.model)} (round {one.round}, {one.kind}: {why})" for one, why in named
    )


def _counted(counts: Mapping[FlawKind, int], kinds: Iterable[FlawKind]) -> str:
    counted = ((counts.get(kind, 0), WORDS[kind]) for kind in kinds)
    return ", ".join(f"{count:,} {words[count > 1]}" for count, words in counted if count)


def _of_loss(call: LostCall) -> Flaw:
    note = f"{call.kind}: {call.message}"
    return Flaw(kind=kind_of(call.kind), stage=call.stage, round=call.round, participant=call.participant, note=note)


CURED = frozenset(
    {
        *("provider.rate_limited", "provider.quota_exhausted", "provider.unavailable", "provider.transport"),
        *("provider.gateway", "provider.redirect", "provider.tls", "provider.broken_off", "provider.stalled"),
        *("provider.bad_response", "provider.empty", "provider.timeout", "provider.moderated"),
        *("provider.bad_request", "provider.not_found", "provider.too_large"),
        *("reply.blank", "reply.unparseable", "reply.truncated"),
    }
)
"""The types of failure after which a fallback is asked."""


def next_model(seat: Participant, reply: Failed) -> ModelId | None:
    """Return the fallback for ``seat`` after ``reply``, or ``None``."""
    return seat.fallbacks[0] if seat.fallbacks and reply.error_type in CURED else None


def fallback_flaw(call: ModelCall, reply: Failed, model: ModelId) -> Flaw:
    """Return the flaw of a turn with the fallback ``model``, and the reason."""
    note = f"{name_of(model)} in place of {name_of(reply.model)} ({reply.kind}: {reply.message})"
    return Flaw(kind="fallback_model", stage=call.stage, round=call.round, participant=call.participant, note=note)
