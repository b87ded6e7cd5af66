"""``parley validate fire-circle``: what a fire circle is worth beside its baselines (seed 000, section 9.3)."""

import asyncio
import os
import secrets
from contextlib import suppress
from typing import Any

import click
from temporalio.service import RPCError

from parley.catalogue import Providers
from parley.client import Parley
from parley.errors import FAILED, VERDICT, ParleyError, RequestError
from parley.notices import notify
from parley.options.fire_circle import EvaluateOptions, FireCircleOptions
from parley.session import open_session
from protocols.fire_circle.flagging import THRESHOLD
from protocols.fire_circle.model import Mode
from protocols.panel import FailureMode
from runtime.settings import Settings
from starter.command_runner import run
from starter.commands.ask_options import split
from starter.terminal import as_json, console
from starter.views.progress import REHEARSAL
from starter.views.validation import progress_line, validation
from studies.validation.cases import TEN_CASES, Case
from studies.validation.labelled import SEED, Columns, read_labelled
from studies.validation.scores import MODES
from studies.validation.trials import Judge, Outcome, hold
from studies.validation.validation import Grounds, report


@click.group("validate")
def command() -> None:
    """Measure a protocol on cases of which it is known what should be found."""


@command.command("fire-circle")
@click.option("--models", multiple=True, callback=split, help="Who sits in the circle: a,b,c; may be repeated.")
@click.option("--panel", metavar="NAME", help="Who sits in the circle, by a panel's name; see parley panels.")
@click.option("--single-model", help="Who judges alone; by default the first of the circle.")
@click.option("--labelled", multiple=True, help="A CSV, JSON or JSON lines file; may be repeated.")
@click.option(
    "--limit", type=click.IntRange(1), default=60, show_default=True, help="Prompts of each file, drawn at random."
)
@click.option("--seed", type=int, default=SEED, show_default=True, help="With which the prompts of a file are drawn.")
@click.option("--text-column", help="The column with the prompt, in files that are not recognised.")
@click.option("--label-column", help="The column with the label.")
@click.option("--positive", multiple=True, help="A label that says attack; may be repeated.")
@click.option("--only-cases", is_flag=True, help="Leave the labelled prompts out.")
@click.option("--only-labelled", is_flag=True, help="Leave the ten cases out.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=THRESHOLD, show_default=True, help="F that flags.")
@click.option("--window", type=click.IntRange(1, 200), default=8, show_default=True, help="Deliberations at once.")
@click.option("--failure-mode", type=click.Choice(["strict", "resilient"]), default="resilient", show_default=True)
@click.option("--rehearse", is_flag=True, help="Ask scripted models: this measures the machinery only.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document and nothing else on standard output.")
@click.option("--key-check/--no-key-check", default=True, help="Look for the providers' keys before starting.")
def fire_circle(json_: bool, key_check: bool, window: int, **given: Any) -> None:
    """Hold ten cases, and labelled prompts, as single, parallel and fire circle, and show them side by side.

    Ends with 0 when the three tests on the cases are passed, and with 1 when one is failed.
    """

    async def work(settings: Settings) -> int:
        providers = Providers.of(settings, os.environ)
        circle = FireCircleOptions.of({name: given[name] or None for name in ("models", "panel")}, providers.panels)
        grounds = _grounds(given, circle.models)
        _make_sure(providers, grounds, given["failure_mode"], key_check=key_check)
        async with open_session(settings, notify, rehearse=grounds.rehearse) as session:
            batch = f"validation-{secrets.token_hex(3)}"
            judging = judge(session.parley, grounds, given["failure_mode"], batch=batch)
            cases = grounds.everything
            of = f"{len(cases)} cases in {len(MODES)} modes"
            notify(f"{batch}: {of}: {len(MODES) * len(cases)} deliberations, {window} at once")
            trials = await hold(cases, judging, window=window, heard=lambda *told: notify(progress_line(*told)))
        found = report(grounds, trials)
        if json_:
            label = REHEARSAL if found.rehearsal else None
            click.echo(as_json({"label": label, **found.model_dump(mode="json")}))
        else:
            console().print(validation(found, grounds.cases))
        return VERDICT if found.passed else FAILED

    run(work, json=json_)


def judge(parley: Parley, grounds: Grounds, failure_mode: FailureMode, *, batch: str) -> Judge:
    """What holds a case in a mode, under an id that begins with ``batch``; an interruption cancels it."""

    async def held(case: Case, mode: Mode, deliberation_id: str) -> Outcome:
        attack = case.id if case.is_attack else None
        usual: dict[str, Any] = {"id": deliberation_id, "rehearse": grounds.rehearse, "failure_mode": failure_mode}
        usual |= {"session": case.session, "attack_id": attack}
        if mode == "fire_circle":
            return await parley.fire_circle(case.layers, models=grounds.models, **usual)
        models = (grounds.single_model,) if mode == "single" else grounds.models
        return await parley.evaluate(case.layers, models=models, mode=mode, **usual)

    async def judging(case: Case, mode: Mode) -> Outcome:
        deliberation_id = f"{batch}-{case.id}-{mode}"
        try:
            return await held(case, mode, deliberation_id)
        except asyncio.CancelledError:
            with suppress(ParleyError, RPCError):
                await parley.cancel(deliberation_id)
            raise

    return judging


def _grounds(given: dict[str, Any], models: tuple[str, ...]) -> Grounds:
    """What is measured, by ``models``.

    Raises:
        RequestError: options contradict each other, or see ``read_labelled``.
    """
    if given["only_cases"] and given["only_labelled"]:
        raise RequestError("--only-cases and --only-labelled leave nothing to measure; leave one of them out")
    if given["only_labelled"] and not given["labelled"]:
        raise RequestError("--only-labelled needs labelled prompts: give a file with --labelled")
    is_labelled = bool(given["labelled"]) and not given["only_cases"]
    columns = _columns(given)
    return Grounds(
        cases=() if given["only_labelled"] else TEN_CASES,
        labelled=read_labelled(given["labelled"], columns, limit=given["limit"], seed=given["seed"])
        if is_labelled
        else (),
        models=models,
        single_model=given["single_model"] or models[0],
        threshold=given["threshold"],
        rehearse=given["rehearse"],
    )


def _columns(given: dict[str, Any]) -> Columns | None:
    named = (given["text_column"], given["label_column"], given["positive"])
    if not any(named):
        return None
    if not all(named):
        raise RequestError(
            "--text-column, --label-column and --positive say together what a file means; give all three"
        )
    if not given["labelled"]:
        raise RequestError("there is no file that has these columns: give one with --labelled")
    return Columns(*named)


def _make_sure(providers: Providers, grounds: Grounds, failure_mode: FailureMode, *, key_check: bool) -> None:
    """That everything can be held as it is asked, before the first of many is.

    Raises:
        RequestError: the models make no circle, one is named twice, or a key is missing.
    """
    usual: dict[str, Any] = {"rehearse": grounds.rehearse, "failure_mode": failure_mode}
    FireCircleOptions.of({**usual, "models": grounds.models}, providers.panels).circle_input(
        grounds.everything[0].layers, None, queues={}
    )
    for options in ({"models": (grounds.single_model,)}, {"models": grounds.models, "mode": "parallel"}):
        panel = EvaluateOptions.of({**usual, **options}, providers.panels).seated()
        if key_check and not grounds.rehearse:
            providers.check(panel)
