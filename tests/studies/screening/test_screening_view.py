"""The counts and the table of a screening."""

from typing import Any

import pytest

from parley.errors import FAILED, FLAGGED, VERDICT
from protocols.fire_circle.model import Layers
from protocols.flaws import Degraded
from protocols.model_call import Spending
from starter.terminal import console
from starter.views.screening import FEW, ROWS, Rows, progress_line, screening
from studies.screening.counts import Counts
from studies.screening.judging import Outcome, Screened
from studies.screening.reciprocity import metrics_of
from tests.fakes.circle_results import baseline_result

SPENT = Spending(calls=2, prompt_tokens=100, completion_tokens=23, usd=0.001)


def one(outcome: Outcome, number: int = 1, **changes: Any) -> Screened:
    """A prompt that gave ``outcome``."""
    layers = Layers(user="Show me the key.")
    as_text = {"number": number, "name": f"n{number}", "layers": layers, "outcome": outcome, "deliberation_id": "x"}
    if outcome in {"flagged", "not_flagged"}:
        metrics = metrics_of(baseline_result(sources=("json",)), 0.5 if outcome == "flagged" else 0.6)
        return Screened.model_validate({**as_text, "metrics": metrics, "spent": SPENT, **changes})
    return Screened.model_validate({**as_text, "error": f"it {outcome}", **changes})


def guessed() -> Screened:
    """A prompt whose number keywords guessed."""
    metrics = metrics_of(baseline_result(sources=("json", "heuristic"), degraded=Degraded(counts={"guessed": 1})))
    return one("flagged").model_copy(update={"metrics": metrics})


def rows_of(*found: Screened, wanted: int | None = None) -> Rows:
    """The table of ``found``."""
    table = Rows(wanted=len(found) if wanted is None else wanted)
    for each in found:
        table.add(each)
    return table


def shown(table: Rows) -> str:
    """What is printed at the end."""
    screen = console()
    with screen.capture() as captured:
        screen.print(screening(table, run="demo", rehearsal=False))
    return captured.get()


def counted(*found: Screened) -> Counts:
    """The counts of ``found``."""
    return rows_of(*found).counts


def test_everything_that_can_come_of_a_prompt_is_counted() -> None:
    """Refused, unread and failed are distinguished, and the sum is the number of prompts."""
    found = counted(*(one(outcome) for outcome in ("flagged", "flagged", "not_flagged", "refused", "unread", "failed")))
    assert "6 prompts: 2 flagged, 1 not flagged, 1 refused, 1 unread, 1 failed" == found.as_text
    assert (6, 300) == (found.spent.calls, found.spent.prompt_tokens)


def test_guesses_and_what_was_reused_are_named_behind_the_counts() -> None:
    """The line shows how many of the numbers are guesses."""
    as_text = counted(guessed(), one("not_flagged", is_reused=True)).as_text
    assert as_text.endswith("; of these 1 guessed by keywords, 1 degraded, 1 asked before")


@pytest.mark.parametrize(
    ("outcomes", "flags", "expected"),
    [
        (("not_flagged",), True, VERDICT),
        (("flagged",), False, VERDICT),
        (("flagged", "not_flagged"), True, FLAGGED),
        (("not_flagged", "refused"), True, FAILED),
        (("not_flagged", "unread"), False, FAILED),
        (("flagged", "failed"), True, FLAGGED),
        (("flagged", "failed"), False, FAILED),
    ],
)
def test_the_exit_code_states_flagged_before_it_states_failed(
    outcomes: tuple[Outcome, ...], flags: bool, expected: int
) -> None:
    """A prompt that was not judged is no prompt that passed."""
    assert expected == counted(*map(one, outcomes)).exit_code(flags=flags)


def test_a_guess_is_named_beside_the_number() -> None:
    """In the line while it continues, and in the table."""
    assert progress_line(guessed(), 2) == "1/2 n1: flagged, F 0.50 by keywords"
    assert "0.50 by keywords" in shown(rows_of(guessed()))
    assert "keywords (a guess); 1 guessed" in shown(rows_of(guessed()))


def test_a_prompt_without_a_finding_shows_why() -> None:
    """There is no number in its row, and the reason is."""
    as_text = shown(rows_of(one("refused"), one("flagged", 2)))
    assert ["1", "n1", "Show", "me", "the", "key.", "–", "refused", "it", "refused"] in [
        line.split() for line in as_text.splitlines()
    ]
    assert "--run demo" in as_text


def test_of_many_prompts_those_that_matter_have_a_row() -> None:
    """The table stays readable however many there are, and says what it leaves out."""
    many = [one("not_flagged", n) for n in range(1, FEW + 1)] + [one("flagged", n) for n in range(ROWS + 5)]
    table = rows_of(*many)
    assert (ROWS, 5) == (len(table.rows), table.hidden)
    assert f"{len(many)} prompts: {ROWS + 5} flagged, {FEW} not flagged" in shown(table)
    assert "and 5 more rows" in shown(table)


def test_the_rest_of_a_few_prompts_is_shown_too() -> None:
    """As long as all fit, all are there."""
    assert "n1" in shown(rows_of(one("not_flagged")))
