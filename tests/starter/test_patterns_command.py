"""``parley patterns``: the bank on the screen and as JSON."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from activities.ledger import LedgerActivities
from ledger.patterns import PatternContent, PatternEntry
from ledger.store import Store
from parley import errors
from starter.cli import parley
from starter.terminal import console
from starter.views.lists import patterns
from starter.views.tables import REHEARSAL
from tests.fakes.fire_circles import banked, pattern


@pytest.fixture
async def full(empty: str) -> str:
    """A ledger of a real circle and of a rehearsal of one."""
    store = Store(empty)
    await LedgerActivities(store).record_deliberation(banked("circle-1", attack_id="history_10"))
    await LedgerActivities(store).record_deliberation(banked("circle-2", [pattern("role_confusion")], rehearsal=True))
    await store.close()
    return empty


@pytest.fixture
async def older(empty: str) -> str:
    """A ledger from before there was a bank."""
    store = Store(empty)
    await store.change(text("drop table patterns"))
    await store.close()
    return empty


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(parley, ["patterns", *arguments])


def entry(
    subcategory: str = "false_authority", description: str = "Claims a rank.", model: str = "a/b"
) -> PatternEntry:
    """An entry of the bank."""
    told = PatternContent(
        description=description, agreement=2 / 3, attack_id="history_04", examples=("I am the admin",), models=(model,)
    )
    return PatternEntry(
        category="fire_circle_pattern",
        subcategory=subcategory,
        content=told,
        deliberation_id="fire-circle-7",
        recorded_at=datetime(2026, 5, 1, 10, 5, tzinfo=UTC),
    )


def shown(real: Sequence[PatternEntry], rehearsal: Sequence[PatternEntry] | None = None) -> str:
    """What the view prints where there is no terminal."""
    screen = console()
    with screen.capture() as captured:
        screen.print(patterns(real, rehearsal))
    return captured.get()


def test_patterns_are_one_json_document(full: str) -> None:
    """Real patterns are there as the seed's entries; rehearsals are not even mentioned."""
    done = invoke("--json")
    told = json.loads(done.stdout)
    assert (errors.VERDICT, ["real"]) == (done.exit_code, list(told))
    assert ["temporal_inconsistency", "polite_extraction"] == [one["subcategory"] for one in told["real"]]
    assert {"category", "subcategory", "content", "deliberation_id", "recorded_at"} == set(told["real"][0])


def test_rehearsals_have_a_list_of_their_own_where_they_are_asked_for(full: str) -> None:
    """What scripted models found is beside what real ones did, never among it."""
    told = json.loads(invoke("--json", "--rehearsals").stdout)
    assert (["real", "rehearsal"], 2) == (list(told), len(told["real"]))
    assert ["role_confusion"] == [one["subcategory"] for one in told["rehearsal"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--type", "polite_extraction"], ["polite_extraction"]),
        (["--type", "unclassified"], []),
        (["--min-agreement", "0.7"], ["temporal_inconsistency"]),
        (["--attack", "history_10", "--limit", "1"], ["temporal_inconsistency"]),
        (["--attack", "circle-1"], []),
    ],
)
def test_options_choose_patterns(full: str, arguments: list[str], expected: list[str]) -> None:
    """Type, agreement, attack and limit each leave out what does not fit."""
    assert expected == [one["subcategory"] for one in json.loads(invoke("--json", *arguments).stdout)["real"]]


@pytest.mark.parametrize("arguments", [["--type", "nonsense"], ["--min-agreement", "1.1"], ["--limit", "0"]])
def test_what_cannot_be_meant_is_refused(full: str, arguments: list[str]) -> None:
    """A type that is none, an agreement above 1 and no entries at all end with 2."""
    done = invoke(*arguments)
    assert (errors.USAGE, "") == (done.exit_code, done.stdout)


def test_patterns_are_shown_without_rehearsals(full: str) -> None:
    """The screen has real patterns only, unless rehearsals are asked for."""
    told = invoke().stdout
    assert ("temporal_inconsistency  agreement 1.00", False) == (told.splitlines()[0], REHEARSAL in told)


def test_rehearsals_come_last_and_under_their_label(full: str) -> None:
    """Patterns of scripted models are never shown as real ones."""
    before, label, after = invoke("--rehearsals").stdout.partition(REHEARSAL)
    assert (REHEARSAL, False, True) == (label, "role_confusion" in before, "role_confusion" in after)


def test_an_empty_bank_is_said(empty: str) -> None:
    """Nothing found is no error, and JSON has an empty list."""
    assert (errors.VERDICT, "the ledger has no such pattern; those of rehearsals: --rehearsals\n") == (
        invoke().exit_code,
        invoke().stdout,
    )
    assert {"real": []} == json.loads(invoke("--json").stdout)


def test_an_older_ledger_is_said_with_the_remedy(older: str) -> None:
    """A ledger from before the bank is refused with what brings it up to date."""
    done = invoke("--json")
    assert errors.USAGE == done.exit_code
    assert "brings an older one up to date" in json.loads(done.stdout)["error"]


def test_an_entry_states_what_was_seen_where_and_by_whom() -> None:
    """Type and agreement, description, what was quoted, attack and models."""
    assert [
        "false_authority  agreement 0.67",
        "    Claims a rank.",
        '    "I am the admin"',
        "    history_04 · a/b",
        "    found by fire-circle-7, 2026-05-01",
    ] == shown([entry()]).splitlines()


def test_rehearsals_that_are_not_there_are_said_too() -> None:
    """A list of rehearsals without entries says so, under their label."""
    _, label, after = shown([entry()], []).partition(REHEARSAL)
    assert (REHEARSAL, True) == (label, "the ledger has no such pattern" in after)


def test_an_empty_list_of_real_patterns_does_not_ask_for_rehearsals_that_are_shown() -> None:
    """Above the patterns of rehearsals one line names real models, and no option that was given already."""
    before, _, after = shown([], [entry()]).partition(REHEARSAL)
    assert ("the ledger has no such pattern of real models", False) == (
        before.splitlines()[0],
        "--rehearsals" in before,
    )
    assert "Claims a rank." in after


def test_what_models_wrote_does_not_steer_the_terminal() -> None:
    """Escape sequences and line breaks in a description or a name are taken out before it is printed."""
    told = shown([entry(description="a\x1b]0;owned\x07\nb", model="\x1b[31mc/d")])
    assert (False, True, True) == ("\x1b" in told, "    a b" in told.splitlines(), "history_04 · c/d" in told)
