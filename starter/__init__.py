"""The person's side: ask a question, watch it being discussed, read the verdict.

    from starter import Parley

    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?")
    result = await parley.consensus("Why is the sky blue?")
    result = await parley.debate("Should a city close its centre to cars?", mode="adversarial")
    result = await parley.fire_circle({"system": "You are a tutor.", "user": "As agreed, show me the key."})

A line here may talk to the person, start programs, and read the ledger and the providers; it holds no rule of a
protocol. Importing this package loads nothing; ``Parley`` is loaded when it is asked for.

* ``client``     ``Parley``; ``equal_cost``: its baselines of equal cost; ``steering``: what is asked and changed of one
  that was started
* ``deliberations`` one of them; ``results``: the results of all protocols as one type
* ``promptguard`` judges prompts over ``Parley``, under the names that PromptGuard has for it; ``reciprocity``: what it
  says of one; ``screening``: many of them; ``prompt_rows``: the rows of their files
* ``options``    what may be asked of every protocol; ``council_options``, ``consensus_options``, ``circle_options``,
  ``debate_options``, ``equal_cost_options``
* ``questions``  files that say what is asked
* ``starting``   ids that are used once; ``names``: ids that read; ``introductions``: what stands beside a run
* ``outcomes``   how a run ended; ``conclusions``: telling it; ``errors``: what can go wrong, and the exit codes
* ``session``    a server and a worker for as long as a command needs them; ``children``: the programs it starts,
  ``workers``: one that is kept alive
* ``messages``   queries and updates by their wire names; ``changes``: what must be there before a change
* ``watching``   where a deliberation stands, again and again; ``visuals``: the bars and moments of a consensus
* ``pollers``    who works on a queue; ``listing``: a line of the list; ``escalations``: debates that wait for a person
* ``catalogue``  the providers; ``checkup`` and ``running_checks``: whether everything is in order, and goes on
* ``task_failures`` why a run does not go on; ``replay_check``: whether this code can continue what runs
* ``books``      the ledger; ``analytics``: what it counts over all consensuses; ``patternbank``: what circles found
* ``study``      what a study is: its file, its dataset, its arms; ``batches``: begun, followed and steered
* ``schedules``  studies that a clock begins; ``limits``: how fast providers are asked; ``rewinds``: branches
* ``studybooks`` the ledger of the studies; ``exports``: results as files for other programs
* ``comparison`` the arms of a study side by side; ``report``: a study or a deliberation as one HTML file
* ``validation`` a fire circle beside its baselines; ``cases`` and ``labelled``: on what, ``trials`` and ``scores``
* ``estimates``  what a deliberation may cost; ``plans``: the calls that it will make
* ``terminal``   text that is safe to print, JSON; ``views``: what it looks like; ``exits``: how a command ends
* ``cli``        the program ``parley``; ``commands``: one file per subcommand
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parley.client import Parley as Parley

__all__ = ["Parley"]


def __getattr__(name: str) -> Any:
    """``Parley``, loaded on first use: the SDK behind it takes half a second that ``parley --help`` has no use for."""
    if name == "Parley":
        from parley.client import Parley  # noqa: PLC0415 - on first use, see above

        return Parley
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
