"""The calls of a debate's safety evaluator, made before others see the turns that it judges."""

from collections.abc import Sequence
from typing import Protocol

from protocols.debate.model.history import DebateHistory, SafetyRound, SafetyTrigger, SafetyVerdict
from protocols.debate.model.io import EVALUATOR, DebateInput
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import Build, DebateView, RoundContext
from protocols.debate.rules import safety
from protocols.model_call import Answered, Failed, ModelCall, ParticipantId
from protocols.panel import Participant

SAFETY = "safety"


class _Rounds(Protocol):
    """The rounds as the evaluator needs them."""

    course: DebateHistory

    @property
    def is_ending(self) -> bool: ...

    async def obtain(
        self, stage: str, seat: ParticipantId, on: RoundContext, build: Build
    ) -> Answered | Failed | None: ...


class SafetyEvaluator:
    """The evaluator's calls in the rounds of one debate."""

    def __init__(self, inp: DebateInput, rounds: _Rounds) -> None:
        self._inp = inp
        self._rounds = rounds

    async def judge(self, on: RoundContext, *, at_end: bool = False) -> bool:
        """Ask the evaluator about the turns that are due, and return whether there were any.

        Where the debate ends in this very moment it is not asked, and what words point to is withheld.
        """
        agents = safety.turns_to_judge(self._rounds.course, at_end=at_end)
        if agents:
            verdict = None if self._rounds.is_ending else await self._verdict(on, agents)
            self._rounds.course = safety.apply_verdict(self._rounds.course, agents, verdict)
        return bool(agents)

    async def close(self, on: RoundContext) -> SafetyRound:
        """Ask the evaluator about the remaining turns of a round, and return the round's safety record."""
        called: tuple[SafetyTrigger, ...] = ()
        if on.round == 1 and (called := safety.find_triggers(self._inp)):
            self._rounds.course = safety.call_evaluator(self._rounds.course)
        await self.judge(on, at_end=True)
        self._rounds.course, value = safety.close_safety_round(self._rounds.course, called)
        return value

    async def _verdict(self, on: RoundContext, agents: Sequence[ParticipantId]) -> SafetyVerdict | None:
        def build(table: DebateView, sitting: Participant, on: RoundContext) -> ModelCall:
            return calls.evaluation(table, sitting, on, agents)

        reply = await self._rounds.obtain(SAFETY, EVALUATOR, on, build)
        if not isinstance(reply, Answered) or reply.reading is None:
            return None
        return SafetyVerdict.model_validate(reply.reading)
