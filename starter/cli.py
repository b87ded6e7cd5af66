"""The program ``parley``.

A command is imported when it is called, so ``parley --help`` imports nothing but the command line library.
"""

import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import ClassVar, NoReturn

import click

from runtime.distribution import DISTRIBUTION
from starter.commands.ask_names import ask_commands
from starter.commands.groups import LazyGroup, Sections, modules, section

_BESIDE = {
    "screen": "Judge all prompts of a file, and flag those that break reciprocity.",
    "estimate": "Estimate the cost of a deliberation before anything is spent.",
}
_STEER = {
    "watch": "Follow a running deliberation.",
    "stop": "Stop a deliberation and keep the result so far.",
    "cancel": "End a deliberation without a verdict.",
    "rounds": "Allow a consensus or a debate more rounds.",
    "replace": "Put another model behind a seat.",
    "rewind": "Branch off from an earlier round; nothing is paid twice.",
    "escalations": "List the deliberations that wait for a decision.",
    "accept": "Accept a consensus's draft or a waiting debate.",
    "reject": "Conclude a waiting debate without agreement.",
    "continue": "Continue a waiting debate.",
    "release": "Show a turn of a debate that the safety evaluator withheld.",
    "evidence": "Add a fact with its source to a running debate.",
}
_BUDGET = {"budget": "Change what a deliberation may spend."}
_STUDIES = {
    "batch": "Run every row of a dataset through protocols, as one study.",
    "schedule": "Run a study again and again, at times of a clock.",
    "score": "Score the deliberations of a study: rules, models, people.",
    "compare": "Compare the arms of a study: quality, cost, differences.",
    "validate": "Measure a fire circle beside its baselines, on cases and labels.",
}
_RESULTS = {
    "list": "List deliberations, the newest first.",
    "show": "Show the result of a deliberation.",
    "claims": "Show the claims of a debate with their evidence.",
    "stats": "Show averages over all consensuses.",
}
_WRITTEN = {
    "prompts": "Print the prompts that a deliberation has sent.",
    "report": "Write a study or a deliberation as one HTML file.",
    "export": "Write results for other programs: JSON lines, CSV, Parquet.",
    "patterns": "List the manipulation patterns that fire circles found.",
}
_ADMINISTRATION = {
    "up": "Run a server, a worker and the Web UI here until Ctrl-C.",
    "doctor": "Check the installation and name the remedy for each problem.",
    "models": "Show the providers, and whether their keys are set.",
    "allow": "Agree to the address of a provider in the providers file.",
    "replay": "Check before an upgrade that this version can continue what runs.",
}
_SHARED = {
    "panels": "List, show and check the named panels.",
    "limits": "Show and change the rate limits of providers, over all workers.",
}
_PACKAGE = "starter.commands"


class Commands(LazyGroup):
    """All commands of the program."""

    sections: ClassVar[Sections] = {
        "Ask": {
            **ask_commands(f"{_PACKAGE}.ask_command:ask_command"),
            **modules(_PACKAGE, _BESIDE),
        },
        "Watch and steer": {**section(f"{_PACKAGE}.steering", _STEER), **modules(_PACKAGE, _BUDGET)},
        "Studies": modules(_PACKAGE, _STUDIES),
        "Results": {**section(f"{_PACKAGE}.results", _RESULTS), **modules(_PACKAGE, _WRITTEN)},
        "Administration": {
            **section(f"{_PACKAGE}.administration", _ADMINISTRATION),
            **modules(_PACKAGE, _SHARED),
        },
    }


_EXIT_CODES = (
    "Exit codes: 0 verdict, 1 failed deliberation, 2 usage, 3 cannot reach Temporal, 4 flagged (with --exit-code)."
)


@click.group(
    cls=Commands,
    epilog=_EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name=DISTRIBUTION, prog_name="parley")
def parley() -> None:
    """Run deliberations between language models, as durable workflows on Temporal."""


def main() -> NoReturn:
    """Run the program and leave by the flushed hard exit, because the SDK can crash at interpreter exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = 0
    try:
        parley(prog_name="parley")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    with suppress(KeyboardInterrupt):
        from runtime.shutdown import leave  # noqa: PLC0415 - last, because it brings asyncio with it

        leave(code)
    raise SystemExit(code)


if __name__ == "__main__":
    main()
