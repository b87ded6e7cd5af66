"""The end of a debate: the judge's decision, in modes with a judge, and the synthesiser's report.

Each is asked with the model of its seat first, then with the fallbacks of the chair. Without a readable reply there is
no decision, and the report is made by rule.
"""

from typing import Literal

from protocols.debate import results
from protocols.debate.model.closing import DecisionReading, JudgeDecision, Synthesis, SynthesisReading
from protocols.debate.model.io import JUDGE, SYNTHESISER, DebateInput, StopReason
from protocols.debate.modes import MODES
from protocols.debate.prompts import calls, clarifications
from protocols.debate.prompts.call_context import Build, RoundContext
from protocols.model_call import Answered, ParticipantId
from workflows.debate_rounds import DECISION, SYNTHESIS, DebateRounds


class DebateSynthesis:
    """The decision and the synthesis of one debate, as far as they are written."""

    def __init__(self, inp: DebateInput, rounds: DebateRounds) -> None:
        self._inp = inp
        self._rounds = rounds
        self.decision: JudgeDecision | None = None
        self.synthesis: Synthesis | None = None

    async def write(self, end: StopReason) -> StopReason:
        """Ask the judge and the synthesiser, and return the stop reason."""
        self._rounds.seats.enter_round(len(self._rounds.course.rounds) + 1)
        if MODES[self._inp.mode].is_judged:
            await self._decide()
        if not self._is_over():
            await self._report()
        if self._rounds.is_stopped:
            return "stopped"
        return "participant_lost" if self._rounds.has_lost_in_strict else end

    async def _decide(self) -> None:
        reply, is_fallback = await self._readable(DECISION, JUDGE, calls.decision)
        if reply is not None:
            by: Literal["judge", "fallback"] = "fallback" if is_fallback else "judge"
            self.decision = results.decided(DecisionReading.model_validate(reply.reading), by, reply)

    async def _report(self) -> None:
        reply, is_fallback = await self._readable(SYNTHESIS, SYNTHESISER, calls.synthesis)
        if reply is not None:
            by: Literal["synthesiser", "fallback"] = "fallback" if is_fallback else "synthesiser"
            self.synthesis = results.synthesised(SynthesisReading.model_validate(reply.reading), by, reply)

    async def _readable(self, stage: str, seat: ParticipantId, build: Build) -> tuple[Answered | None, bool]:
        """Return the first reply at ``seat`` that can be read, and whether a fallback gave it."""
        panel, on = self._rounds.seats.panel, RoundContext(max(1, len(self._rounds.course.rounds)))
        for number, model in enumerate(dict.fromkeys((panel.model_of(seat), *panel.chair_fallbacks))):
            if number:
                self._rounds.seats.replace_model(seat, model)
            reply = await self._rounds.obtain(stage, seat, on, build)
            if self._is_over():
                break
            if isinstance(reply, Answered) and clarifications.BESIDE[stage](reply) is None:
                return reply, bool(number)
        return None, False

    def _is_over(self) -> bool:
        """Return whether a user ended the debate, or STRICT does."""
        return self._rounds.is_stopped or self._rounds.has_lost_in_strict
