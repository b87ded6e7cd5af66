"""The commands of a protocol, to ask and to estimate its cost, computed from its specification."""

from typing import TYPE_CHECKING, Any

import click

from parley.options.ask import Options
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec
from protocols.vote.model import PRESETS, Preset, PresetName
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
from starter.commands.protocol_options import counting_options, own_options, usual_options
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
    _config,
)
_exit_code = click.option("--exit-code", is_flag=True, help="End with 4 when the prompt is flagged.")
_model = click.option("--model", "models", multiple=True, help="Model that is asked; by default the panel's first.")
_tokens = click.option(
    "--tokens",
    type=click.IntRange(1, 10_000_000),
    help="Length of the question in place of it; by default a usual one.",
)
_behaviour = combined(
    detach_option,
    json_option,
    output_option,
    force_option,
    click.option("--show-prompts", is_flag=True, help="Print the prompts that would be sent first, and send none."),
    click.option("--stay", is_flag=True, help="Keep server, worker and Web UI until Ctrl-C (on a terminal)."),
    key_check_option,
    allow_provider_option,
)


def ask_command(protocol: str, summary: str, preset: PresetName | None = None) -> click.Command:
    """Return the command of ``protocol``, with the numbers of a vote's ``preset`` if given."""
    spec, fixed = PROTOCOLS[protocol], {"preset": preset} if preset else {}

    @with_settings
    async def ask_protocol(settings: "Settings", /, **given: Any) -> int:
        from starter.handlers.ask import ask

        return await ask(settings, protocol, {**given, **fixed})

    details = (spec.options.__doc__ or "").partition("\n\n")[2]
    flagged = (_exit_code,) if spec.judges else ()
    decorate = combined(*_own_parameters(spec, preset), usual_options(spec.options), *flagged, _behaviour)
    return click.command(preset or protocol, help=f"{summary}\n\n{details}")(decorate(ask_protocol))


def estimate_command(protocol: str, summary: str, preset: PresetName | None = None) -> click.Command:
    """Return the command that estimates the cost of ``protocol``, with the numbers of a preset if given."""
    spec, fixed = PROTOCOLS[protocol], {"preset": preset} if preset else {}

    @with_settings
    async def estimate_protocol(settings: "Settings", /, *, tokens: int | None, json: bool, **given: Any) -> None:
        from starter.handlers.estimate_cost import print_estimate

        await print_estimate(settings, protocol, {**given, **fixed}, tokens=tokens, json=json)

    decorate = combined(*_own_parameters(spec, preset), counting_options(spec.options), _tokens, json_option)
    return click.command(preset or protocol, help=f"Estimate the cost. {summary}")(decorate(estimate_protocol))


def _own_parameters(spec: AnySpec, preset: PresetName | None) -> tuple[Parameter[Any], Parameter[Any]]:
    own = own_options(spec.options) if preset is None else _preset_options(spec.options, PRESETS[preset])
    return _prompt if spec.judges else _question, own


def _preset_options(options: type[Options], preset: Preset) -> Parameter[Any]:
    """Return the options of a vote without those that its preset sets."""
    left_out = {"models"} if preset.has_one_model else set()
    left_out |= {"samples"} if preset.most_samples == 1 else set()
    model = [_model] if preset.has_one_model else []
    return combined(*model, own_options(options, without=frozenset(left_out)))
