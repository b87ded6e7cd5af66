"""``parley debate``: have models debate a topic in rounds, follow them, and show where they ended."""

from typing import Any, cast, get_args

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.debate import DebateKeywords, DebateOptions, refuse_long
from parley.questions import read_argument, read_document
from protocols.debate.model.io import DebateResult, HighStakes, ModeName, TurnFormat
from protocols.debate.modes.table import MODES
from protocols.named_panel import PanelLibrary
from starter.commands.ask_options import AskCommand, answer_option, ask, asked, question_options, split, usual_options

_JUDGED = ", ".join(name for name, mode in MODES.items() if mode.is_judged)
_STAKES = ", ".join(get_args(HighStakes))


@click.command("debate")
@question_options
@click.option("--mode", type=click.Choice(get_args(ModeName)), help="How they debate; collaborative by default.")
@click.option("--agents", multiple=True, callback=split, help="Who debates, in order: a,b,c; may be repeated.")
@click.option("--synthesiser", help="Who closes the debate; by default an agent that is not the first.")
@click.option(
    "--synthesiser-fallbacks", multiple=True, callback=split, help="Who closes it otherwise; by default the agents."
)
@click.option("--evaluator", help="Who judges rounds for safety when called for; by default not the first agent.")
@click.option("--judge", help=f"Who decides at the end in the modes {_JUDGED}; by default not the first agent.")
@click.option("--summariser", help="Who says rounds in one line, with --summaries llm; by default the synthesiser.")
@click.option("--max-rounds", type=int, help="1 to 50; 5 by default. Objection rounds come on top.")
@click.option(
    "--focus", multiple=True, help="A question for a round: text or @FILE; repeated, for one after the other."
)
@click.option("--high-stakes", multiple=True, callback=split, help=f"Has a person approve: {_STAKES}.")
@click.option(
    "--vulnerable-audience/--no-vulnerable-audience",
    default=None,
    help="Have the safety evaluator judge from the first round on.",
)
@click.option(
    "--format",
    "turn_format",
    type=click.Choice(get_args(TurnFormat)),
    help="What a turn must hold: full, or lite for small models.",
)
@click.option("--reask/--no-reask", default=None, help="Ask once more whose citations break the format.")
@click.option("--summaries", type=click.Choice(["rule", "llm"]), help="Who says rounds in one line.")
@click.option(
    "--material", multiple=True, metavar="FILE", help="A document shown to everybody as evidence; - is standard input."
)
@click.option("--context-tokens", type=int, help="Tokens of the debate that a debater is shown; 10,000 by default.")
@click.option("--escalation-timeout", help="How long a person is waited for: 90s, 15m, 2h, 1d; 1d by default.")
@answer_option
@usual_options
def command(**given: Any) -> None:
    """Have models debate one QUESTION in rounds, and show what they came to.

    Each turn has a position, labelled claims with citations, a confidence and a vote. The debate ends by consensus,
    when nothing moves any more, or after the last round. It waits for a person when an objection round failed, and
    before the synthesis of what is declared as high stakes: parley escalations lists who waits.
    """
    ask(given, AskCommand(DebateOptions, _start, _asked))


def _asked(
    given: dict[str, Any], options: type[DebateOptions], panels: PanelLibrary | None = None
) -> tuple[str, DebateOptions]:
    """A topic that is too long is refused here already, before a server is started for it."""
    given["focus"] = tuple(map(read_argument, given.get("focus", ())))
    given["material"] = tuple(read_document(path.removeprefix("@")) for path in given.get("material", ()))
    topic, chosen = asked(given, options, panels)
    refuse_long(topic)
    return topic, chosen


async def _start(parley: Parley, topic: str, options: DebateOptions) -> Deliberation[DebateResult]:
    return await parley.start_debate(topic, **cast("DebateKeywords", options.model_dump()))
