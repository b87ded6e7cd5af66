"""The command of a protocol, computed from its specification."""

from typing import TYPE_CHECKING, Any

import click

from parley.options.ask import Options
from parley.specs import PROTOCOLS
from protocols.vote.presets import PRESETS, Preset, PresetName
from starter.commands.parameters import (
    Parameter,
    allow_provider_option,
    combined,
    detach_option,
    force_option,
    json_option,
    key_check_option,
    output_option,
)
from starter.commands.protocol_options import own_options, usual_options
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings

_config = click.option("--config", help="TOML file with options, which those given here replace; by default none.")
_question = combined(
    click.argument("question", required=False, metavar="[QUESTION|@FILE|-]"),
    click.option("--file", "file", help="File with the question, - is standard input; by default the argument."),
    _config,
)
_prompt = combined(
    click.option("--system", help="The system layer: text, @FILE, or - for standard input; by default blank."),
    click.option("--application", help="The application layer, given in the same way; by default blank."),
    click.option("--user", help="The user layer, given in the same way; by default blank."),
    click.option("--prompt", help="A JSON file with system, application, user and session; by default none."),
    click.option("--exit-code", is_flag=True, help="End with 4 when the prompt is flagged."),
    _config,
)
_model = click.option("--model", "models", multiple=True, help="Model that is asked; by default the panel's first.")
_behaviour = combined(
    detach_option,
    json_option,
    output_option,
    force_option,
    click.option("--stay", is_flag=True, help="Keep server, worker and Web UI until Ctrl-C (on a terminal)."),
    key_check_option,
    allow_provider_option,
)


def ask_command(protocol: str, summary: str, preset: PresetName | None = None) -> click.Command:
    """Return the command of ``protocol``, with the numbers of a vote's ``preset`` if given."""
    spec = PROTOCOLS[protocol]
    asked = _prompt if "user" in spec.question_keys else _question
    own = own_options(spec.options) if preset is None else _preset_options(spec.options, PRESETS[preset])
    fixed = {} if preset is None else {"preset": preset}

    @with_settings
    async def ask_protocol(settings: "Settings", /, **given: Any) -> int:
        from starter.handlers.ask import ask

        return await ask(settings, protocol, {**given, **fixed})

    details = (spec.options.__doc__ or "").partition("\n\n")[2]
    decorate = combined(asked, own, usual_options(spec.options), _behaviour)
    return click.command(preset or protocol, help=f"{summary}\n\n{_dedented(details)}")(decorate(ask_protocol))


def _preset_options(options: type[Options], preset: Preset) -> Parameter[Any]:
    """Return the options of a vote without those that its preset sets."""
    left_out = {"models"} if preset.has_one_model else set()
    left_out |= {"samples"} if preset.most_samples == 1 else set()
    model = [_model] if preset.has_one_model else []
    return combined(*model, own_options(options, without=frozenset(left_out)))


def _dedented(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())
