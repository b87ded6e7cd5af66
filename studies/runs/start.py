"""Start of a study or its continuation: the ledger first, then the batch of its open instances."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from pydantic import JsonValue
from temporalio.client import Client
from temporalio.common import Priority, TypedSearchAttributes, WorkflowIDConflictPolicy, WorkflowIDReusePolicy

from ledger.studies.reading import KnownStudy, StoreError, StudyReader
from ledger.studies.records import Entered, RowsBefore, StudyChangedError, StudyDiffersError, StudyError
from ledger.studies.scores import remove_scores
from ledger.studies.settings import save_current
from ledger.studies.writing import append, enter, open_for_entering
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.installations import known_installation, refuse_new_ledger
from parley.seat_abilities import refuse_unable_seats
from parley.start import once_columns_are_known
from protocols.plurals import counted
from protocols.study.model import BatchInput
from protocols.task_queues import TASK_QUEUE
from runtime.installation import refuse_other_keys
from runtime.settings import Settings
from studies.definition.fingerprint import differences, has_grown
from studies.definition.load import LoadedStudy
from studies.runs.control import StudyControl
from studies.runs.status import batch_status, known_study
from workflows import search_attributes
from workflows.batch import BatchWorkflow
from workflows.web_ui_details import block, narrow

_MOST_DIFFERENCES = 20
_EXTENDED = "rows, arms and repeats that were only added are run by: parley batch extend STUDY.toml"
_PROMPTS = (
    "this version of Parley writes other prompts; what the study has is run with its own by: parley batch run {study}"
)
_ASKED_ALIKE = (
    "all arms are asked for a final answer when one of them compares answers; run such an arm in another study"
)

HowStarted = Literal["started", "resumed", "attached", "finished"]
"""A new study; one that continues; one whose batch runs already; one without open instances."""


@dataclass(frozen=True)
class StartedRun:
    """The outcome of starting a study."""

    study: str
    how: HowStarted
    instances: int
    """Deliberations that this batch holds."""


class StudyRuns:
    """The studies of one installation, as they are started."""

    def __init__(self, client: Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    async def begin(self, study: LoadedStudy) -> StartedRun:
        """Enter ``study`` in the ledger and start its open instances; an entered study continues."""
        await refuse_other_keys(self._client)
        await refuse_unable_arms(study)
        await refuse_new_ledger(self._client, self._settings)
        entered = await enter_study(self._settings, study)
        started = await self.go_on(study.study.name, title=study.study.title)
        how: HowStarted = "started" if entered.is_new and started.how == "resumed" else started.how
        return replace(started, how=how)

    async def extend(self, study: LoadedStudy) -> Entered:
        """Add the rows, arms and repeats that ``study`` has got since, and have a running batch run them.

        The settings of its file are saved. A repeated call adds nothing, and completes what was interrupted.
        """
        await refuse_other_keys(self._client)
        await refuse_unable_arms(study)
        added, name = await append_study(self._settings, study), study.study.name
        now = await known_study(self._settings, name)
        await StudyControl(self._client, self._settings, name).extend(now.instances)
        return added

    async def go_on(self, name: str, *, title: str = "") -> StartedRun:
        """Start the open instances of the study ``name``, unless its batch runs."""
        await refuse_other_keys(self._client)
        study = await known_study(self._settings, name)
        if await batch_status(self._client, name) == "running":
            return StartedRun(name, "attached", 0)
        async with StudyReader(self._settings.database_url) as reader:
            is_open = await reader.numbers(name, "open")
        if not is_open:
            return StartedRun(name, "finished", 0)
        return await self._start(study, title or name, is_open)

    async def retry(self, name: str) -> StartedRun:
        """Start the failed, missing and open instances of the study ``name`` again.

        What was answered before is not asked and not paid again. Their scores are removed: they are of other results.

        Raises:
            RequestError: its batch runs, nothing failed, or there is no study of that name.
        """
        await refuse_other_keys(self._client)
        study = await known_study(self._settings, name)
        if await batch_status(self._client, name) == "running":
            raise RequestError(f"the batch of {name!r} runs; run again what failed when it has ended")
        async with StudyReader(self._settings.database_url) as reader:
            failed, is_open = await reader.numbers(name, "failed", "missing"), await reader.numbers(name, "open")
        if not failed:
            raise RequestError(f"nothing of {name!r} failed; continue what is open with: parley batch run {name}")
        async with open_for_entering(self._settings.database_url) as store:
            await remove_scores(store, name, failed)
        numbers = sorted({*failed, *is_open})
        return await self._start(study, name, numbers, again=True)

    async def _start(self, study: KnownStudy, title: str, numbers: Sequence[int], *, again: bool = False) -> StartedRun:
        inp = await batch_input(self._settings, study, title, numbers, again=again)
        started = partial(
            self._client.start_workflow,
            BatchWorkflow.run,
            inp,
            id=inp.study,
            task_queue=TASK_QUEUE,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            search_attributes=batch_attributes(inp),
            static_summary=f"{'Rehearsal · ' if inp.rehearsal else ''}Batch · {inp.title}"[:200],
            static_details=_details(study),
            priority=Priority(priority_key=1),
        )
        await once_columns_are_known(self._client, started)
        return StartedRun(study.name, "resumed", len(numbers))


async def refuse_unable_arms(study: LoadedStudy) -> None:
    """Refuse settings, attached files, or a search of the web, for a model of an arm that cannot take them.

    Raises:
        RequestError: names the arm, the seat, the model and the remedy.
    """
    providers = Providers.of(study.settings)
    asked = list(study.examples())
    await providers.check_models(model for _, inp in asked if inp.attachments for model in inp.panel.models)
    for arm, inp in asked:
        try:
            refuse_unable_seats(providers, arm.kind.spec, inp)
        except RequestError as error:
            raise RequestError(f"arm {arm.name!r}: {error}") from None


async def with_equal_samples(settings: Settings, study: LoadedStudy) -> LoadedStudy:
    """Return the study with its samples of equal cost as the ledger has them, or by what its arms took so far."""
    if not study.samples or await known_installation(settings) is None:
        return study
    async with open_for_entering(settings.database_url):
        pass
    async with StudyReader(settings.database_url) as reader:
        known, learned = await reader.known(study.study.name), await reader.learned(study.study.name)
    arms = known.content["arms"] if known else {}
    return study.with_samples(arms if isinstance(arms, dict) else {}, learned)


async def enter_study(settings: Settings, study: LoadedStudy, *, writes: bool = True) -> Entered:
    """Enter ``study`` in the ledger, and save the run settings of its file; without ``writes`` only compare it."""
    study = await with_equal_samples(settings, study)
    return await _written(settings, study, partial(enter, writes=writes), writes=writes)


async def append_study(settings: Settings, study: LoadedStudy, *, writes: bool = True) -> Entered:
    """Add what ``study`` has got since to the ledger, and save its run settings; without ``writes`` only compare it."""
    study = await with_equal_samples(settings, study)
    known = await known_study(settings, study.study.name)
    before = RowsBefore(known.rows, study.digest_of(known.rows))
    return await _written(settings, study, partial(append, before=before, writes=writes), writes=writes)


async def check_unchanged(settings: Settings, study: LoadedStudy, *, is_extended: bool) -> None:
    """Check that ``study`` could be entered, or extend the present one; a new name needs no check."""
    try:
        async with StudyReader(settings.database_url) as reader:
            known = await reader.known(study.study.name)
    except StoreError:
        return
    if known is not None:
        await (append_study if is_extended else enter_study)(settings, study, writes=False)


async def _written(
    settings: Settings, study: LoadedStudy, write: Callable[..., Awaitable[Entered]], *, writes: bool
) -> Entered:
    async with open_for_entering(settings.database_url) as store:
        try:
            entered = await write(store, study.entered(), study.rows(), study.prepared(), study.rejected)
        except StudyDiffersError as error:
            raise RequestError(_differing(error)) from None
        except StudyError as error:
            raise RequestError(str(error)) from None
        if writes:
            await save_current(store, study.study.name, study.study.terms)
    return entered


async def batch_input(
    settings: Settings, study: KnownStudy, title: str, numbers: Sequence[int], *, again: bool = False
) -> BatchInput:
    """Return the batch of the instances with these sorted ``numbers``."""
    async with StudyReader(settings.database_url) as reader:
        before = await reader.tally(study.name, excluding=numbers)
        used = await reader.charged(study.name, again=numbers)
        learned = await reader.learned(study.name)
        again = again or bool(await reader.to_repeat(study.name))  # some may have a verdict, and give their ids away
    is_rest = [*numbers] == [*range(numbers[0], study.instances)]
    return BatchInput(
        study=study.name,
        title=title,
        first=numbers[0] if is_rest else 0,
        end=study.instances if is_rest else len(numbers),
        only=None if is_rest else tuple(numbers),
        terms=study.terms,
        before=before,
        used_before=used,
        learned=learned,
        again=again,
        rehearsal=study.rehearsal,
    )


def _details(study: KnownStudy) -> str:
    """Return the details for the Web UI: rows, arms, models, and the study's fingerprint."""
    arms = study.content.get("arms")
    named = [(name, *_arm(arm)) for name, arm in arms.items()] if isinstance(arms, dict) else []
    rows = [("arm", "protocol", "models"), *named]
    counts = (
        f"{counted(study.rows, 'row')}, {counted(len(study.arms), 'arm')}, {counted(study.instances, 'deliberation')}"
    )
    left_out = f", {counted(study.rejected, 'line')} left out" if study.rejected else ""
    return f"{counts}{left_out}; fingerprint {study.fingerprint[:12]}\n\n{block(narrow(rows))}"


def _arm(arm: JsonValue) -> tuple[str, str]:
    settings = arm if isinstance(arm, dict) else {}
    models = settings.get("models")
    names = dict.fromkeys(str(model).rpartition("/")[2] for model in models) if isinstance(models, list) else {}
    return str(settings.get("protocol", "")), ", ".join(names)


def batch_attributes(inp: BatchInput) -> TypedSearchAttributes:
    """Return the search attributes of a batch at its start."""
    return search_attributes.columns_of(
        {
            search_attributes.PROTOCOL: "batch",
            search_attributes.STAGE: "ready",
            search_attributes.TITLE: inp.title,
            search_attributes.BATCH_ID: inp.study,
            search_attributes.REHEARSAL: inp.rehearsal,
        }
    )


def _differing(error: StudyDiffersError) -> str:
    changed = differences(error.entered, error.given)
    more = [f"… and {len(changed) - _MOST_DIFFERENCES} more"] if len(changed) > _MOST_DIFFERENCES else []
    is_extension = isinstance(error, StudyChangedError)
    remedy = [_EXTENDED] if not is_extension and has_grown(error.entered, error.given) else []
    asked = [_ASKED_ALIKE] if any(one.startswith("answer:") for one in changed) else []
    other = [_PROMPTS.format(study=error.name)] if any(".prompts: " in one for one in changed) else []
    return "\n  ".join([str(error), *changed[:_MOST_DIFFERENCES], *more, *remedy, *asked, *other])
