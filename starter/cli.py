"""The program ``parley``.

A command is imported when it is called, so ``parley --help`` imports nothing but the command line library.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import TextIOWrapper
from typing import ClassVar, NoReturn

import click

from runtime.distribution import DISTRIBUTION
from starter.commands.groups import CommandLine, LazyGroup, Sections, ask_commands, imported

_COMMANDS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "Ask": {
        "screen": {"screen": "Judge all prompts of a file, and flag those that break reciprocity."},
        "groups": {"estimate": "Estimate the cost of a deliberation before anything is spent."},
    },
    "Watch and steer": {
        "steering": {
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
            "budget": "Change what a deliberation may spend.",
        }
    },
    "Studies": {
        "batch": {"batch": "Run every row of a dataset through protocols, as one study."},
        "compare": {
            "schedule": "Run a study again and again, at times of a clock.",
            "score": "Score the deliberations of a study: rules, models, people.",
            "compare": "Compare the arms of a study: quality, cost, differences.",
        },
        "validate": {"validate": "Measure a fire circle beside its baselines, on cases and labels."},
    },
    "Results": {
        "results": {
            "list": "List deliberations, the newest first.",
            "show": "Show the result of a deliberation.",
            "claims": "Show the claims of a debate with their evidence.",
            "stats": "Show averages over all consensuses.",
            "prompts": "Print the prompts that a deliberation has sent.",
        },
        "export": {
            "report": "Write a study or a deliberation as one HTML file.",
            "export": "Write results for other programs: JSON lines, CSV, Parquet.",
        },
        "patterns": {"patterns": "List the manipulation patterns that fire circles found."},
    },
    "Administration": {
        "administration": {
            "up": "Run a server, a worker and the Web UI here until Ctrl-C.",
            "doctor": "Check the installation and name the remedy for each problem.",
            "models": "Show the providers, and whether their keys are set.",
            "allow": "Agree to the address of a provider in the providers file.",
            "replay": "Check before an upgrade that this version can continue what runs.",
            "panels": "List, show and check the named panels.",
            "limits": "Show and change the rate limits of providers, over all workers.",
        }
    },
}
"""Heading in the help to modules, and to the commands in each with their line in the help."""


def _places(modules: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, CommandLine]]:
    for module, summaries in modules.items():
        for name, summary in summaries.items():
            yield name, imported(f"starter.commands.{module}:{name}_command", summary)


_LINES = {heading: dict(_places(modules)) for heading, modules in _COMMANDS.items()}


class Commands(LazyGroup):
    """All commands of the program."""

    sections: ClassVar[Sections] = _LINES | {
        "Ask": {**ask_commands("starter.commands.ask_command:ask_command"), **_LINES["Ask"]}
    }


_EXIT_CODES = (
    "Exit codes: 0 verdict, 1 failed deliberation, 2 usage, 3 cannot reach Temporal, 4 flagged (with --exit-code)."
)


@click.group(
    cls=Commands, epilog=_EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
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
