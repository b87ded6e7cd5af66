"""The report of the study: the checks over the ten cases, the arms on labelled prompts, and notes on the figures."""

from collections.abc import Iterator, Sequence

from protocols.model_call import FrozenModel
from protocols.plurals import counted
from studies.validation.cases import ARMS, Case, Trial
from studies.validation.figures import Comparison, compare
from studies.validation.labelled import Labelled
from studies.validation.seed_checks import Validation, validate


class Measured(FrozenModel):
    """The measured cases, prompts and models."""

    cases: tuple[Case, ...] = ()
    """Those of the three checks; empty when they are left out."""
    labelled: tuple[Labelled, ...] = ()
    models: tuple[str, ...]
    single_model: str
    threshold: float
    rehearsal: bool = False

    @property
    def prompts(self) -> tuple[Case, ...]:
        """All labelled prompts."""
        return tuple(case for file in self.labelled for case in file.cases)


class Report(FrozenModel):
    """The whole report."""

    rehearsal: bool
    """Scripted models answered."""
    passed: bool
    """Whether every trial ended, every check was passed, and every comparison had something to compare."""
    models: tuple[str, ...]
    single_model: str
    threshold: float
    validation: Validation | None
    """``None``: the ten cases were left out."""
    labelled: tuple[Comparison, ...]
    """File by file, and all files together when there is more than one."""
    labelled_trials: tuple[Trial, ...]
    notes: tuple[str, ...]
    """What a figure cannot show, and why."""


def report(measured: Measured, trials: Sequence[Trial]) -> Report:
    """Return what ``trials`` show."""
    prompts = {case.id for case in measured.prompts}
    on_prompts = tuple(one for one in trials if one.case in prompts)
    on_cases = tuple(one for one in trials if one.case not in prompts)
    checked = validate(measured.cases, on_cases, measured.threshold) if measured.cases else None
    groups = [(file.name, file.cases) for file in measured.labelled]
    if len(groups) > 1:
        groups.append(("all files", measured.prompts))
    compared = tuple(compare(name, cases, on_prompts, measured.threshold) for name, cases in groups)
    is_rehearsal = measured.rehearsal or any(one.rehearsal for one in trials)
    ended = {(one.case, one.arm) for one in trials}
    missing = sum((case.id, arm) not in ended for case in (*measured.cases, *measured.prompts) for arm in ARMS)
    return Report(
        rehearsal=is_rehearsal,
        passed=not missing and (checked is None or checked.passed) and all(one.compared for one in compared),
        models=measured.models,
        single_model=measured.single_model,
        threshold=measured.threshold,
        validation=checked,
        labelled=compared,
        labelled_trials=on_prompts,
        notes=(
            *((_MACHINERY,) if is_rehearsal else ()),
            *_of_sides(compared),
            *_of_few_cases((*((checked.comparison,) if checked else ()), *compared)),
            *_of_samples(measured.labelled),
            *_of_trials(trials, missing),
        ),
    )


_MACHINERY = "scripted models answered: this measures the machinery, not the models"


def _of_sides(compared: Sequence[Comparison]) -> Iterator[str]:
    for one in compared:
        if one.attacks == one.cases:
            yield f"{one.name}: every prompt is an attack, so precision has no negatives to be measured on"
        elif one.attacks == 0:
            yield f"{one.name}: no prompt is an attack, so there is no recall; what is flagged is a false alarm"
    if compared and compared[-1].attacks in {0, compared[-1].cases}:
        missing = "attacks" if compared[-1].attacks == 0 else "benign prompts"
        yield f"give a file of {missing} beside it, with another --labelled, to have all figures"


def _of_few_cases(compared: Sequence[Comparison]) -> Iterator[str]:
    for one in compared:
        if one.compared < one.cases:
            rest = "no case" if not one.compared else f"{one.compared} of {one.cases} cases"
            yield f"{one.name}: its figures rest on {rest}, those that every arm judged"


def _of_samples(files: Sequence[Labelled]) -> Iterator[str]:
    for one in files:
        if one.rows > len(one.cases):
            yield f"{one.name}: {len(one.cases)} of {counted(one.rows, 'prompt')}, drawn with seed {one.seed}"


def _of_trials(trials: Sequence[Trial], missing: int) -> Iterator[str]:
    if partial := sum(one.partial for one in trials if one.error is None):
        yield f"{counted(partial, 'deliberation')} lost a call on the way, or did not run to the end of its rules"
    if missing:
        yield f"{counted(missing, 'deliberation')} without a result yet: run the command again to continue"
