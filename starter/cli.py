"""The program ``parley``.

Subcommands are loaded when they are called: ``parley --help`` answers before the Temporal SDK would have been read. So
this file imports nothing but the command line library, and the one line of help per command stands here.
"""

import importlib
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

import click

from runtime.distribution import DISTRIBUTION, own_module

COMMANDS = {
    "council": ("starter.commands.council", "Ask a council of models one question."),
    "fire-circle": ("starter.commands.fire_circle", "Have a circle of models judge a prompt in a dialogue."),
    "evaluate": ("starter.commands.evaluate", "Have one model, or several without a dialogue, judge a prompt."),
    "screen": ("starter.commands.screen", "Judge all prompts of a file, and flag those that break reciprocity."),
    "consensus": ("starter.commands.consensus", "Have three models better one answer until all accept it."),
    "debate": ("starter.commands.debate", "Have models debate a topic in rounds, in one of seven modes."),
    "single": ("starter.commands.vote:single", "Ask one model one question once."),
    "self-consistency": (
        "starter.commands.vote:self_consistency",
        "Ask one model several times and count its answers.",
    ),
    "majority": ("starter.commands.vote:majority", "Ask each model of a panel once and count the answers."),
    "vote": ("starter.commands.vote", "Ask models one question, each several times, and count the answers."),
    "mixture": ("starter.commands.mixture", "Have layers of models better their answers, and one aggregate them."),
    "batch": ("starter.commands.batch.group", "Hold many deliberations as one study that may run for days."),
    "schedule": ("starter.commands.schedule", "Hold a study again and again, at times of a clock."),
    "compare": ("starter.commands.compare", "Show the arms of a study side by side: quality, cost, differences."),
    "report": ("starter.commands.report", "Write a study or a deliberation as one HTML file."),
    "up": ("starter.commands.up", "Run a server, a worker and the Web UI here until Ctrl-C."),
    "watch": ("starter.commands.watch", "Follow a deliberation that runs."),
    "show": ("starter.commands.show", "Show how a deliberation came out."),
    "list": ("starter.commands.listing", "List deliberations, the newest first."),
    "stop": ("starter.commands.stop", "End a deliberation with what there is, now or after the round."),
    "accept": ("starter.commands.accept", "Take the present draft for the verdict, now."),
    "limit": ("starter.commands.limit", "Allow a consensus more rounds."),
    "escalations": ("starter.commands.escalations", "List the debates that wait for a person."),
    "resolve": ("starter.commands.resolve", "Answer a debate that waits for a person."),
    "release": ("starter.commands.release", "Show a turn of a debate that the safety evaluator withheld."),
    "evidence": ("starter.commands.evidence", "Add a fact with its source to a running debate."),
    "add-round": ("starter.commands.add_round", "Allow a debate more rounds."),
    "claims": ("starter.commands.claims", "Show what is claimed in a debate, and on which evidence."),
    "cancel": ("starter.commands.cancel", "End a deliberation without a verdict."),
    "rewind": ("starter.commands.rewind", "Go on from an earlier round in another way; nothing is paid twice."),
    "replace": ("starter.commands.replace", "Put another model behind a seat while it runs."),
    "export": ("starter.commands.export", "Write results to a file for other programs: JSON lines, CSV, Parquet."),
    "stats": ("starter.commands.stats", "Show conversations per day, average rounds and votes from the ledger."),
    "patterns": ("starter.commands.patterns", "List the patterns that fire circles found, from the ledger."),
    "validate": ("starter.commands.validate", "Measure a fire circle beside its baselines, on cases and labels."),
    "estimate": ("starter.commands.estimate", "Say what a deliberation may cost, before anything is spent."),
    "limits": ("starter.commands.limits", "Show and change how fast providers are asked, over all workers."),
    "models": ("starter.commands.models", "Show providers and keys, and check the models of a panel."),
    "allow": ("starter.commands.allow", "Agree to the address of a provider in the providers file."),
    "panels": ("starter.commands.panels", "List the named panels, or show who takes part by one."),
    "replay": ("starter.commands.replay", "See whether this version can continue what runs, before an upgrade."),
    "doctor": ("starter.commands.doctor", "See whether everything is in order, and what to do if not."),
}
"""Name to the module that has it as ``command``, and its line in the help."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        """Import the command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(own_module(module)), name or "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the same
        """The help of all commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


_EXIT_CODES = (
    "Exit codes: 0 verdict, 1 failed deliberation, 2 usage, 3 cannot reach Temporal, 4 flagged (with --exit-code)."
)


@click.group(cls=LazyGroup, epilog=_EXIT_CODES)
@click.version_option(package_name=DISTRIBUTION, prog_name="parley")
def parley() -> None:
    """Hold deliberations between language models, as durable workflows on Temporal."""


def main() -> NoReturn:
    """Run the program; it always leaves by the flushed hard exit, because the SDK can crash at interpreter exit."""
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
