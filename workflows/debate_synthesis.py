"""The end of a debate: the judge's decision, in modes with a judge, and the synthesiser's report.

Each is asked with the model of its seat first, then with the fallbacks of the chair. Without a readable reply there is
no decision, and the report is made by rule.
"""

from protocols.debate.model.closing import JudgeDecision, Synthesis
from protocols.debate.model.io import JUDGE, SYNTHESISER, DebateInput, StopReason
from protocols.debate.modes import MODES
from protocols.debate.prompts import calls, clarifications
from protocols.debate.prompts.call_context import Build, RoundContext
from protocols.debate.results import ClosingText, closing_text
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
            self.decision = await self._written(JudgeDecision, DECISION, JUDGE, calls.decision)
        if not self._rounds.is_ending:
            self.synthesis = await self._written(Synthesis, SYNTHESIS, SYNTHESISER, calls.synthesis)
        if self._rounds.is_stopped:
            return "stopped"
        return "participant_lost" if self._rounds.has_lost_in_strict else end

    async def _written(
        self, kind: type[ClosingText], stage: str, seat: ParticipantId, build: Build
    ) -> ClosingText | None:
        """Return the first text for ``seat`` that can be read; ``None`` without any."""
        panel, on = self._rounds.seats.panel, RoundContext(max(1, len(self._rounds.course.rounds)))
        for number, model in enumerate(dict.fromkeys((panel.model_of(seat), *panel.chair_fallbacks))):
            if number:
                self._rounds.seats.replace_model(seat, model)
            reply = await self._rounds.obtain(stage, seat, on, build)
            if self._rounds.is_ending:
                break
            if isinstance(reply, Answered) and clarifications.BESIDE[stage](reply) is None:
                return closing_text(kind, reply, "fallback" if number else seat)
        return None
