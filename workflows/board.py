"""What a person sees while a deliberation runs.

One board stands in every workflow. The schedule tells it what happens; it keeps the ``Progress``, writes the Web UI's
details (which cost no history) and the list columns (one event each time, so only when a stage opens and at the end).
"""

from collections.abc import Sequence
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeUpdate

from protocols.exchange import Answered, Failed, ParticipantId, spent
from protocols.panel import Participant, name_of
from protocols.progress import Progress, Seat, SeatStatus, StageBar, StageStatus
from workflows import columns, details


class Board:
    """The state of one deliberation as people see it."""

    def __init__(
        self, protocol: str, title: str, question: str, stages: Sequence[str], *, rehearsal: bool = False
    ) -> None:
        self._question = question
        self._replies: list[Answered | Failed] = []
        self._findings = ""
        self._verdict: str | None = None
        self._progress = Progress(
            protocol=protocol,
            title=title,
            stages=tuple(StageBar(name=name) for name in stages),
            rehearsal=rehearsal,
        )

    @property
    def progress(self) -> Progress:
        """Where the deliberation stands now."""
        return self._progress

    def open_stage(self, name: str, seats: Sequence[Participant], *, round_number: int = 1) -> None:
        """A stage begins: its bar runs and its seats are ready."""
        self._set_bar(name, "running", done=0, of=len(seats))
        before = (*self._progress.earlier, *self._progress.seats)
        self._progress = self._progress.model_copy(
            update={
                "stage": name,
                "round": round_number,
                "seats": tuple(Seat(participant=p.id, model=p.model, stage=name, round=round_number) for p in seats),
                "earlier": tuple(seat for seat in before if seat.round == round_number),
            }
        )
        workflow.upsert_search_attributes([columns.STAGE.value_set(name), columns.ROUND.value_set(round_number)])
        self._publish()

    def asked(self, seat: Participant, call_id: str) -> None:
        """A seat's model is being asked."""
        self._set_seat(seat.id, "running", seat=seat, call_id=call_id)

    def heard(self, reply: Answered | Failed) -> None:
        """A seat's model answered or was lost; what it used counts from now on."""
        self._replies.append(reply)
        self._progress = self._progress.model_copy(
            update={
                "spent": spent(self._replies),
                "rehearsal": self._progress.rehearsal or reply.rehearsal,
            }
        )
        bar = next(bar for bar in self._progress.stages if bar.name == self._progress.stage)
        self._set_bar(bar.name, bar.status, done=bar.done + 1, of=bar.of)
        if reply.kind == "answered":
            self._set_seat(reply.participant, "answered")
        else:
            self._set_seat(reply.participant, "lost", note=f"lost ({reply.kind}): {reply.message[:120]}")

    def close_stage(self, name: str) -> None:
        """A stage is over."""
        bar = next(bar for bar in self._progress.stages if bar.name == name)
        self._set_bar(name, "completed", done=bar.done, of=bar.of)
        self._publish()

    def skip_stage(self, name: str) -> None:
        """A stage is left out."""
        self._set_bar(name, "skipped", done=0, of=0)
        self._publish()

    def found(self, findings: str) -> None:
        """Something to show beside the seats, for example the tally, as plain aligned text."""
        self._findings = findings
        self._publish()

    def end(self, stop_reason: str, *, verdict: str | None = None, agreement: float | None = None) -> None:
        """The deliberation is over; the list columns get their last values."""
        self._verdict = verdict
        self._progress = self._progress.model_copy(update={"stop_reason": stop_reason, "stage": "ended"})
        totals = self._progress.spent
        lost = sorted({name_of(r.model) for r in self._replies if r.kind != "answered"})
        ending: list[SearchAttributeUpdate[Any]] = [
            columns.STAGE.value_set("ended"),
            columns.STOP_REASON.value_set(stop_reason),
            columns.TOKENS.value_set(totals.tokens),
            columns.COST_USD.value_set(totals.usd),
        ]
        if lost:
            ending.append(columns.FAILED_MODELS.value_set(lost))
        if self._progress.rehearsal:
            ending.append(columns.REHEARSAL.value_set(self._progress.rehearsal))
        if agreement is not None:
            ending.append(columns.AGREEMENT.value_set(agreement))
        workflow.upsert_search_attributes(ending)
        self._publish()

    def _set_bar(self, name: str, status: StageStatus, *, done: int, of: int) -> None:
        bars = tuple(
            StageBar(name=name, status=status, done=done, of=of) if bar.name == name else bar
            for bar in self._progress.stages
        )
        self._progress = self._progress.model_copy(update={"stages": bars})

    def _set_seat(
        self,
        participant: ParticipantId,
        status: SeatStatus,
        *,
        seat: Participant | None = None,
        call_id: str | None = None,
        note: str = "",
    ) -> None:
        def changed(old: Seat) -> Seat:
            return old.model_copy(
                update={
                    "model": seat.model if seat else old.model,
                    "status": status,
                    "call_id": call_id or old.call_id,
                    "note": note,
                }
            )

        seats = tuple(changed(s) if s.participant == participant else s for s in self._progress.seats)
        self._progress = self._progress.model_copy(update={"seats": seats})
        self._publish()

    def _publish(self) -> None:
        workflow.set_current_details(
            details.render(self._progress, self._question, findings=self._findings, verdict=self._verdict)
        )
