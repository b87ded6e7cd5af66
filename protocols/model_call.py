"""One call to a model: request and reply.

One question to one model is a ``ModelCall``. What comes back is a ``Reply``, a closed union::

    Reply = Answered | Failed

A lost model is therefore a value that the protocol decides about. Both sides say what was paid.

Every value is frozen, finite and safe to store in a Temporal history: it contains no key, address or header. Unknown
fields are ignored when a value is read, so that an older worker can read what a newer one wrote.
"""

from typing import Annotated, Any, Literal, NewType

from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag

from protocols.attachments import Attachment
from protocols.sources import SourceLink
from protocols.time_spans import DAY

ModelId = NewType("ModelId", str)
"""``provider:model``, for example ``openrouter:anthropic/claude-opus-4.6``. Made only by ``panel.route``."""

ParticipantId = NewType("ParticipantId", str)
"""``p1`` … ``pn`` in panel order, or ``chair``. Identity inside a run is this, never the model id."""

FailureKind = Literal["timeout", "api_error", "rate_limited", "unparseable", "refused", "truncated", "budget"]
"""Why a model was lost. ``budget`` is money or credit; ``api_error`` is everything the provider answered wrongly."""

Effort = Literal["minimal", "low", "medium", "high"]
"""How much a model that reasons is to think."""

CostSource = Literal["provider", "price_list", "unknown"]
"""The source of a cost figure: the provider's own accounting, the price library, or none."""


class FrozenModel(BaseModel):
    """A value: it never changes after it was made, and holds no number that is not finite."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class ActivityValue(FrozenModel):
    """An argument or a result of an activity: in a history it is without its defaults, and compressed when it is long.

    A default of such a class is therefore part of every history, and never changes.
    """


class Heartbeat(dict[str, Any]):
    """The details of a heartbeat. Each replaces the last one, so none becomes a file, which nothing deletes."""


class Message(FrozenModel):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str
    attachments: tuple[Attachment, ...] = ()
    """Files that are sent before the content, of a user's message alone."""


class Sampling(FrozenModel):
    """Sampling parameters. Only set ones are sent; ``None`` leaves the choice to the provider."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    """Longest answer in tokens, reasoning included."""
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)
    reasoning_effort: Effort | None = None
    structured_output: bool = True
    """Send the JSON schema of the reply where the reader has one and the provider and the model take it."""


class CallTimeouts(FrozenModel):
    """The time limits of one attempt, in seconds, and the limits on retries of a call.

    ``total`` is the seed's limit (120 s for the council, section "Successful Stage 1") and bounds one attempt; ``None``
    where the seed sets none (seed 004, "Safety Limits"). ``first_token`` and ``between_chunks`` notice a provider that
    accepts a call and then stays silent.
    """

    total: float | None = Field(default=120.0, gt=0, le=86_400)
    first_token: float = Field(default=90.0, gt=0, le=86_400)
    between_chunks: float = Field(default=60.0, gt=0, le=86_400)
    attempts: int = Field(default=6, ge=1, le=10_000)
    """How often an answer may break off in the middle, and how often a worker may die over the call."""
    away: float = Field(default=900.0, ge=0, le=30 * DAY)
    """For how long a provider that is away is waited for, from its first failure; such tries cost nothing."""
    heartbeat: float = Field(default=10.0, ge=1, le=600)
    """After so many seconds without a heartbeat the worker is taken for dead and the call goes to another."""


class ReaderRef(FrozenModel):
    """The reader of a reply, with its parameters.

    Text is read once, where it enters, in the activity: a better reader tomorrow must not change the branch that a
    running workflow took yesterday.
    """

    reader: str
    """``<protocol>.<name>``, for example ``council.ballot``; the activities have the table of readers."""
    needs: dict[str, JsonValue] = Field(default_factory=dict)


class ModelCall(ActivityValue):
    """One question to one model: everything the activity needs and nothing secret."""

    call_id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """Unique in a deliberation and the same on every attempt, run and reset: ``opinion-p1``, ``review-p2``."""
    participant: ParticipantId
    model: ModelId
    stage: str
    round: int = Field(default=1, ge=1)
    messages: tuple[Message, ...] = Field(min_length=1)
    sampling: Sampling = Sampling()
    stop: tuple[str, ...] = ()
    """Texts at which the answer ends."""
    routing: dict[str, JsonValue] = Field(default_factory=dict)
    """The endpoints that OpenRouter may choose, as its API takes them."""
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    """Additional fields of the request."""
    web: bool = False
    """Let the provider search the web."""
    patience: CallTimeouts = CallTimeouts()
    read_as: ReaderRef
    schema_instruction: str = ""
    """Text that is added to the last message when the JSON schema of the reply is sent, and only then. A prompt that
    asks for JSON anyway needs none."""
    salt: str = ""
    """Set when a fresh sample of the same call is wanted; part of the call's identity."""
    shared_with: str | None = None
    """The deliberation that was asked the same and paid for it: its answer is looked up, and nothing is bought."""


class Usage(FrozenModel):
    """Tokens as the provider counted them; ``None`` is unknown, never zero."""

    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    """Everything billed as output, reasoning included."""
    reasoning_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)

    @property
    def total_tokens(self) -> int | None:
        """Prompt and completion together, or ``None`` when neither is known."""
        known = [n for n in (self.prompt_tokens, self.completion_tokens) if n is not None]
        return sum(known) if known else None


class Cost(FrozenModel):
    """The cost in US dollars; ``usd`` is ``None`` exactly when the source is ``unknown``."""

    usd: float | None = Field(default=None, ge=0)
    source: CostSource = "unknown"


class FurtherCall(FrozenModel):
    """The one call besides the first one of a turn, and its outcome."""

    kind: Literal["again", "longer"]
    """``again``: the reply could not be read, and one sentence said what is wanted. ``longer``: the reply was cut off
    by its length, and twice the length was allowed."""
    call_id: str
    sentence: str = ""
    """The further request to the model; blank for ``longer``."""
    outcome: Literal["replaced", "unclear"] | FailureKind
    """``replaced``: its reply is the one that counts. Otherwise the first reply counts, because the further one could
    not be read either, or was lost."""
    other: str = ""
    """The text of the reply that does not count: the first one when it was replaced, else the further one."""


class Answered(ActivityValue):
    """An answer: text, reading, served model and cost."""

    kind: Literal["answered"] = "answered"
    call_id: str
    participant: ParticipantId
    model: ModelId
    text: str
    """The answer as the model wrote it, without reasoning; blank when the model thought and gave none. What cannot be
    stored was replaced, and ``repairs`` says so."""
    reasoning: str | None = None
    """What the model thought, sent apart by the provider or written into the reply. Never shown to peers."""
    reading: JsonValue = None
    """The reader's result as JSON; the protocol gives it its type."""
    usage: Usage = Usage()
    cost: Cost = Cost()
    provider: str
    """The name of the endpoint in the providers file."""
    served_model: str | None = None
    """The model that answered according to the provider; may differ from the one asked for."""
    upstream: str | None = None
    """Who ran it behind a router (OpenRouter's ``provider``)."""
    request_id: str | None = None
    finish: Literal["complete", "truncated"] = "complete"
    repairs: tuple[str, ...] = ()
    sources: tuple[SourceLink, ...] = ()
    """The pages that the provider names as its sources."""
    asked_with_schema: bool = False
    """The JSON schema of the reply was sent with the request. Not every endpoint that takes one keeps to it."""
    attempts: int = Field(default=1, ge=1)
    unanswered_requests: int = Field(default=0, ge=0)
    """Requests of earlier attempts that ended without an answer; the provider reported nothing, and may bill them."""
    seconds: float = Field(default=0.0, ge=0)
    """From the request of the successful attempt to its last byte."""
    first_token_seconds: float | None = Field(default=None, ge=0)
    further: FurtherCall | None = None
    """The further call of this turn, when one was made."""
    rehearsal: bool = False


class Failed(ActivityValue):
    """A model was lost for this call, after everything that could be tried was tried."""

    kind: FailureKind
    call_id: str
    participant: ParticipantId
    model: ModelId
    error_type: str
    """The finer name, for example ``provider.rate_limited``; the table is in ``activities/retry_posture.py``."""
    message: str = Field(max_length=500)
    status: int | None = None
    """HTTP status, or the code inside an error with status 200."""
    attempts: int = Field(default=1, ge=0)
    unanswered_requests: int = Field(default=0, ge=0)
    """Requests that ended without an answer; the provider reported nothing, and may bill them."""
    text: str = ""
    """What the model wrote before it was lost, when it wrote something: it was paid for."""
    usage: Usage = Usage()
    cost: Cost = Cost()
    rehearsal: bool = False


def _tag(value: Any) -> str:
    """Return which reply ``value`` is; one without its defaults says nothing of its kind."""
    kind = value.get("kind", _ANSWERED) if isinstance(value, dict) else value.kind
    return _ANSWERED if kind == _ANSWERED else "failed"


_ANSWERED = "answered"

Reply = Annotated[Annotated[Answered, Tag(_ANSWERED)] | Annotated[Failed, Tag("failed")], Discriminator(_tag)]
"""The reply of one call."""


class LostCall(FrozenModel):
    """A call that was lost or could not be used, as a result reports it."""

    participant: ParticipantId
    model: ModelId
    stage: str
    round: int = 1
    kind: FailureKind
    error_type: str
    message: str
    attempts: int


def lost_call(reply: Answered | Failed, stage: str, round_number: int = 1, unread: str = "") -> LostCall:
    """Convert ``reply`` to a lost call of a result; an answer is lost for the reason ``unread``."""
    lost = {"kind": "unparseable", "error_type": "reply.unparseable", "message": unread[:500]}
    if isinstance(reply, Failed):
        lost = {"kind": reply.kind, "error_type": reply.error_type, "message": reply.message}
    known = {"participant": reply.participant, "model": reply.model, "attempts": reply.attempts}
    return LostCall.model_validate({**known, **lost, "stage": stage, "round": round_number})


class Spending(FrozenModel):
    """The spending over any number of calls."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    """The known part; a lower bound while ``calls_of_unknown_cost`` is not zero."""
    calls_of_unknown_cost: int = 0
    calls_of_unknown_tokens: int = 0
    """Of the answers, how many came without a count of their tokens, which are no part of the sums."""
    unanswered_requests: int = 0
    """Of calls whose cost is known, the requests without an answer, which may be billed beside it."""
    shared_calls: int = 0
    """Answers that another deliberation paid for; no part of the numbers above."""
    answered: dict[str, int] = Field(default_factory=dict)
    """By provider, how many of the calls were answered."""

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together, as far as known."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def known_usd(self) -> float | None:
        """The known part of the cost, or ``None`` when calls were made and the cost of none is known."""
        return None if self.calls and self.calls_of_unknown_cost == self.calls else self.usd
