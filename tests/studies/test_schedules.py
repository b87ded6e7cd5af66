"""``parley schedule``: studies that run again and again, on a whole installation of real processes."""

import json
import re
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from parley.errors import USAGE, VERDICT, RequestError
from protocols.study.scheduled import LONGEST_NAME
from starter.cli import parley
from studies.schedules import checked_name
from tests.fakes.installation import Installation, installation
from tests.fakes.study_files import QUESTIONS, STUDY

DAILY = ("--cron", "0 3 * * *")

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation for all tests of this file."""
    async with installation(tmp_path_factory.mktemp("schedules")) as everything:
        yield everything


def told(installed: Installation, *arguments: str) -> Result:
    """Run the program in this process, against ``installed``."""
    variables = {k: v for k, v in installed.environment.items() if k.startswith(("PARLEY_", "TEMPORAL_"))}
    return CliRunner().invoke(parley, arguments, env=variables)


def created(installed: Installation, name: str, *times: str) -> Result:
    """A schedule of a study of two deliberations."""
    Path("study.toml").write_text(STUDY.replace('"council", "single"', '"single"'))
    Path("questions.csv").write_text(QUESTIONS)
    return told(installed, "schedule", "create", name, "study.toml", *(times or DAILY))


def listed(installed: Installation, name: str) -> dict[str, Any] | None:
    """A schedule as the list has it; the server's own list is a moment late."""
    lines = json.loads(told(installed, "schedule", "list", "--json").stdout)["schedules"]
    return next((line for line in lines if line["name"] == name), None)


def firings(installed: Installation, name: str, *, seconds: float = 60.0) -> list[dict[str, Any]]:
    """The studies that a schedule began, as soon as one is there and none has anything open.

    Raises:
        AssertionError: there was none in time.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        studies = json.loads(told(installed, "batch", "list", "--json").stdout)["studies"]
        found = [one for one in studies if re.fullmatch(rf"{name}-\d{{8}}-\d{{6}}", one["study"])]
        if found and all(one["status"] == "completed" for one in found):
            return found
        time.sleep(0.5)
    raise AssertionError(f"no firing of {name} was held within {seconds} s")


def test_a_schedule_is_made_listed_paused_and_removed(installed: Installation) -> None:
    """Every command shows the schedule unchanged then, and the list has it until it is removed."""
    made = created(installed, "nightly", *DAILY, "--cron", "0 15 * * *", "--json")
    assert made.exit_code == VERDICT, made.stderr
    (line,) = json.loads(made.stdout)["schedules"]
    assert (line["name"], line["times"], line["paused"], line["recent"]) == (
        "nightly",
        "0 3 * * *, 0 15 * * *",
        False,
        [],
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT(03|15):00:00\+00:00", line["next_at"])
    assert "it fires where a worker runs: parley up" in made.stderr
    pattern = told(installed, "batch", "status", "nightly")
    assert "a schedule starts copies of it" in pattern.stderr
    assert pattern.stdout.split()[:2] == ["nightly", "scheduled"]
    assert "no batch of 'nightly' runs now" in told(installed, "batch", "pause", "nightly").stderr
    paused = told(installed, "schedule", "pause", "nightly", "--note", "too [dear]")
    assert "paused" in paused.stdout
    assert "too [dear]" in paused.stdout
    assert "resumed by a user" in told(installed, "schedule", "resume", "nightly").stdout
    removed = told(installed, "schedule", "delete", "nightly")
    assert (removed.exit_code, "the schedule nightly is removed" in removed.stderr) == (VERDICT, True)
    assert listed(installed, "nightly") is None


def test_a_triggered_firing_is_a_study_of_its_own(installed: Installation) -> None:
    """It is called by its moment, all its deliberations run, and it can be looked at like any other study."""
    assert created(installed, "hourly", "--cron", "0 0 1 1 *").exit_code == VERDICT
    assert told(installed, "schedule", "trigger", "hourly").exit_code == VERDICT
    (firing,) = firings(installed, "hourly")
    assert firing["progress"] == {"total": 2, "completed": 2, "failed": 0, "missing": 0}
    assert firing["rehearsal"] is True
    again = told(installed, "batch", "run", firing["study"])
    assert (again.exit_code, "is finished: nothing of it is open" in again.stderr) == (VERDICT, True)
    shown = told(installed, "show", f"{firing['study']}/q1.single-lab", "--json")
    assert shown.exit_code == VERDICT, shown.stderr
    line = listed(installed, "hourly")
    assert line is not None
    assert line["recent"] == [firing["study"]]


def test_two_firings_share_no_answer(installed: Installation) -> None:
    """Each firing asks its models anew; what an earlier one was answered is not used again."""
    assert created(installed, "often", "--cron", "0 0 1 1 *").exit_code == VERDICT
    found: list[dict[str, Any]] = []
    for count in (1, 2):
        assert told(installed, "schedule", "trigger", "often").exit_code == VERDICT
        time.sleep(1.1)
        while len(found := firings(installed, "often")) < count:
            time.sleep(0.5)
    assert [one["used"]["tokens"] > 0 for one in found] == [True, True]
    assert len({one["study"] for one in found}) == 2


def test_a_firing_that_is_not_over_keeps_the_next_one_waiting(installed: Installation) -> None:
    """A user who fires it again learns so, with the firing's name; nothing is left out silently."""
    Path("study.toml").write_text(STUDY.replace('"council", "single"', '"single"') + "\n[budget]\ntokens = 1\n")
    Path("questions.csv").write_text(QUESTIONS)
    assert told(installed, "schedule", "create", "stuck", "study.toml", *DAILY).exit_code == VERDICT
    assert told(installed, "schedule", "trigger", "stuck").exit_code == VERDICT
    said, until = "", time.monotonic() + 60
    while "still runs" not in said and time.monotonic() < until:
        said = told(installed, "schedule", "trigger", "stuck").stderr
        time.sleep(0.5)
    assert "a firing of 'stuck' still runs (stuck/firing-" in said
    assert "parley batch list" in said
    studies = json.loads(told(installed, "batch", "list", "--json").stdout)["studies"]
    (name,) = [one["study"] for one in studies if re.fullmatch(r"stuck-\d{8}-\d{6}", one["study"])]
    assert f"{name} is cancelled" in told(installed, "batch", "cancel", name).stderr


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        (("--cron", "99 3 * * *"), "the times '99 3 * * *' cannot be used: Invalid schedule spec: Minute is not in"),
        (("--cron", "nightly"), "the times 'nightly' cannot be used: "),
        ((*DAILY, "--timezone", "Mars/Base"), "unknown time zone Mars/Base"),
    ],
)
def test_times_that_nobody_can_read_are_refused_with_the_reason(
    installed: Installation, times: tuple[str, ...], reason: str
) -> None:
    """The server's word for it is passed on, and there is no such schedule or study afterwards."""
    name = f"odd-{uuid.uuid4().hex[:8]}"
    done = created(installed, name, *times)
    assert (done.exit_code, reason in done.stderr) == (USAGE, True), done.stderr
    assert f"there is no schedule {name!r}" in told(installed, "schedule", "trigger", name).stderr
    assert name not in told(installed, "batch", "list", "--json").stdout


def test_a_study_that_differs_leaves_no_schedule(installed: Installation) -> None:
    """The ledger has another study of the name: the refusal names the difference, and nothing fires."""
    assert created(installed, "differs").exit_code == VERDICT
    assert told(installed, "schedule", "delete", "differs").exit_code == VERDICT
    Path("questions.csv").write_text(QUESTIONS.replace("?", "??"))
    done = told(installed, "schedule", "create", "differs", "study.toml", *DAILY)
    assert (done.exit_code, "dataset.sha256" in done.stderr) == (USAGE, True), done.stderr
    assert "there is no schedule 'differs'" in told(installed, "schedule", "trigger", "differs").stderr


def test_rows_that_cannot_be_used_are_left_out_of_a_schedule_too(installed: Installation) -> None:
    """The refusal of a bad row names an option that the command has, and with it the schedule is made."""
    Path("study.toml").write_text(STUDY.replace('"council", "single"', '"single"'))
    Path("questions.csv").write_text(f"{QUESTIONS}q3,,A\n")
    create = ("schedule", "create", "skipping", "study.toml", *DAILY)
    refused, made = told(installed, *create), told(installed, *create, "--skip-bad")
    assert (refused.exit_code, "--skip-bad" in refused.stderr) == (USAGE, True)
    assert (made.exit_code, "left out: 1 row;" in made.stderr) == (VERDICT, True), made.stderr


def test_a_name_is_taken_once(installed: Installation) -> None:
    """A second schedule of the name is refused with the command that makes room for it."""
    assert created(installed, "taken").exit_code == VERDICT
    again = created(installed, "taken")
    assert (again.exit_code, "remove it first: parley schedule delete taken" in again.stderr) == (USAGE, True)


@pytest.mark.parametrize("verb", ["pause", "resume", "trigger", "delete"])
def test_a_schedule_that_is_not_there_is_refused(installed: Installation, verb: str) -> None:
    """The refusal names it and says where those that are there are listed."""
    done = told(installed, "schedule", verb, "nobody")
    assert done.exit_code == USAGE
    assert "there is no schedule 'nobody'; parley schedule list shows those there are" in done.stderr


def test_a_name_leaves_space_for_the_moment() -> None:
    """The names of firings are names of studies; a name too long for that is refused with the limit."""
    assert checked_name("n" * LONGEST_NAME) == "n" * LONGEST_NAME
    with pytest.raises(RequestError, match=f"at most {LONGEST_NAME} of a-z, 0-9 and -.* give another one"):
        checked_name("n" * (LONGEST_NAME + 1))
