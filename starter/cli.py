"""The program ``parley``.

A command is imported when it is called: ``parley --help`` reads the names in ``commands.toml``, and imports none.
"""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, ClassVar, NoReturn

import click

from protocols.text_files import read_toml
from protocols.visible_text import printable
from runtime.distribution import DISTRIBUTION
from starter.commands.groups import LazyGroup, Sections, ask_commands, imported, with_suggestion
from starter.terminal import as_json

_LINES = {
    heading: {
        name: imported(f"starter.commands.{module}:{name}_command", summary)
        for module, summaries in modules.items()
        for name, summary in summaries.items()
    }
    for heading, modules in read_toml(__package__, "commands.toml").items()
}


class Commands(LazyGroup):
    """All commands of the program."""

    sections: ClassVar[Sections] = _LINES | {
        "Ask": {**ask_commands("starter.commands.ask_command:ask_command"), **_LINES["Ask"]}
    }

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; with --json an error of its arguments is a JSON document, too."""
        is_json = "--json" in ctx.args
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            said = with_suggestion(error)
            if is_json:
                click.echo(as_json({"error": printable(said.format_message())}))
            raise said from None
        except KeyboardInterrupt:  # which click would end with 1, the code of a deliberation without a verdict
            ctx.exit(130)


_CODES = "Exit codes: 0 verdict, 1 failed deliberation, 2 usage, 3 cannot reach Temporal, 4 flagged (with --exit-code)."


@click.group(
    cls=Commands, epilog=_CODES, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(package_name=DISTRIBUTION, prog_name="parley")
def parley() -> None:
    """Run deliberations between language models, as durable workflows on Temporal."""


def main() -> NoReturn:
    """Run the program and leave by the flushed hard exit, because the SDK can crash at interpreter exit."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # a daemon may have closed it
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - until the end
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
