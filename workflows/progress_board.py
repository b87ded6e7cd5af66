"""The progress of a running deliberation in the Web UI and in the query ``state``.

It keeps the ``Progress``, from which the details are rendered on request, and writes the search attributes: one
event each time, so only when a stage opens and at the end.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from temporalio.common import SearchAttributeUpdate

from protocols.cited import CitedSource
from protocols.deliberation import DeliberationResult
from protocols.flaws import DEGRADING, Degraded, Flaw, degraded_of
from protocols.model_call import Answered, Failed, ParticipantId, Spending
from protocols.panel import Participant, name_of
from protocols.progress import BUDGET, Progress, Seat, SeatStatus, StageBar, StageStatus
from protocols.spending import add_spending
from protocols.tables import Table, name_seats
from workflows import search_attributes, web_ui_details

_NONE: Mapping[ParticipantId, int] = {}
_FLAWS_SHOWN = 8
_SOURCES_SHOWN = 12


class ProgressBoard:
    """The state of one deliberation as people see it.

    A run that continues another one gets ``spent_before`` and ``lost_before``.
    """

    def __init__(
        self,
        protocol: str,
        title: str,
        question: str,
        stages: Sequence[str],
        *,
        rehearsal: bool = False,
        spent_before: Spending | None = None,
        lost_before: Sequence[str] = (),
    ) -> None:
        self._question = question
        self._findings: Callable[[], str] = str
        self._draft: Callable[[], str | None] | None = None
        self.verdict: str | None = None
        """The verdict, also while something that does not change it is still waited for."""
        self._columns = search_attributes.Columns()
        self.lost_models = list(lost_before)
        """The names of the models that did not answer a call."""
        self._progress = Progress(
            protocol=protocol,
            title=title,
            stages=tuple(StageBar(name=name) for name in stages),
            rehearsal=rehearsal,
            spent=spent_before or Spending(),
        )

    @property
    def progress(self) -> Progress:
        """The progress now, without the findings."""
        return self._progress

    def report(self) -> Progress:
        """Return the progress with the findings, for display."""
        return self._progress.model_copy(update={"findings": self._findings()})

    def text_of(self, *tables: Table, latest: int | None = None) -> str:
        """Return ``tables`` as aligned text with the names of seats, see ``web_ui_details.text_of``."""
        named = (name_seats(table, self._progress.names) for table in tables)
        return "\n\n".join(web_ui_details.text_of(table, latest=latest) for table in named)

    def details(self) -> str:
        """Return the details for the Web UI."""
        return web_ui_details.render(
            self.report(), self._question, draft=self._draft and self._draft(), verdict=self.verdict
        )

    def show(self, **changes: object) -> None:
        """Show other values of fields of the progress."""
        self._progress = self._progress.model_copy(update=changes)

    def begin_round(self, number: int, *, of: int) -> None:
        """Show that a round of at most ``of`` begins, with every bar ready again."""
        bars = tuple(StageBar(name=bar.name) for bar in self._progress.stages)
        self.show(round=number, rounds=of, stages=bars, seats=(), earlier=())

    def open_stage(
        self,
        name: str,
        seats: Sequence[Participant],
        *,
        round_number: int = 1,
        phase: str = "",
        expected: Mapping[ParticipantId, int] = _NONE,
    ) -> None:
        """Show that a stage begins: its bar runs and its seats are ready.

        ``phase`` is the stage in one word for a screen, ``expected`` the tokens that a seat's answer is likely to have.
        """
        self._set_bar(name, "running", done=0, of=len(seats))
        before = (*self._progress.earlier, *self._progress.seats)
        ready = tuple(
            Seat(
                participant=p.id,
                model=p.model,
                name=p.name,
                stage=name,
                round=round_number,
                expected_tokens=expected.get(p.id),
            )
            for p in seats
        )
        # Where rounds are counted each begins anew; where they are the stages, all of them are shown side by side.
        earlier = tuple(seat for seat in before if seat.round == round_number or self._progress.rounds is None)
        self.show(stage=name, phase=phase, round=round_number, seats=ready, earlier=earlier)
        self._columns.write(
            [
                search_attributes.STAGE.value_set(name),
                search_attributes.ROUND.value_set(round_number),
                search_attributes.DEGRADED.value_set(self._progress.degraded.is_degraded),
            ]
        )

    def show_call(self, seat: Participant, call_id: str, note: str = "") -> None:
        """Show that a seat's model is being asked, with a ``note`` beside it."""
        self._set_seat(seat.id, "running", model=seat.model, call_id=call_id, note=note)

    def add_cost(self, reply: Answered | Failed, *, is_shared: bool = False) -> None:
        """Count what a call used, unless another deliberation paid for it."""
        before = self._progress.spent
        shared = before.model_copy(update={"shared_calls": before.shared_calls + 1})
        total = shared if is_shared else add_spending([reply], before)
        self.show(spent=total, rehearsal=self._progress.rehearsal or reply.rehearsal)

    def show_reply(self, reply: Answered | Failed) -> None:
        """Show that a seat's turn has ended: its model answered or was lost."""
        if reply.kind == "answered":
            self._set_seat(reply.participant, "answered")
        else:
            self.lost_models.append(name_of(reply.model))
            self._set_seat(reply.participant, "lost", note=f"lost ({reply.kind}): {reply.message[:120]}")
        settled = sum(seat.status in {"answered", "flawed", "lost"} for seat in self._progress.seats)
        bar = self._bar(self._progress.stage)
        self._set_bar(bar.name, bar.status, done=settled, of=bar.of)

    def show_flaws(self, flaws: Sequence[Flaw]) -> None:
        """Show what was lost or mended so far: all of ``flaws`` counted, the latest in full."""
        self._show_flaws(degraded_of(flaws))

    def show_sources(self, cited: Sequence[CitedSource]) -> None:
        """Show the pages that providers named so far: how many, and the latest."""
        if cited:
            self.show(source_count=len(cited), sources=tuple(one.line for one in cited[-_SOURCES_SHOWN:]))

    def close_stage(self, name: str) -> None:
        """Show that a stage is completed, or skipped without a call."""
        bar = self._bar(name)
        if bar.of and not bar.done:
            self.skip_stage(name)
        else:
            self._set_bar(name, "completed", done=bar.done, of=bar.of)

    def skip_stage(self, name: str) -> None:
        """Show that a stage is skipped."""
        self._set_bar(name, "skipped", done=0, of=0)

    def wait_for_budget(self, what: str) -> None:
        """Show that the next calls do not fit the budget, in the list too; blank when they do."""
        self.show(waits_for=what and f"a higher budget ({what})")
        self._columns.write([search_attributes.STAGE.value_set(BUDGET if what else self._progress.stage)])

    def show_findings(self, findings: Callable[[], str], *, draft: Callable[[], str | None] | None = None) -> None:
        """Show findings below the seats, such as a tally as aligned text, and the present draft.

        Both are called on request.
        """
        self._findings, self._draft = findings, draft

    def end(self, result: DeliberationResult) -> None:
        """Show the result, and give the list columns their last values."""
        self.verdict, self._draft = result.verdict, None
        self._show_flaws(result.degraded)
        self.show(stop_reason=result.stop_reason, stage="ended", phase="")
        totals = self._progress.spent
        ending: list[SearchAttributeUpdate[Any]] = [
            search_attributes.STAGE.value_set("ended"),
            search_attributes.STOP_REASON.value_set(result.stop_reason),
            search_attributes.DEGRADED.value_set(result.degraded.is_degraded),
        ]
        if totals.tokens or not totals.calls_of_unknown_tokens:
            ending.append(search_attributes.TOKENS.value_set(totals.tokens))
        if totals.known_usd is not None:
            ending.append(search_attributes.COST_USD.value_set(totals.known_usd))
        if self.lost_models:
            ending.append(search_attributes.FAILED_MODELS.value_set(search_attributes.names_that_fit(self.lost_models)))
        if self._progress.rehearsal:
            ending.append(search_attributes.REHEARSAL.value_set(self._progress.rehearsal))
        numbers = result.columns()
        for name, column in (("agreement", search_attributes.AGREEMENT), ("falsehood", search_attributes.FALSEHOOD)):
            if (number := numbers.get(name)) is not None:
                ending.append(column.value_set(number))
        self._columns.write(ending)

    def _show_flaws(self, degraded: Degraded) -> None:
        latest = degraded.flaws[-_FLAWS_SHOWN:]
        self.show(degraded=degraded.model_copy(update={"flaws": latest}))
        bad = {(one.stage, one.round, one.participant) for one in degraded.flaws if one.kind in DEGRADING}

        def marked(seat: Seat) -> Seat:
            is_flawed = seat.status == "answered" and (seat.stage, seat.round, seat.participant) in bad
            return seat.model_copy(update={"status": "flawed"}) if is_flawed else seat

        self.show(seats=tuple(map(marked, self._progress.seats)), earlier=tuple(map(marked, self._progress.earlier)))

    def _bar(self, name: str) -> StageBar:
        return next(bar for bar in self._progress.stages if bar.name == name)

    def _set_bar(self, name: str, status: StageStatus, *, done: int, of: int) -> None:
        changed = StageBar(name=name, status=status, done=done, of=of)
        self.show(stages=tuple(changed if bar.name == name else bar for bar in self._progress.stages))

    def _set_seat(self, participant: ParticipantId, status: SeatStatus, **changes: object) -> None:
        update = {"status": status, "note": "", **changes}
        seats = (s.model_copy(update=update) if s.participant == participant else s for s in self._progress.seats)
        self.show(seats=tuple(seats))
