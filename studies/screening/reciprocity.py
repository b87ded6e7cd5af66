"""PromptGuard's finding about a prompt: numbers, flag and evidence (seed 000, section 11.1).

A number is never given without how it was read: ``sources`` says it, and ``guessed`` that keywords took the place of
what a model did not write down. A prompt that no model judged has no metrics at all.
"""

from typing import Any, Literal

from parley.errors import DeliberationFailedError
from protocols.fire_circle import findings
from protocols.fire_circle.flagging import flag_again, is_flagged
from protocols.fire_circle.io import FireCircleBaselineResult, FireCircleResult, Refusal
from protocols.fire_circle.model import Evaluation, Mode, PatternObservation, SessionMemory, Source
from protocols.flaws import Degraded
from protocols.model_call import FrozenModel, LostCall, Spending

ExchangeType = Literal["reciprocal", "neutral", "extractive"]

Judgement = FireCircleResult | FireCircleBaselineResult
"""The possible outcomes of a deliberation on a prompt."""

_CLEAR = 0.2
_DECIMALS = 12


class ReciprocityMetrics(FrozenModel):
    """The finding about a prompt."""

    mode: Mode
    truth: float
    """Each from 0 to 1. In a fire circle those of the strongest detection, in parallel the means."""
    indeterminacy: float
    falsehood: float
    flagged: bool
    """Whether ``falsehood`` is at least ``threshold``."""
    threshold: float
    sources: tuple[Source, ...]
    """How the numbers above were read, each way once: ``json``, …; ``heuristic`` is a guess by keywords."""
    guessed: bool
    """Whether one of them is a guess by keywords."""
    ayni_balance: float
    """Truth less falsehood, from -1 to 1."""
    exchange_type: ExchangeType
    patterns: tuple[PatternObservation, ...] = ()
    dialogue_summary: str = ""
    evaluations: tuple[Evaluation, ...]
    """Every assessment, model by model and round by round, with its reasoning and how it was read."""
    failed_models: tuple[str, ...] = ()
    """Of a circle, ``model_round_N`` for each loss; of the baselines the models that were lost."""
    refusals: tuple[Refusal, ...] = ()
    """Which models refused in which round: a finding about the prompt, and no judgement of it."""
    losses: tuple[LostCall, ...] = ()
    """All other calls without a result."""
    deliberation_id: str
    partial: bool
    degraded: Degraded
    """What was lost, refused, guessed, cut or mended on the way, counted and each with its reason."""
    spent: Spending
    cost_usd: float | None
    """What all calls cost together; ``None`` where the cost of one is not known, and ``spent`` has the known part."""
    session: SessionMemory | None = None
    """The session given, as it is after this turn."""
    rehearsal: bool = False
    """Scripted models answered: this measures the machinery, not the prompt."""


def metrics_of(result: Judgement, threshold: float | None = None) -> ReciprocityMetrics:
    """Return the finding of ``result``, flagged at ``threshold`` or else at its own."""
    at = result.threshold if threshold is None else threshold
    truth, indeterminacy, falsehood = _numbers(result)
    balance = round(truth - falsehood, _DECIMALS)
    return ReciprocityMetrics(
        truth=truth,
        indeterminacy=indeterminacy,
        falsehood=falsehood,
        flagged=is_flagged(falsehood, at),
        threshold=at,
        sources=result.sources,
        guessed="heuristic" in result.sources,
        ayni_balance=balance,
        exchange_type=_exchange(balance),
        evaluations=evaluations_of(result),
        refusals=result.refusals,
        losses=tuple(call for call in result.failed if call.kind != "refused"),
        deliberation_id=result.deliberation_id,
        partial=result.partial,
        degraded=result.degraded,
        spent=result.spent,
        cost_usd=cost_of(result.spent),
        session=result.session,
        rehearsal=result.rehearsal,
        **_of_mode(result, at),
    )


def cost_of(spent: Spending) -> float | None:
    """Return the cost in all; ``None`` where the cost of a call is not known."""
    return None if spent.calls_of_unknown_cost else spent.usd


def evaluations_of(result: Judgement) -> tuple[Evaluation, ...]:
    """Return every assessment in ``result``, round by round."""
    if isinstance(result, FireCircleBaselineResult):
        return result.evaluations
    return tuple(said for completed in result.dialogue_history for said in completed.evaluations)


def _numbers(result: Judgement) -> tuple[float, float, float]:
    if isinstance(result, FireCircleResult):
        if result.consensus is None:
            message = f"{result.deliberation_id} ended without a consensus ({result.stop_reason})"
            raise DeliberationFailedError(message, result)
        found = result.consensus.highest.assessment
        return found.truth, found.indeterminacy, found.falsehood
    if result.truth is None or result.indeterminacy is None or result.falsehood is None:
        message = f"{result.deliberation_id} ended without an assessment ({result.stop_reason})"
        raise DeliberationFailedError(message, result)
    return result.truth, result.indeterminacy, result.falsehood


def _of_mode(result: Judgement, threshold: float) -> dict[str, Any]:
    if isinstance(result, FireCircleBaselineResult):
        return {"mode": result.mode, "failed_models": tuple(call.model for call in result.failed)}
    if result.verdict is not None and result.falsehood is not None and threshold != result.threshold:
        verdict = flag_again(result.verdict, result.falsehood, threshold)
        result = result.model_copy(update={"verdict": verdict})
    return {
        "mode": "fire_circle",
        "patterns": result.patterns,
        "dialogue_summary": findings.summary(result),
        "failed_models": result.failed_models,
    }


def _exchange(balance: float) -> ExchangeType:
    if abs(balance) < _CLEAR:
        return "neutral"
    return "reciprocal" if balance > 0 else "extractive"
