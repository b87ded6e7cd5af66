"""The commands that answer a waiting deliberation."""

from collections.abc import Mapping

from protocols.progress import BUDGET, Progress

_ANSWERS: Mapping[str, str] = {
    "escalation": "parley accept|continue|reject {id}",
    "approval": "parley accept|reject {id}",
    "release": "parley release {id} p1|p2|…",
    BUDGET: "parley budget {id} --usd N, or parley stop {id}",
}
"""By the stage that waits: the command that answers."""


def stage_answer(stage: str, deliberation_id: str) -> str:
    """Return the command that answers in ``stage``; blank for a stage without a request."""
    return _ANSWERS.get(stage, "").format(id=deliberation_id)


def answer(progress: Progress, deliberation_id: str) -> str:
    """Return the command that answers the pending request; blank without one."""
    if progress.budget is not None and progress.budget.remedy:
        return f"parley budget {deliberation_id} {progress.budget.remedy}, or parley stop {deliberation_id}"
    return stage_answer(progress.stage, deliberation_id)
