"""The result of one deliberation of a study: question, outcome and cost."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue

from protocols.flaws import FlawKind
from protocols.model_call import FrozenModel

ResultStatus = Literal["completed", "failed", "missing", "open"]

_WITHOUT_VERDICT: Mapping[str, ResultStatus] = {"missing": "missing", "open": "open", "cancelled": "open"}
"""By stop reason; of a deliberation without a line of its own the ledger's reader sets the first two."""


class ResultRow(FrozenModel):
    """One deliberation of a study, completed or missing, with its place there.

    A deliberation outside a study: ``study`` is empty, ``row_id`` its own id, ``arm`` its
    protocol, ``number`` 0 and ``repeat`` 1.
    """

    study: str
    number: int = Field(ge=0)
    """Of the instance in its study, from 0."""
    deliberation_id: str
    row_id: str
    arm: str
    repeat: int = Field(ge=1)
    question: str
    expected: str | None = None
    """What the dataset says is right; ``None`` when it does not say."""
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    """The dataset's other columns that were asked for."""
    shown_options: dict[str, str] = Field(default_factory=dict)
    """Where the options of a multiple choice were shuffled: label as shown to label of the dataset."""
    protocol: str
    protocol_version: str
    prompts: str
    """``version@fingerprint`` of the prompt pack."""
    title: str
    verdict: str | None
    stop_reason: str
    partial: bool
    degraded: bool
    """Something was lost or could not be used as it was meant."""
    flaws: dict[FlawKind, int] = Field(default_factory=dict)
    """By kind, how often something was lost, refused, unread, mended; kinds that did not occur are left out."""
    failure_mode: str
    models: tuple[str, ...]
    """Who was asked to take part, as ``provider:model`` in panel order."""
    served_models: tuple[str, ...]
    upstreams: tuple[str, ...]
    version: str = ""
    """The code that ran it, as a deployment is called; blank of a missing one."""
    seats: tuple[dict[str, JsonValue], ...] = ()
    """By seat its name, its model at the end and its own settings; empty of a missing one."""
    sampling: dict[str, JsonValue] = Field(default_factory=dict)
    """The parameters of all calls; those left to the provider are left out."""
    scores: dict[str, float] = Field(default_factory=dict)
    """What the protocol measured, by name; what was not measured is not there."""
    votes: dict[str, JsonValue] = Field(default_factory=dict)
    quorum: dict[str, JsonValue] = Field(default_factory=dict)
    """By stage: ``{"asked": 4, "answered": 3}``."""
    calls: int = Field(ge=0)
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    cost_usd: float | None
    """The known part in US dollars; ``None`` when nothing is known."""
    calls_of_unknown_cost: int = Field(ge=0)
    calls_of_unknown_tokens: int = Field(default=0, ge=0)
    """Answered calls of which the provider did not report all tokens."""
    unanswered_requests: int = Field(default=0, ge=0)
    """Of calls whose cost is known, the requests without an answer, which may be billed beside it."""
    cost_source: str
    """``provider``, ``price_list``, ``mixed`` or ``unknown``."""
    rehearsal: bool
    """Scripted models answered: this measures the machinery, not the models."""
    started_at: datetime | None = None
    """Of a deliberation that ended with a line of its own; ``None`` of one that is missing."""
    ended_at: datetime | None = None
    missing_reason: str | None = None
    """Why it ended without a line of its own; ``None`` of every other one."""
    result: dict[str, Any] | None = None
    """The protocol's own result, whole; only where it was asked for."""

    @property
    def shown_expected(self) -> str | None:
        """The label of the right option as it was shown; the dataset's where nothing was shuffled."""
        return self.as_shown(self.expected) if self.expected is not None else None

    def as_shown(self, label: str) -> str:
        """Return the label under which the option of the dataset's ``label`` was shown."""
        folded = label.strip().casefold()
        return next((shown for shown, own in self.shown_options.items() if own.casefold() == folded), label)

    def as_labelled(self, shown: str) -> str:
        """Return the dataset's label of the option that was shown under the label ``shown``."""
        folded = shown.strip().casefold()
        return next((own for label, own in self.shown_options.items() if label.casefold() == folded), shown)

    @property
    def seated(self) -> tuple[str, ...]:
        """The models of all seats, the chair's too: those of the panel first."""
        return tuple(dict.fromkeys((*self.models, *(str(one["model"]) for one in self.seats))))

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together, as far as known."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def seconds(self) -> float | None:
        """Return the seconds from start to end; ``None`` for a missing one."""
        start, end = self.started_at, self.ended_at
        return None if start is None or end is None else (end - start).total_seconds()

    @property
    def status(self) -> ResultStatus:
        """Return ``completed`` with a verdict, ``failed`` without one, ``missing`` without a row, else ``open``.

        Open deliberations are in flight or waiting; a cancelled one runs again when its study continues.
        """
        return "completed" if self.verdict is not None else _WITHOUT_VERDICT.get(self.stop_reason, "failed")

    @property
    def outcome(self) -> str:
        """Return the status, or ``degraded`` for a completed one with flaws."""
        return "degraded" if self.status == "completed" and self.degraded else self.status

    @property
    def is_failed(self) -> bool:
        """Return whether it ended without a verdict."""
        return self.verdict is None
