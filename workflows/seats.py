"""The seats of a panel and their calls; a user may replace models and stop calls while they run.

A seat with fallbacks is given to the next of them when a model is lost for a reason that another one cures; it is lost
when all of them are. A seat keeps its id when its model is replaced. Replacing a model cancels its running call and
asks the new model; stopping cancels every call and makes no further one. A turn may have one further call, for a reply
that cannot be read or was cut off: a replacement then restarts the turn, and after a stop the first reply counts.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from protocols.branch import Branch
from protocols.cited import CitedSource, cited_in
from protocols.flaws import Flaw, asked_again, fallback_flaw, flaw_of, next_model
from protocols.further_calls import Unclear, always_clear, further, settled, without_blanks
from protocols.model_call import Answered, Failed, ModelCall, ModelId, ParticipantId
from protocols.panel import Panel, Participant, name_of, route
from protocols.seeds import with_own_seed
from workflows.activity_calls import call_model
from workflows.progress_board import ProgressBoard
from workflows.shared_rounds import SharedRounds
from workflows.spending_limit import SpendingLimit

Build = Callable[[Participant, int], ModelCall]
"""Makes the call for a seat; the number counts the earlier calls of this seat on this occasion."""


class Seats:
    """The present panel, and its calls in flight."""

    def __init__(
        self,
        panel: Panel,
        board: ProgressBoard,
        queues: Mapping[str, str],
        limit: SpendingLimit,
        branch: Branch | None = None,
        *,
        clarify: bool = True,
        flaws_before: Sequence[Flaw] = (),
        cited_before: Sequence[CitedSource] = (),
    ) -> None:
        """Start with ``panel``; ``clarify`` allows the further calls of ``protocols.further_calls``."""
        self.panel = panel
        self.shared_rounds = SharedRounds(branch)
        if branch is not None:
            board.show(branch=branch.origin)
        self.stopped: str | None = None
        """Why a user stopped the deliberation, if so."""
        self.lost: list[tuple[ModelCall, Failed]] = []
        """Every lost call, with its reason."""
        self.flaws = list(flaws_before)
        """What was lost or mended so far, in the runs before too."""
        self.cited = list(cited_before)
        """The sources that providers named so far, in the runs before too."""
        board.show_sources(self.cited)
        self.on_replaced: Callable[[ParticipantId], None] = lambda _: None
        """Called when the model of a seat was replaced."""
        self.limit = limit
        self._board = board
        self._queues = queues
        self._clarify = clarify
        self._calls: dict[ParticipantId, asyncio.Task[Answered | Failed]] = {}
        self._asked: Counter[tuple[str, ParticipantId]] = Counter()

    async def ask(
        self, occasion: str, seat: ParticipantId, build: Build, unclear: Unclear = always_clear
    ) -> Answered | Failed | None:
        """Ask the model behind ``seat`` and return the reply that counts.

        ``None`` when the deliberation was stopped before it answered.

        Args:
            occasion: What a seat is asked for once: a stage, or a stage of one round.
            seat: Who is asked.
            build: Makes the call.
            unclear: Returns the sentence to say when a reply cannot be read. The model is then asked once more in the
                same conversation, under ``<call id>-again``; a reply that was cut off is asked for once more with twice
                the length, under ``<call id>-longer``. A turn has one of the two at most.
        """
        while self.stopped is None:
            sitting = self.panel.at(seat)
            call = self.limit.bounded(build(sitting, self._asked[occasion, seat]))
            self._asked[occasion, seat] += 1
            if not await self._is_affordable([call], partial(self._is_closed_by_a_person, sitting)):
                continue
            first = await self._put(sitting, call)
            reply = None if first is None else await self._settled(sitting, call, first, unclear)
            if reply is not None and not self._falls_back(sitting, call, reply):
                self._board.show_reply(reply)
                self._note(call, reply)
                return reply
        return None

    def _falls_back(self, sitting: Participant, call: ModelCall, reply: Answered | Failed) -> bool:
        """Give the seat to its next model when ``reply`` is a loss that another model cures; return whether it does.

        The seat keeps that model: a lost one is not waited for again in every stage.
        """
        model = next_model(sitting, reply) if isinstance(reply, Failed) else None
        if model is None or not isinstance(reply, Failed) or self._is_closed_by_a_person(sitting):
            return False
        self.panel = self.panel.replaced(sitting.id, model)
        self._board.lost_models.append(name_of(reply.model))
        self.add_flaw(fallback_flaw(call, reply, model))
        return True

    async def ask_all(
        self,
        occasion: str,
        seats: Sequence[ParticipantId],
        build: Build,
        unclear: Unclear = always_clear,
        *,
        is_divisible: bool = False,
    ) -> tuple[Answered | Failed, ...]:
        """Call all ``seats`` at once and return the replies, in the order of ``seats``.

        With a limit on what is spent, none is called unless all of them fit; ``is_divisible`` calls those that do.
        """
        if not is_divisible:
            await self.reserve(occasion, seats, build)
        replies = await asyncio.gather(*(self.ask(occasion, seat, build, unclear) for seat in seats))
        return tuple(reply for reply in replies if reply is not None)

    async def reserve(self, occasion: str, seats: Sequence[ParticipantId], build: Build) -> None:
        """Reserve the highest cost of the first calls of a stage; without it neither they nor later calls are made."""
        is_reserved = not self.limit.is_set
        while not is_reserved and not self._has_stopped():
            is_reserved = await self._reserve_for(self.panel, occasion, seats, build)

    async def _reserve_for(self, panel: Panel, occasion: str, seats: Sequence[ParticipantId], build: Build) -> bool:
        """Reserve for the models of ``panel``; return false where one was replaced meanwhile."""
        sitting = map(panel.at, seats)
        calls = [self.limit.bounded(build(one, self._asked[occasion, one.id])) for one in sitting]
        return await self._is_affordable(calls, lambda: self._has_stopped() or self.panel is not panel)

    def enter_round(self, number: int) -> None:
        """Begin round ``number``, or the stages after the last one: a branch may change models then."""
        for seat, model in self.shared_rounds.enter(number).items():
            self.replace_model(seat, model)

    def replace_model(self, seat: ParticipantId, model: ModelId) -> None:
        """Replace the model of ``seat``; a running call there is cancelled and put to the new model."""
        self.panel = self.panel.replaced(seat, model)
        if seat in self._calls:
            self._calls[seat].cancel()
        self.on_replaced(seat)

    def stop(self, reason: str) -> None:
        """Cancel every call and make no further one."""
        self.stopped = reason
        for call in self._calls.values():
            call.cancel()

    async def cancel_calls(self) -> None:
        """Cancel every call in flight and wait for its end: one that outlives its run is paid to its last word."""
        if self._calls and workflow.patched("calls-end-first"):
            for call in (one for one in self._calls.values() if not one.cancelling()):
                call.cancel()
            await workflow.wait_condition(lambda: not self._calls)

    def add_flaw(self, flaw: Flaw) -> None:
        """Add what was found wrong with a reply after it was read."""
        self.flaws.append(flaw)
        self._board.show_flaws(self.flaws)

    def give_up(self, call: ModelCall, why: str) -> None:
        """Count ``call`` as lost: it was cancelled because its answer is no longer needed."""
        reply = _given_up(call, why)
        self.lost.append((call, reply))
        self._note(call, reply)

    def refuse_replacement(self, seat: ParticipantId, model: ModelId) -> None:
        """Refuse a replacement that no protocol allows.

        Raises:
            ValueError: it has ended, there is no such seat, ``model`` is no whole name, or it sits or is a fallback.
        """
        seats = self.panel.seats
        self.refuse_while_sharing()
        if self.stopped or self._board.progress.stop_reason:
            raise ValueError("the deliberation has ended; no model can be replaced any more")
        if seat not in seats:
            raise ValueError(f"there is no seat {seat!r}; the seats are {', '.join(seats)}")
        if model != (whole := route(model)):
            raise ValueError(f"{model!r} is not the whole name of a model; write {whole!r}")
        if self.panel.at(seat).model == model:
            raise ValueError(f"{model!r} sits at {seat!r} already")
        sitting = {p.id: p.model for p in self.panel.participants}
        if seat in sitting and model in sitting.values() and not self.panel.allow_duplicates:
            raise ValueError(f"{model!r} sits on this panel already, and the panel does not allow duplicates")
        waiting = next((p.id for p in self.panel.participants if p.id != seat and model in p.fallbacks), None)
        if seat in sitting and waiting is not None and not self.panel.allow_duplicates:
            raise ValueError(f"{model!r} is a fallback of {waiting!r}, and the panel does not allow duplicates")

    def refuse_while_sharing(self) -> None:
        """Refuse an update that would change a shared round.

        Raises:
            ValueError: the present round is shared with the deliberation that this one branches off.
        """
        if self.shared_rounds.is_sharing:
            raise ValueError(
                "the present round is shared with another deliberation; change it when that round has ended"
            )

    def _note(self, call: ModelCall, reply: Answered | Failed) -> None:
        """Add the flaws and the sources of a completed turn."""
        if isinstance(reply, Answered) and reply.sources:
            self.cited = cited_in(call, reply, self.cited)
            self._board.show_sources(self.cited)
        found = [flaw for flaw in (asked_again(call, reply), flaw_of(call, reply)) if flaw is not None]
        if found:
            self.flaws += found
            self._board.show_flaws(self.flaws)

    async def _settled(
        self, sitting: Participant, call: ModelCall, first: Answered | Failed, unclear: Unclear
    ) -> Answered | Failed | None:
        """Return the reply that counts, after a further call if ``first`` needs one; ``None`` if the model changed."""
        asked = further(call, first, unclear) if self._clarify else None
        if asked is None or self.stopped is not None:
            return without_blanks(first)
        if self.panel.at(sitting.id).model != sitting.model:
            return None
        if not self.shared_rounds.is_sharing and not self.limit.reserve_now([asked.call]):
            return without_blanks(first)
        second = await self._put(sitting, asked.call, asked.summary)
        if second is not None:
            return without_blanks(settled(first, asked, second, unclear))
        return without_blanks(first) if self._has_stopped() else None

    async def _put(self, sitting: Participant, call: ModelCall, note: str = "") -> Answered | Failed | None:
        """Make one call to the model of a seat; return ``None`` when a user cancelled it, or replaced a lost model."""
        call = self.shared_rounds.mark(with_own_seed(call))
        self._board.show_call(sitting, call.call_id, note)
        self._calls[sitting.id] = asyncio.create_task(self._obtained(call, note))
        try:
            reply = await self._calls[sitting.id]
        except (ActivityError, asyncio.CancelledError) as error:
            self.limit.settle(call, None)
            if isinstance(error, ActivityError) and error.started_event_id and call.shared_with is None:
                self._board.add_cost(_given_up(call))  # a worker had it: it may have been sent, and be billed
            if not (is_cancelled_exception(error) and self._is_closed_by_a_person(sitting)):
                raise
            return None
        finally:
            del self._calls[sitting.id]
        if isinstance(reply, Failed):
            self.lost.append((call, reply))
        self._board.add_cost(reply, is_shared=call.shared_with is not None)
        self.limit.settle(call, reply)
        if (task := asyncio.current_task()) and task.cancelling():
            raise asyncio.CancelledError  # of the deliberation: the call ended before it learned of it
        return None if isinstance(reply, Failed) and self.panel.at(sitting.id).model != sitting.model else reply

    async def _obtained(self, call: ModelCall, note: str) -> Answered | Failed:
        return self.shared_rounds.lost_reply(call) or await call_model(call, self._queues, note)

    async def _is_affordable(self, calls: Sequence[ModelCall], is_obsolete: Callable[[], bool]) -> bool:
        """Reserve the highest cost of ``calls``; where it does not fit, neither they nor later calls are made."""
        if self.shared_rounds.is_sharing:
            return True
        is_reserved = await self.limit.reserve(calls, is_obsolete)
        if self.stopped is None and self.limit.left_out:
            self.stopped = self.limit.left_out
        return is_reserved

    def _has_stopped(self) -> bool:
        return self.stopped is not None

    def _is_closed_by_a_person(self, sitting: Participant) -> bool:
        return self._has_stopped() or self.panel.at(sitting.id).model != sitting.model


def _given_up(call: ModelCall, why: str = "") -> Failed:
    of_call = call.model_dump(include={"call_id", "participant", "model"})
    return Failed(kind="timeout", **of_call, error_type="call.given_up", message=why, attempts=1)
