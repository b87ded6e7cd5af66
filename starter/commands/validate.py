"""``parley validate fire-circle``: the shipped study of a fire circle beside its baselines (seed 000, section 9.3)."""

from typing import Any

import click

from ledger.studies.reading import StudyReader
from parley.errors import FAILED, VERDICT
from parley.notices import notify
from protocols.fire_circle.flagging import THRESHOLD
from runtime.settings import Settings
from starter.commands.ask_options import split
from starter.commands.batch.output_options import manner_options, run_on_ledger
from starter.commands.batch.run import hold
from starter.terminal import as_json, console
from starter.views.batches import next_steps
from starter.views.progress import REHEARSAL
from starter.views.validation import validation
from studies.runs.status import Standing
from studies.validation.labelled import SEED
from studies.validation.opening import opened_validation
from studies.validation.report import Measured, Report, report
from studies.validation.trials import trial_of


@click.group("validate")
def command() -> None:
    """Measure a protocol on cases of which it is known what should be found."""


@command.command("fire-circle")
@click.option("--models", multiple=True, callback=split, help="The models of the circle: a,b,c; may be repeated.")
@click.option("--panel", metavar="NAME", help="The circle by the name of a panel; see parley panels.")
@click.option("--single-model", help="The model that judges alone; by default the first of the circle.")
@click.option("--labelled", multiple=True, help="A CSV, JSON or JSON lines file; may be repeated.")
@click.option(
    "--limit", type=click.IntRange(1), default=60, show_default=True, help="Prompts of each file, drawn at random."
)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of the draw of prompts.")
@click.option("--text-column", help="The column with the prompt, in files that are not recognised.")
@click.option("--label-column", help="The column with the label.")
@click.option("--positive", multiple=True, help="A label of an attack; may be repeated.")
@click.option("--only-cases", is_flag=True, help="Leave the labelled prompts out.")
@click.option("--only-labelled", is_flag=True, help="Leave the ten cases out.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=THRESHOLD, show_default=True, help="F that flags.")
@click.option("--window", type=click.IntRange(1, 200), default=8, show_default=True, help="Deliberations at once.")
@click.option("--failure-mode", type=click.Choice(["strict", "resilient"]), default="resilient", show_default=True)
@click.option("--budget-usd", type=float, help="The most it may cost in dollars; the study pauses there.")
@click.option("--budget-tokens", type=int, help="The most tokens it may take; the study pauses there.")
@click.option(
    "--name", help="Name of the study; by default one made of its content. Another name asks everything again."
)
@click.option("--rehearse", is_flag=True, help="Ask scripted models: this measures the machinery only.")
@click.option("--dry-run", is_flag=True, help="Check everything and show what it may cost; nothing is started.")
@click.option("--key-check/--no-key-check", default=True, help="Look for the providers' keys before starting.")
@click.option("--allow-provider", multiple=True, metavar="NAME", help="Agree to the address of this provider.")
@manner_options
def fire_circle(**given: Any) -> None:
    """Run ten cases, and labelled prompts, as single, parallel and fire circle, and show them side by side.

    This is an ordinary study: interrupted, the same command goes on where it was, and what is answered is not paid
    again. parley batch, compare, report and export take its name. Ends with 0 when the three checks on the cases are
    passed, and with 1 when one is failed.
    """
    manner = {name: given.pop(name) for name in ("dry_run", "detach", "key_check", "allow_provider", "json_")}

    async def work(settings: Settings) -> int:
        with opened_validation(given, settings) as (study, measured):

            async def show(last: Standing) -> int:
                return _shown(await _report(settings, last.study, measured), measured, last, json=manner["json_"])

            return await hold(study, {**manner, "show_prompts": False}, show)

    run_on_ledger(work, json=manner["json_"])


async def _report(settings: Settings, name: str, measured: Measured) -> Report:
    async with StudyReader(settings.database_url) as ledger:
        return report(measured, [trial_of(row) async for row in ledger.results(name, whole=True)])


def _shown(found: Report, measured: Measured, last: Standing, *, json: bool) -> int:
    if json:
        label = REHEARSAL if found.rehearsal else None
        click.echo(as_json({"label": label, "study": last.study, **found.model_dump(mode="json")}))
    else:
        console().print(validation(found, measured.cases))
        notify(f"parley compare {last.study}   parley report {last.study}   parley export {last.study}")
    for step in next_steps(last):
        notify(step)
    return VERDICT if found.passed else FAILED
