"""``parley compare``: from a ledger to the screen and to JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from activities.ledger import LedgerActivities
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.studies.scores import Outcome, Score, write_scores
from ledger.studies.writing import enter, open_for_entering
from parley import errors
from runtime.settings import Settings
from starter.commands.compare import compare_command as command
from starter.views.tables import REHEARSAL
from studies.comparison.notes import notes
from studies.comparison.preferences import Preference
from studies.comparison.study import compare_study
from studies.comparison.tables import remarks
from tests.fakes.entered import Whole, entered, line_of
from tests.studies.scores.judged import judgements

LABEL = {"read": "choice", "choices": ["A", "B"], "threshold": None}


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Where the settings look for the ledger."""
    address = f"sqlite:///{tmp_path / 'books.db'}"
    monkeypatch.setenv("PARLEY_DATABASE_URL", address)
    return address


async def written(url: str, whole: Whole, verdicts: list[str | None], *, rehearsal: bool = False) -> None:
    """A ledger with the study, of which so many deliberations ended."""
    store = Store(url)
    await upgrade(store)
    await enter(store, *whole.parts)
    for instance, verdict in zip(whole.instances, verdicts, strict=False):
        await LedgerActivities(store).record_deliberation(line_of(instance, verdict=verdict, rehearsal=rehearsal))
    await store.close()


@pytest.fixture
async def study(url: str) -> str:
    """B is right, as the council says of two rows in three and the consensus of one in two; one is open."""
    right, wrong = "FINAL ANSWER: B", "FINAL ANSWER: A"
    await written(url, entered(label=LABEL), [right, wrong, right, right, wrong])
    return url


@pytest.fixture
async def rehearsed(url: str) -> str:
    """The same by scripted models."""
    await written(url, entered(label=LABEL), ["FINAL ANSWER: B"] * 6, rehearsal=True)
    return url


@pytest.fixture
async def begun(url: str) -> str:
    """A study of which nothing ended yet."""
    await written(url, entered(label=LABEL), [])
    return url


async def _named(url: str, name: str, verdicts: list[str | None], **content: Any) -> None:
    """A study of another name with the same rows; ids of deliberations begin with the name."""
    await written(url, entered(name, label=LABEL, **content), verdicts)


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(command, list(arguments))


def test_a_study_is_compared_from_the_ledger(study: str) -> None:
    """Every figure is in the document, with how far the study is and what the figures mean."""
    done = invoke("toy", "--json", "--baseline", "consensus")
    told = json.loads(done.stdout)
    arms = {one["arm"]: one for one in told["arms"]}
    assert (errors.VERDICT, None, "accuracy", "consensus") == (
        *(done.exit_code, told["label"]),
        *(told["metric"], told["baseline"]),
    )
    assert [(3, 2), (2, 1)] == [(arms[name]["n"], arms[name]["correct"]) for name in ("council", "consensus")]
    assert {"total": 6, "completed": 5, "failed": 0, "missing": 0} == told["progress"]
    assert [("council", 2, "mcnemar")] == [(one["arm"], one["rows"], one["test"]) for one in told["pairs"]]


def test_what_is_open_is_said(study: str) -> None:
    """While the study runs the figures are of what ended."""
    done = invoke("toy")
    assert (errors.VERDICT, True) == (done.exit_code, "1 of 6 deliberations have not ended yet" in done.stdout)


def test_a_rehearsed_study_has_the_label(rehearsed: str) -> None:
    """On the screen on top, in the document by name."""
    assert REHEARSAL in invoke("toy").stdout.splitlines()[1]
    assert REHEARSAL == json.loads(invoke("toy", "--json").stdout)["label"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["other"], "the ledger has no study 'other'"),
        (["toy", "--baseline", "debate"], "there is no arm 'debate' in this study"),
        (["toy", "--metric", "beauty"], "there is no metric 'beauty' in this study"),
        (["toy", "--over-repeats", "median"], "over repeats takes mean, mode, max or pass@K"),
        (
            ["toy", "--over-repeats", "pass@2"],
            "pass@2 needs 2 repeats of a row, and 1 of row 'q0' in 'consensus' ended",
        ),
    ],
)
def test_what_there_is_not_is_refused_by_name(study: str, arguments: list[str], message: str) -> None:
    """A study, an arm and a metric that are not there end with 2 and say what exists."""
    done = invoke(*arguments)
    assert (errors.USAGE, "", True) == (done.exit_code, done.stdout, message in done.stderr)


def test_a_study_of_which_nothing_ended_is_said(begun: str) -> None:
    """It is no table of zeros."""
    done = invoke("toy")
    assert (errors.USAGE, True) == (done.exit_code, "no deliberation of 'toy' has ended yet" in done.stderr)


_RIGHT, _WRONG = "FINAL ANSWER: B", "FINAL ANSWER: A"


@pytest.fixture
async def two(study: str) -> str:
    """A second study of the same rows, in which the council is right of every row; it has one row more."""
    await _named(study, "later", [_RIGHT, _WRONG, _RIGHT, _RIGHT, _RIGHT, _WRONG], rows=4)
    return study


@pytest.mark.usefixtures("two")
def test_two_studies_are_compared_over_their_shared_rows() -> None:
    """Each arm is beside the one of the same name in the first study, and what is left out is counted."""
    told = json.loads(invoke("toy", "later", "--json").stdout)
    pairs = {one["arm"]: one for one in told["pairs"]}
    assert (told["study"], told["over"], told["baseline"]) == ("toy, later", "studies", "toy")
    assert {name: one["baseline"] for name, one in pairs.items()} == {
        "later/consensus": "toy/consensus",
        "later/council": "toy/council",
    }
    assert pairs["later/council"]["difference"] == pytest.approx(1 / 3)
    assert told["left_out"] == {"later": 1}
    screen = invoke("toy", "later").stdout
    assert "Left out of later: 1 row that the others do not have." in screen
    assert "accuracy beside toy (the arm of the same name, or the only one)" in screen


@pytest.fixture
async def firings(study: str) -> str:
    """Three firings of a schedule, in which the council becomes better; a study of a similar name is none."""
    for day, rights in enumerate((1, 2, 3), start=1):
        verdicts = [one for at in range(3) for one in (_RIGHT if at < rights else _WRONG, _WRONG)]
        await _named(study, f"nightly-2026050{day}-030000", list(verdicts))
    await _named(study, "nightly-old", [_RIGHT] * 6)
    return study


@pytest.mark.usefixtures("firings")
def test_firings_of_a_schedule_show_how_arms_change() -> None:
    """Every firing is beside the first one, and the change a day has an interval."""
    told = json.loads(invoke("nightly", "--over", "firings", "--json").stdout)
    trend = {one["arm"]: one for one in told["trends"]}
    assert (told["study"], told["baseline"]) == ("nightly", "nightly-20260501-030000")
    assert trend["council"]["per_day"] == pytest.approx(1 / 3)
    assert (trend["council"]["firings"], trend["council"]["days"], trend["council"]["rows"]) == (3, 2.0, 3)
    assert (trend["consensus"]["per_day"], trend["consensus"]["interval"]) == (pytest.approx(0), None)
    assert {one["arm"] for one in told["pairs"]} == {
        f"nightly-2026050{day}-030000/{arm}" for day in (2, 3) for arm in ("council", "consensus")
    }
    assert "accuracy over time" in invoke("nightly", "--over", "firings").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["toy", "--over", "firings"], "the schedule 'toy' has 0 firings in the ledger"),
        (["toy", "later", "--over", "firings"], "compares the firings of one schedule"),
        (["toy", "later", "--over", "panels"], "compares the panels of one study"),
        (["toy", "--over", "panels", "--over-repeats", "max"], "leave out over_repeats"),
        (["toy", "later", "--score", "mine"], "no scorer 'mine' has scored 'toy'"),
    ],
)
@pytest.mark.usefixtures("two")
def test_what_cannot_be_joined_is_refused(arguments: list[str], message: str) -> None:
    """One sentence names what is missing."""
    done = invoke(*arguments)
    assert (errors.USAGE, True) == (done.exit_code, message in done.stderr), done.stderr


async def judge(study: str, said: Mapping[str, tuple[str | None, str | None]]) -> None:
    """Write the scores of a judge of council and consensus: by row what it said in both orders."""
    pairs = [
        Preference(
            row_id=row,
            repeat=1,
            arm="council",
            other="consensus",
            deliberation_id=f"toy/{row}.council",
            other_id=f"toy/{row}.consensus",
            as_first=orders[0],
            as_second=orders[1],
            length=10,
            other_length=20,
        )
        for row, orders in said.items()
    ]
    async with open_for_entering(study) as store:
        await write_scores(store, "toy", [one.model_copy(update={"scorer": "prefer"}) for one in judgements(pairs)[1]])


async def test_preferences_compare_as_the_share_of_pairs_that_was_won(study: str) -> None:
    """Of a judge of pairs every deliberation has the share it won; a tie is half of one. Its bias is beside them."""
    await judge(study, {"q0": ("first", "second"), "q1": ("first", "first")})
    compared = await compare_study(Settings(database_url=study), "toy", score="prefer", baseline="consensus")
    assert {one.arm: one.scores["prefer"].value for one in compared.arms} == {"council": 0.75, "consensus": 0.25}
    assert [(one.arm, one.difference) for one in compared.pairs] == [("council", 0.5)]
    assert compared.position is not None
    assert (compared.position.pairs, compared.position.first.value, compared.position.second.value) == (2, 0.5, 0.0)
    first, *_ = remarks(compared, {one.arm: one.arm for one in compared.arms})
    assert first.startswith(
        "position bias of the judge: of 2 pairs the answer shown first was preferred in both orders"
    )
    own = await compare_study(Settings(database_url=study), "toy")
    assert own.position is None


async def test_a_scorer_names_how_its_repeats_are_aggregated(study: str) -> None:
    """Its scores carry the way; the option of the command is taken before it."""
    async with open_for_entering(study) as store:
        score = Score(
            scorer="best",
            deliberation_id="toy/q0.council",
            outcome="scored",
            value=1.0,
            correct=True,
            details={"over_repeats": "max"},
            kind="answer",
            fingerprint="0" * 64,
            version="1",
        )
        await write_scores(store, "toy", [score])
    settings = Settings(database_url=study)
    own = await compare_study(settings, "toy", score="best")
    other = await compare_study(settings, "toy", score="best", over_repeats="mode")
    assert (own.over_repeats, other.over_repeats) == ("max", "mode")


async def test_unread_counts_what_a_scorer_gave_no_score(study: str) -> None:
    """A value is a score; an unread grade, a failed function and no score at all are none; a label may be missing."""
    outcomes: list[Outcome] = ["scored", "unread", "failed", "unlabelled"]
    deliberations = [f"toy/{row}.{arm}" for row in ("q0", "q1") for arm in ("consensus", "council")]
    scores = [
        Score(
            scorer="length",
            deliberation_id=one,
            outcome=outcome,
            value=3.0 if outcome == "scored" else None,
            kind="python",
            fingerprint="0" * 64,
            version="1",
        )
        for one, outcome in zip(deliberations, outcomes, strict=True)
    ]
    async with open_for_entering(study) as store:
        await write_scores(store, "toy", scores)

    compared = await compare_study(Settings(database_url=study), "toy", score="length")

    unread = {one.arm: (one.unreadable, one.completed) for one in compared.arms}
    assert unread == {"council": (2, 3), "consensus": (1, 2)}, "of council one has no score at all"
    assert not [line for line in notes(compared) if "template" in line]


async def test_a_judge_of_pairs_leaves_nothing_unread_of_what_it_did_not_compare(study: str) -> None:
    """Unread is a deliberation of which no pair was read; one of another arm, or without a partner, is none."""
    await judge(study, {"q0": ("first", None)})
    compared = await compare_study(Settings(database_url=study), "toy", score="prefer")

    assert {one.arm: one.unreadable for one in compared.arms} == {"council": 1, "consensus": 1}
    assert not any(one.scores.get("prefer") for one in compared.arms)


async def test_a_scorer_of_classes_is_compared_by_tokens(study: str) -> None:
    """It has no value that could be a mean; its classes are the answers, and the notes say so."""
    kept = {"outcome": "scored", "kind": "imported", "fingerprint": "0" * 64, "version": "1", "scorer": "tone"}
    places = [f"toy/{row}.{arm}" for row in ("q0", "q1") for arm in ("consensus", "council")]
    scores = [
        Score.model_validate({**kept, "deliberation_id": place, "label": label})
        for place, label in zip(places, ("kind", "kind", "harsh", "kind"), strict=True)
    ]
    async with open_for_entering(study) as store:
        await write_scores(store, "toy", scores)

    compared = await compare_study(Settings(database_url=study), "toy", score="tone")

    assert (compared.metric, compared.agreement.alpha_units) == ("tokens", 2)
    assert "The scorer tone names classes, which are the answers here: see alpha." in notes(compared)


async def test_a_study_named_twice_is_compared_once(study: str) -> None:
    """Its deliberations would count double, as repeats of themselves that always agree."""
    settings = Settings(database_url=study)
    assert await compare_study(settings, "toy", "toy") == await compare_study(settings, "toy")
