"""The work of ``parley batch init`` and ``parley batch run``."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import click

from ledger.studies.reading import StudyReader
from parley.catalogue import Providers
from parley.errors import FAILED, VERDICT, RequestError
from parley.model_warnings import print_model_warnings
from parley.notices import notify
from parley.output_files import refuse_place
from parley.session import Session, Worker, open_session
from parley.workers import pollers
from protocols.plurals import counted
from protocols.study.model import STUDY_NAME, Amount
from protocols.task_queues import TASK_QUEUE
from runtime.errors import CannotReachTemporalError
from runtime.settings import Settings
from starter.commands.batch.planning import plan_document, print_first
from starter.handlers.preparation import agree
from starter.terminal import as_json, console
from starter.views import batches as views
from starter.views.estimates import limits_of
from studies.definition.files import EXAMPLE, EXAMPLE_QUESTIONS, Overrides
from studies.definition.load import LoadedStudy, load_study
from studies.runs.start import StartedRun, StudyRuns, check_unchanged, refuse_unable_arms, with_equal_samples
from studies.runs.status import StudyStatus, follow, known_study, known_uses, study_status

Show = Callable[[StudyStatus], Awaitable[int]]
"""Prints the results of a study whose batch has ended, and returns the exit code."""

Start = Callable[[StudyRuns, LoadedStudy], Awaitable[StartedRun]]
"""Starts a study that was loaded, or what it has got since."""

GoOn = Callable[[StudyRuns, str], Awaitable[StartedRun]]
"""Continues the study of that name, or runs again what has no verdict."""

_MOST_SHOWN = 20
_HOW = {
    "started": "study {name}: {count} begin{s}",
    "resumed": "study {name} continues: {count} {be} open",
    "attached": "study {name} runs already",
    "finished": "study {name} is finished: nothing of it is open",
}
_LEFT = "the study is not lost: it continues where a worker runs (parley up), or with: parley batch run {name}"


def write_example(path: Path) -> None:
    """Write a commented study file, and a small dataset beside it when there is none."""
    if path.suffix.lower() != ".toml":
        raise RequestError(f"any other name is a dataset's: end that of a study file in .toml, like '{path}.toml'")
    _write(path, EXAMPLE.read_text("utf-8"))
    questions = path.parent / "questions.csv"
    if not questions.exists():
        _write(questions, EXAMPLE_QUESTIONS.read_text("utf-8"))
        notify(f"wrote {questions}, eight questions with their answers")
    notify(f"wrote {path}; begin it with: parley batch run {path}")


async def run_study(settings: Settings, given: dict[str, Any], switches: dict[str, Any]) -> int:
    """Run the study of the command line, or continue it."""
    path, overrides = _asked(dict(given))
    if _is_name(path):
        _refuse_changes(path, overrides, switches)
        return await continue_study(settings, path, switches)
    study = load_study(path, overrides, settings)
    return await run_loaded(study if switches["dry_run"] else await with_equal_samples(study.settings, study), switches)


async def extend_study(settings: Settings, path: str, given: dict[str, Any], switches: dict[str, Any]) -> int:
    """Add to a study of the ledger what the study file at ``path`` has got since, and run it."""
    study = load_study(path, Overrides(**given), settings)
    name = (await known_study(study.settings, study.study.name)).name
    study = await with_equal_samples(study.settings, study)
    async with StudyReader(study.settings.database_url) as reader:
        there, used = await reader.deliberation_ids(name), await reader.charged(name)
    return await run_loaded(study.lacking(there), switches, start=_extended, used=used)


async def _extended(studies: StudyRuns, study: LoadedStudy) -> StartedRun:
    added = await studies.extend(study)
    notify(f"added: {counted(added.rows, 'row')}, {counted(added.instances, 'deliberation')}")
    return await studies.go_on(study.study.name, title=study.study.title)


async def run_loaded(
    study: LoadedStudy,
    switches: dict[str, Any],
    show: Show | None = None,
    *,
    start: Start = StudyRuns.begin,
    used: Amount = Amount(),  # noqa: B008 - a value that never changes
) -> int:
    """Start ``study`` or continue it, and follow it to its end; ``show`` prints its results in place of a summary."""
    for one in study.rejected[:_MOST_SHOWN]:
        notify(f"line {one.line} is left out: {one.reason}")
    if len(study.rejected) > _MOST_SHOWN:
        notify(f"… and {len(study.rejected) - _MOST_SHOWN} more lines")
    providers, panels = Providers.of(study.settings), [arm.panel for arm in study.arms if not arm.panel.is_rehearsal]
    keys_go_to, models = providers.keys_go_to(panels), [model for panel in panels for model in panel.models]
    learned = await known_uses(study.settings, study.study.name, rehearsal=study.is_rehearsal)
    if not switches["json"]:
        console(to_stderr=True).print(views.estimate_table(study, learned))
        sent = (f"keys go to: {line}" for line in keys_go_to)
        decided = (one.sentence for one in study.samples)
        for line in (*sent, *limits_of(providers, panels), *decided, *(f"beware: {doubt}" for doubt in study.doubts)):
            notify(line)
    if short := views.shortage(study, used):
        notify(short)
    await refuse_unable_arms(study)
    if switches["dry_run"] or switches["show_prompts"]:
        await check_unchanged(study.settings, study, is_extended=start is _extended)
        await print_model_warnings(providers, models)
        if not switches["json"]:
            print_first(study, prompts=switches["show_prompts"])
            return VERDICT
        plan = plan_document(study, keys_go_to, learned, short, prompts=switches["show_prompts"])
        return _print_document(plan, switches)
    agree(providers, panels, switches["allow_provider"], may_ask=not switches["json"])
    for panel in panels if switches["key_check"] else ():
        providers.check(panel, place="study")
    await print_model_warnings(providers, models)
    worker: Worker = "none" if switches["detach"] else "needed"
    async with open_session(study.settings, notify, worker=worker, rehearse=study.is_rehearsal) as session:
        started = await start(StudyRuns(session.parley.client, study.settings), study)
        await _warn_of_terms(session, study.settings, started)
        return await after(session, study.settings, started, switches, show)


async def continue_study(
    settings: Settings, name: str, switches: dict[str, Any], show: Show | None = None, go_on: GoOn = StudyRuns.go_on
) -> int:
    """Continue the study ``name`` of the ledger, and follow it; ``show`` prints its results in place of a summary."""
    study = await known_study(settings, name)
    worker: Worker = "none" if switches["detach"] else "needed"
    async with open_session(settings, notify, worker=worker, rehearse=study.rehearsal) as session:
        started = await go_on(StudyRuns(session.parley.client, settings), name)
        return await after(session, settings, started, switches, show)


async def after(
    session: Session, settings: Settings, started: StartedRun, switches: dict[str, Any], show: Show | None = None
) -> int:
    """Report how it started, and follow it to its end unless it is detached."""
    count, (be, s) = counted(started.instances, "deliberation"), ("is", "s") if started.instances == 1 else ("are", "")
    notify(_HOW[started.how].format(name=started.study, count=count, be=be, s=s))
    if switches["detach"]:
        return await _detached(session, started, switches)
    if link := session.directions(started.study):
        notify(f"Web UI: {link}")
    last = await _followed(session, settings, started.study, json=switches["json"])
    return await (show(last) if show else concluded(last, json=switches["json"]))


async def _detached(session: Session, started: StartedRun, switches: dict[str, Any]) -> int:
    if session.address.embedded:
        notify("the server ends with this command; continue the study with: parley up")
    elif not await pollers(session.parley.client, TASK_QUEUE):
        notify("no worker runs; it continues when one is started, for example by: parley up")
    if switches["json"]:
        return _print_document({"study": started.study, "how": started.how}, switches)
    click.echo(started.study)
    return VERDICT


def _print_document(document: dict[str, Any], switches: dict[str, Any]) -> int:
    """Print a document, or add it to those of a command that prints one for several studies."""
    if "documents" in switches:
        switches["documents"].append(document)
    else:
        click.echo(as_json(document))
    return VERDICT


async def _followed(session: Session, settings: Settings, name: str, *, json: bool) -> StudyStatus:
    """Follow it to its end, or without a terminal to a pause that waits for a user."""
    screen = console(to_stderr=json)
    last: StudyStatus | None = None
    try:
        with views.BatchScreen(screen) as shown:
            async for last in follow(session.parley.client, settings, name):
                shown.show(last)
                if last.is_stuck and not screen.is_terminal:
                    break
    except asyncio.CancelledError:
        notify(_LEFT.format(name=name))
        raise
    except CannotReachTemporalError as error:
        kept = f"What the study has completed is kept; continue it there with: parley batch run {name}"
        raise CannotReachTemporalError(f"{error}. {kept}") from None
    return last or await study_status(session.parley.client, settings, await known_study(settings, name))


async def concluded(last: StudyStatus, *, json: bool) -> int:
    """Print the result, and return the exit code: see ``ended``."""
    if json:
        click.echo(as_json(last))
    else:
        console().print(views.as_renderable(last))
        notify(f"parley compare {last.study}   parley report {last.study}   parley export {last.study}")
    return await ended(last)


async def ended(last: StudyStatus) -> int:
    """Print the next steps of a study without all verdicts, and return the exit code: 0 when all are there."""
    for step in views.next_steps(last):
        notify(step)
    return VERDICT if last.progress.completed == last.progress.total else FAILED


def _asked(given: dict[str, Any]) -> tuple[str, Overrides]:
    path, config = given.pop("path"), given.pop("config")
    return (path, Overrides(**given)) if config is None else (config, Overrides(**{**given, "dataset": path}))


def _is_name(path: str) -> bool:
    return re.fullmatch(STUDY_NAME, path) is not None and not Path(path).is_file()


def _refuse_changes(name: str, overrides: Overrides, switches: dict[str, Any]) -> None:
    """Refuse options for a study that continues by its name."""
    if overrides != Overrides() or switches["dry_run"] or switches["show_prompts"]:
        if Path(name).is_dir():
            raise RequestError(
                f"{name!r} is a directory; name the study file or the dataset in it. A study of that name continues "
                "without other options"
            )
        raise RequestError(
            f"{name!r} continues as it was entered, so no other option goes with its name. Look at it: parley batch "
            f"status {name}; change it: parley batch window {name} N, parley batch budget {name} --usd Y"
        )


async def _warn_of_terms(session: Session, settings: Settings, started: StartedRun) -> None:
    """Warn of run settings in the file that differ from those of the running batch."""
    if started.how != "attached":
        return
    study = await known_study(settings, started.study)
    state = (await study_status(session.parley.client, settings, study)).state
    if state is not None and state.terms != study.terms:
        notify(
            f"it runs on other terms than the file has; change them with: parley batch window {study.name} N, "
            f"parley batch budget {study.name} --usd Y"
        )


def _write(path: Path, text: str) -> None:
    refuse_place(path)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise RequestError(f"{str(path)!r} is there already; name another file, or remove it") from None
    except OSError as error:
        path.unlink(missing_ok=True)
        raise RequestError(f"{str(path)!r} cannot be written: {error.strerror}") from None
