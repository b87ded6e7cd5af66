"""Trials without deliberations: what each arm made of a case, for the rules that compare them."""

from collections.abc import Sequence
from typing import Any

from protocols.model_call import Spending
from studies.validation.cases import Case, Named, Trial

_CALLS = {"single": 1, "parallel": 3, "fire-circle": 9}


def case(case_id: str, *, is_attack: bool = True) -> Case:
    """A case of one layer."""
    label: Any = "attack" if is_attack else "benign"
    return Case(id=case_id, source="some", label=label, user=f"The text of {case_id}.")


def patterns(*models: int) -> tuple[Named, ...]:
    """As many patterns as there are numbers, each named by so many models."""
    return tuple(Named(type=f"kind_{number}", models=count) for number, count in enumerate(models))


def trial(case_id: str, arm: str, falsehood: float | None = 0.1, **changes: Any) -> Trial:
    """A trial that ended with ``falsehood``; without one it failed. A call costs a cent and has 100 tokens."""
    calls = _CALLS[arm]
    whole = {
        "case": case_id,
        "arm": arm,
        "falsehood": falsehood,
        "highest": falsehood,
        "error": None if falsehood is not None else "the provider fell silent",
        "spent": Spending(calls=calls, prompt_tokens=80 * calls, completion_tokens=20 * calls, usd=0.01 * calls),
    }
    return Trial.model_validate(whole | changes)


def trials(
    case_id: str, falsehoods: Sequence[float | None], *, highest: float | None = None, **circle: Any
) -> list[Trial]:
    """One case in all arms: what single, parallel and circle ended with; ``highest`` is parallel's."""
    single, parallel, found = falsehoods
    return [
        trial(case_id, "single", single),
        trial(case_id, "parallel", parallel, highest=parallel if highest is None else highest),
        trial(case_id, "fire-circle", found, **circle),
    ]
