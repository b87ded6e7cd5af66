"""``parley vote`` and its presets: ask models x samples one question, and show the most frequent answer."""

from collections.abc import Callable
from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.equal_cost import VoteKeywords, VoteOptions
from protocols.vote.model import VoteResult
from protocols.vote.presets import PresetName
from starter.commands.ask_options import AskCommand, answer_option, ask, asked, question_options, split, usual_options

Command = Callable[..., Any]

_models = click.option("--models", multiple=True, callback=split, help="Models that vote: a,b,c; may be repeated.")
_model = click.option("--model", "models", multiple=True, help="Model that is asked; by default the panel's first.")


def _samples(default: int) -> Callable[[Command], Command]:
    return click.option("--samples", type=int, help=f"Times each model is asked: 1 to 64; {default} by default.")


@click.command("vote")
@question_options
@_models
@_samples(1)
@answer_option
@usual_options
def command(**given: Any) -> None:
    """Ask each model one QUESTION independently, once or several times, and show the most frequent answer.

    A tie goes to the earliest vote: models in the order given, and the samples of each in turn. With several samples
    and no --temperature, the temperature is 0.7.
    """
    _ask(given)


@click.command("single")
@question_options
@_model
@answer_option
@usual_options
def single(**given: Any) -> None:
    """Ask one model one QUESTION once: the baseline of every comparison."""
    _ask(given, "single")


@click.command("self-consistency")
@question_options
@_model
@_samples(5)
@answer_option
@usual_options
def self_consistency(**given: Any) -> None:
    """Ask one model one QUESTION several times, and show its most frequent answer.

    The samples are independent; a tie goes to the earliest. With several samples and no --temperature, the temperature
    is 0.7.
    """
    _ask(given, "self-consistency")


@click.command("majority")
@question_options
@_models
@answer_option
@usual_options
def majority(**given: Any) -> None:
    """Ask each model of a panel one QUESTION once, independently, and show the most frequent answer.

    A tie goes to the answer that the earliest model of the panel gave.
    """
    _ask(given, "majority")


def _ask(given: dict[str, Any], preset: PresetName | None = None) -> None:
    ask(given if preset is None else {**given, "preset": preset}, AskCommand(VoteOptions, _start, asked))


async def _start(parley: Parley, question: str, options: VoteOptions) -> Deliberation[VoteResult]:
    return await parley.start_vote(question, **cast("VoteKeywords", options.model_dump()))
