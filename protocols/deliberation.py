"""The fields that the inputs and results of all protocols share."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from pydantic import AwareDatetime, Field, JsonValue, model_validator

from protocols.answers import AnswerForm
from protocols.attachments import MOST_ATTACHED, Attachment
from protocols.branch import UNDRAWN, Branch, Origin, RandomDraws, derived_draws
from protocols.cited import CitedSource
from protocols.flaws import Degraded, Flaw, degraded_of, losses
from protocols.instructions import MOST_TURNS, AnsweredTurn, Instructions, compose, shorten
from protocols.model_call import (
    CallTimeouts,
    FrozenModel,
    LostCall,
    Message,
    ModelCall,
    ParticipantId,
    ReaderRef,
    Sampling,
    Spending,
)
from protocols.panel import FailureMode, Panel, Participant
from protocols.prompt_pack import PromptPack
from protocols.spending import sum_spending
from protocols.spending_cap import UNUSED, CapReport, CapUse, SpendingCap

Reason = TypeVar("Reason", bound=str)

_LONGEST_MESSAGE = 1000
"""Characters of a failure, which Temporal shows in lists."""


class DeliberationInput(Instructions):
    """The input of a deliberation. It travels whole with the run, so a deploy changes nothing of it."""

    ANSWER_READERS: ClassVar[frozenset[str]] = frozenset()
    """The readers of replies that answer the question; their calls contain the examples."""
    HAS_CHAIR: ClassVar[bool] = True
    """Whether the panel's chair takes part."""
    BESIDE: ClassVar[tuple[str, ...]] = ()
    """The panel's seats that neither take part nor conclude, in their order."""

    question: str = Field(min_length=1)
    title: str = Field(min_length=1, max_length=120)
    """One line for lists and screens."""
    earlier: tuple[str, ...] = Field(default=(), max_length=MOST_TURNS)
    """Questions of the same conversation that are answered first, each by a deliberation."""
    panel: Panel
    prompts: PromptPack
    attachments: tuple[Attachment, ...] = Field(default=(), max_length=MOST_ATTACHED)
    """Files that are shown in every call that answers, reviews or concludes."""
    web: bool = False
    """Let the providers search the web for the answers of the participants."""
    answer: AnswerForm | None = None
    """The form of the final answer that the question asks for; ``None`` where it asks for none."""
    failure_mode: FailureMode = "resilient"
    sampling: Sampling = Sampling()
    patience: CallTimeouts = CallTimeouts()
    cap: SpendingCap | None = None
    """The most that it may spend; ``None`` without a limit."""
    queues: dict[str, str] = Field(default_factory=dict)
    """Provider to task queue, for the providers whose rate the Temporal server limits; others use the default."""
    clarify: bool = True
    """Give a turn one further call when its reply cannot be read or was cut off by its length."""
    batch_id: str | None = None
    salt: str = ""
    """Set when answers already paid for under the same id must not be used again."""
    draws: RandomDraws | None = None
    """The random draws, those of the deliberation that is repeated where one is; without them the workflow draws."""
    branch: Branch | None = None
    """What it shares with another deliberation, where it continues from one of its rounds."""

    @property
    def given_draws(self) -> RandomDraws | None:
        """The random draws to use; ``None`` where the workflow draws."""
        return self.branch.draws if self.branch else self.draws

    def build_call(self, seat: Participant, text: str, read_as: ReaderRef, **others: Any) -> ModelCall:
        """Return the call that puts ``text`` to ``seat``; ``others`` are further fields of a ``ModelCall``.

        ``messages`` among them replace ``text``; ``protocols.instructions`` describes the messages before them.
        The attached files precede the first message of the user, unless ``shows_files`` is false.
        """
        usual = {"sampling": self.sampling_of(seat), "patience": self.patience, "salt": self.salt}
        own = seat.settings.of_the_request() if seat.settings else {}
        is_answer = read_as.reader in self.ANSWER_READERS
        own |= {"web": True} if is_answer and seat_searches(self.panel, seat, is_on=self.web) else {}
        prompt = others.pop("messages", (Message(role="user", content=text),))
        prompt = _with_files(prompt, self.attachments) if others.pop("shows_files", True) else prompt
        examples = self.example_messages if is_answer else ()
        system = (self.system, seat.settings.system if seat.settings else "")
        messages = compose(prompt, system=system, before=(*examples, *self.preceding))
        asked = {"participant": seat.id, "model": seat.model, "messages": messages, "read_as": read_as}
        return ModelCall(**{**usual, **own, **asked, **others})

    @property
    def seat_names(self) -> dict[ParticipantId, str]:
        """The names of the seats that have one, as a result shows them."""
        return self.panel.names

    @property
    def preceding(self) -> tuple[Message, ...]:
        """The messages of the earlier conversation in every call."""
        return self.context_messages

    def on_turn(self, number: int, question: str) -> Self:
        """Return the input of the deliberation on an earlier turn."""
        title, draws = f"{self.title[:100]} · turn {number}", self.draws
        if draws:  # or a model would know the nonces of the turns that follow
            draws = derived_draws(f"{draws.secret} {number}", self.panel)
        ours = {"question": question, "title": title, "draws": draws}
        return self.model_copy(update={**ours, "earlier": (), "batch_id": None, "turns": ()})

    def with_turn(self, turn: AnsweredTurn) -> Self:
        """Return the input with an answered turn before its question."""
        said = (Message(role="user", content=turn.question), Message(role="assistant", content=turn.verdict or ""))
        context, _ = shorten((*self.context_messages, *said))
        return self.model_copy(update={"context_messages": context, "turns": (*self.turns, turn)})

    @property
    def spent_before(self) -> Spending:
        """The cost of the earlier turns."""
        return sum_spending(turn.spent for turn in self.turns)

    def sampling_of(self, seat: Participant) -> Sampling:
        """Return the parameters of the calls to ``seat``: its own before the deliberation's."""
        return seat.settings.over(self.sampling) if seat.settings else self.sampling

    @model_validator(mode="after")
    def _has_a_question(self) -> Self:
        if not self.question.strip():
            raise ValueError("question is blank")
        return self


class ContinueAsNewState(FrozenModel):
    """The state that a run of a long deliberation passes to its next run, beside the input."""

    panel: Panel
    spent: Spending
    secret: str
    """What nonces are made from."""
    chapter_key: str
    """Under which the ledger keeps the turns of earlier runs."""
    said: int = 0
    """Turns in all earlier runs."""
    started_at: AwareDatetime
    rehearsal: bool = False
    failed_models: tuple[str, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    cited: tuple[CitedSource, ...] = ()
    cap: SpendingCap | None = None
    cap_used: CapUse = UNUSED


class DeliberationResult(Instructions):
    """The result of a deliberation."""

    protocol: str
    deliberation_id: str
    question: str
    verdict: str | None
    """The outcome as text; ``None`` when there is none."""
    answer: str | None = None
    """The final answer, where the question asks for one and it could be read."""
    stop_reason: str
    partial: bool
    """It ended before its rules ended it, or its verdict is cut."""
    failed: tuple[LostCall, ...] = ()
    degraded: Degraded = Degraded()
    """What was lost, unread, guessed or repaired."""
    cited: tuple[CitedSource, ...] = ()
    """The pages that providers named as sources."""
    attachments: tuple[Attachment, ...] = ()
    """The files that were attached."""
    spent: Spending
    budget: CapReport | None = None
    """What it was allowed to spend, where it was limited, and what was left out for it."""
    prompts: str
    """``version@fingerprint`` of the prompt pack that was used."""
    rehearsal: bool = False
    """Scripted models answered: this measures the machinery, not the models."""
    draws: RandomDraws = UNDRAWN
    """What was drawn at random."""
    branch: Origin | None = None
    """The deliberation and the round that it branched off, when it did."""
    names: dict[ParticipantId, str] = Field(default_factory=dict)
    """The names of the seats that were given one."""

    def columns(self) -> dict[str, float | None]:
        """Return the numbers of the list columns by name: ``agreement`` or ``falsehood``, if the protocol has them."""
        return {}

    def scores(self) -> dict[str, float | None]:
        """Return the protocol's measures by name; protocols share the name of a shared measure."""
        return {}

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the votes by seat, and the final answer if the protocol counts answers."""
        return {}


class Ending(NamedTuple, Generic[Reason]):
    """The end of a deliberation as seen by its workflow."""

    deliberation_id: str
    stop_reason: Reason
    spent: Spending = Spending()
    rehearsal: bool = False
    flaws: Sequence[Flaw] = ()
    """What was lost or repaired in its calls."""
    cited: tuple[CitedSource, ...] = ()
    draws: RandomDraws = UNDRAWN
    budget: CapReport | None = None

    def fields(self, inp: DeliberationInput, failed: Sequence[LostCall], flaws: Sequence[Flaw] = ()) -> dict[str, Any]:
        """Return the fields of a result that every protocol fills alike; ``flaws`` are those its rules found."""
        return {
            "deliberation_id": self.deliberation_id,
            "question": inp.question,
            **{name: getattr(inp, name) for name in Instructions.model_fields},
            "stop_reason": self.stop_reason,
            "failed": tuple(failed),
            "degraded": degraded_of((*self.flaws, *flaws), failed),
            "cited": self.cited,
            "attachments": inp.attachments,
            "spent": self.spent,
            "budget": self.budget,
            "prompts": inp.prompts.identity,
            "rehearsal": self.rehearsal,
            "draws": self.draws,
            "branch": inp.branch and inp.branch.origin,
            "names": inp.seat_names,
        }


def describe_failure(result: DeliberationResult, reasons: Mapping[Any, str]) -> str | None:
    """Return the message of a result whose stop reason is one of ``reasons``, with its losses; else ``None``."""
    parts = (reasons.get(result.stop_reason), losses(result.failed))
    return ": ".join(filter(None, parts))[:_LONGEST_MESSAGE] if parts[0] else None


def seat_searches(panel: Panel, seat: Participant, *, is_on: bool) -> bool:
    """Return whether the provider searches the web for the answers of ``seat``.

    The option ``is_on`` of a deliberation is for participants. The concluding seat searches only by its own setting.
    """
    return (is_on and seat.id != panel.chair.id) or bool(seat.settings and seat.settings.web)


def _with_files(messages: tuple[Message, ...], files: tuple[Attachment, ...]) -> tuple[Message, ...]:
    """Return ``messages`` with ``files`` before the content of the user's first one."""
    first = next((at for at, message in enumerate(messages) if message.role == "user"), None)
    if first is None or not files:
        return messages
    shown = messages[first].model_copy(update={"attachments": files})
    return (*messages[:first], shown, *messages[first + 1 :])
