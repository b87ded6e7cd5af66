"""The providers' lists in the home, and the warning before a model is asked in vain."""

import asyncio
import io
import json
import os
import stat
import time
import warnings
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from rich.console import Console

from activities.providers.listed_models import ListedModel, ModelList
from parley.catalogue import Providers
from parley.errors import FAILED, VERDICT
from parley.model_lists import sentence
from parley.model_warnings import ModelWarning, issue_model_warnings, model_warnings_as_lines, model_warnings_printed
from parley.options.council import CouncilOptions
from protocols.model_call import ModelId
from rehearsal.api.server import Rehearsal
from rehearsal.faults.script import ModelLists as Played
from rehearsal.faults.script import Script
from runtime.settings import load_settings
from starter.cli import parley
from starter.doctor.checkup import examine
from starter.views.lists import checks
from tests.fakes.programs import PARLEY, run_program

OPUS, GROK = ModelId("openrouter:anthropic/claude-opus-4.6"), ModelId("openrouter:x-ai/grok-4.1-fast")
NOW = datetime.now(UTC)  # noqa: TID251 - a list is of today, or it is asked for again
SOON = NOW.date() + timedelta(days=7)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rehearsal]:
    """Scripted providers in place of OpenRouter and Cerebras, an installation's home, and leave to ask."""
    async with Rehearsal(seed=7) as running:
        file = tmp_path / "endpoints.toml"
        file.write_text(
            f'[providers.openrouter]\nbase_url = "{running.url}/openrouter/api/v1"\ndialect = "openrouter"\n'
            f'[providers.cerebras]\nbase_url = "{running.url}/cerebras/v1"\ndialect = "cerebras"\n'
        )
        (tmp_path / "home").mkdir()
        monkeypatch.setenv("PARLEY_PROVIDERS_FILE", str(file))
        monkeypatch.setenv("PARLEY_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("PARLEY_CHECK_MODELS", "true")
        yield running


def providers() -> Providers:
    """The providers as a fresh process of this installation reads them."""
    return Providers.of(load_settings(), os.environ)


def age(home: Path, hours: float) -> None:
    """Make every kept list of ``home`` so many hours older."""
    for file in (home / "models").glob("*.json"):
        kept = ModelList.model_validate_json(file.read_bytes())
        older = kept.model_copy(update={"read_at": kept.read_at - timedelta(hours=hours)})
        file.write_text(older.model_dump_json())


async def invoke(*arguments: str) -> "Done":
    """Run the program beside this loop, in which the providers answer."""
    done = await asyncio.to_thread(run_program, [PARLEY, *arguments], {**os.environ, "COLUMNS": "200"})
    return Done(done.returncode, done.stdout, done.stderr)


class Done(NamedTuple):
    """How the program ended and what it printed."""

    exit_code: int
    stdout: str
    stderr: str


async def test_a_list_is_asked_for_once_a_day(stage: Rehearsal, tmp_path: Path) -> None:
    """A young list serves without a question; one of yesterday is asked for anew."""
    assert ["listed"] == [one.state for one in await providers().check_models([OPUS])]
    stage.perform(Script(lists=Played(gone=("anthropic/*",))))
    assert ["listed"] == [one.state for one in await providers().check_models([OPUS])]
    age(tmp_path / "home", 25)
    (status,) = await providers().check_models([OPUS])
    today = datetime.now(UTC).date()  # noqa: TID251 - a run of the tests may have begun before midnight
    assert ("retired", f"since {today}") == (status.state, status.note)
    assert 0o600 == stat.S_IMODE((tmp_path / "home" / "models" / "openrouter.json").stat().st_mode)


async def test_a_list_of_the_future_is_asked_for_anew(stage: Rehearsal, tmp_path: Path) -> None:
    """A list that was read while the clock was a month ahead serves no month, and neither does a failure of then."""
    await providers().check_models([OPUS])
    age(tmp_path / "home", -720)
    away = tmp_path / "home" / "models" / "openrouter.away"
    away.touch()
    os.utime(away, times=(time.time() + 3e6,) * 2)
    stage.perform(Script(lists=Played(gone=("anthropic/*",))))
    assert "retired" == (await providers().check_models([OPUS]))[0].state


async def test_an_old_list_serves_while_the_provider_is_away(stage: Rehearsal, tmp_path: Path) -> None:
    """A provider that does not answer leaves what was known, and is not asked again at once."""
    await providers().check_models([OPUS])
    age(tmp_path / "home", 48)
    stage.perform(Script(lists=Played(fault="status-500")))
    assert "listed" == (await providers().check_models([OPUS]))[0].state
    stage.perform(Script(lists=Played(gone=("anthropic/*",))))
    assert "listed" == (await providers().check_models([OPUS]))[0].state
    assert "retired" == (await providers().check_models([OPUS], force=True))[0].state


async def test_without_any_list_a_model_is_unchecked_and_the_cause_is_reported(stage: Rehearsal) -> None:
    """Nothing is known, so nothing is claimed: the model is neither there nor gone."""
    stage.perform(Script(lists=Played(fault="html")))
    (status,) = await providers().check_models([OPUS])
    assert ("unchecked", "a web page in place of a list") == (status.state, status.note)
    assert sentence(status) is None


async def test_a_list_of_another_address_is_not_believed(stage: Rehearsal, tmp_path: Path) -> None:
    """A provider that moved is asked anew; what its former address had says nothing."""
    await providers().check_models([OPUS])
    file = tmp_path / "endpoints.toml"
    file.write_text(file.read_text().replace("/openrouter/api/v1", "/generic/v1"))
    assert providers().lists.cached("openrouter") is None


async def test_no_home_is_made_by_looking(stage: Rehearsal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first start a check leaves the disk as it was."""
    monkeypatch.setenv("PARLEY_HOME", str(tmp_path / "none"))
    assert "listed" == (await providers().check_models([OPUS]))[0].state
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("listed", "state", "said"),
    [
        (ListedModel(), "listed", None),
        (ListedModel(expires=NOW.date() + timedelta(days=99)), "listed", None),
        (
            ListedModel(expires=NOW.date() + timedelta(days=7)),
            "expiring",
            f"retires 'a/b' on {NOW.date() + timedelta(7)}",
        ),
        (ListedModel(expires=date(2025, 1, 31)), "retired", "has retired 'a/b' since 2025-01-31: calls"),
        (None, "unlisted", "does not list 'a/b': calls to it will probably fail. Did you mean 'a/bb'?"),
    ],
)
def test_what_a_list_states_is_a_state_and_a_sentence(
    stage: Rehearsal, tmp_path: Path, listed: ListedModel | None, state: str, said: str | None
) -> None:
    """A model is listed, about to retire, retired or not listed; what matters is reported in one sentence."""
    found = providers()
    base_url = next(line.base_url for line in found.lines() if line.name == "openrouter")
    models = {"a/bb": ListedModel()} | ({"a/b": listed} if listed else {})
    (tmp_path / "home" / "models").mkdir()
    kept = ModelList(provider="openrouter", base_url=base_url, read_at=NOW, models=models)
    (tmp_path / "home" / "models" / "openrouter.json").write_text(kept.model_dump_json())
    status = found.lists.status(ModelId("openrouter:a/b"), {})
    assert state == status.state
    assert (said or "") in (sentence(status) or "")


async def test_a_bare_id_goes_to_the_provider_that_lists_it(stage: Rehearsal, tmp_path: Path) -> None:
    """An id of Cerebras's list is Cerebras's, also once it is retired; without a list the fixed rule holds."""
    given = {"models": ["qwen-3.8-27b", "zai-glm-4.7", "maker/one"], "chair": "lab:one"}

    def routed() -> tuple[str, ...]:
        return tuple(p.model for p in CouncilOptions.of(given, providers().panels).seated().participants)

    assert ("openrouter:qwen-3.8-27b", "cerebras:zai-glm-4.7", "openrouter:maker/one") == routed()
    await providers().check_models([ModelId("cerebras:any")])
    assert ("cerebras:qwen-3.8-27b", "cerebras:zai-glm-4.7", "openrouter:maker/one") == routed()
    stage.perform(Script(lists=Played(gone=("qwen-*",))))
    await providers().check_models([ModelId("cerebras:any")], force=True)
    assert "cerebras:qwen-3.8-27b" == routed()[0]


async def test_a_start_from_python_warns_of_models_that_are_not_there(stage: Rehearsal) -> None:
    """Each model that its provider does not list is a warning; a command that printed them issues none."""
    stage.perform(Script(lists=Played(gone=("x-ai/*",))))
    with pytest.warns(ModelWarning, match=r"openrouter does not list 'x-ai/grok-4\.1-fast'"):
        await issue_model_warnings(providers(), [OPUS, GROK])
    with model_warnings_printed(), warnings.catch_warnings(record=True) as issued:
        await issue_model_warnings(providers(), [OPUS, GROK])
    assert [] == issued


async def test_many_starts_ask_for_a_list_once(stage: Rehearsal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that starts much at once asks a provider once, also one that is away and where no home keeps it."""
    stage.perform(Script(lists=Played(fault="status-500")))
    monkeypatch.setenv("PARLEY_HOME", "none")
    found = providers()
    first, *others = await asyncio.gather(*(found.check_models([OPUS]) for _ in range(3)))
    assert "HTTP status 500" == first[0].note
    assert ["its list could not be read a few minutes ago"] * 2 == [other[0].note for other in others]


async def test_warnings_of_a_command_are_lines(stage: Rehearsal, capsys: pytest.CaptureFixture[str]) -> None:
    """What Python would show with file and line is one line of a command's standard error."""
    stage.perform(Script(lists=Played(gone=("x-ai/*",))))
    with model_warnings_as_lines():
        await issue_model_warnings(providers(), [GROK])
    assert capsys.readouterr().err.startswith("warning: openrouter does not list 'x-ai/grok-4.1-fast'")


async def test_models_check_shows_each_model_with_seats_price_and_context(stage: Rehearsal) -> None:
    """``parley panels check`` has a model's state, what it costs and takes, and every seat that it has."""
    done = await invoke("panels", "check")
    assert VERDICT == done.exit_code
    assert "openrouter:anthropic/claude-sonnet-5.5  listed" in done.stdout
    assert (
        "$1 in, $4 out per million tokens · context 131,072 tokens · JSON schema (its provider's list)" in done.stdout
    )
    assert "council models, chair; consensus generator, curator" in done.stdout
    assert "panel default: 5 models, 0 not there, 0 not checked" in done.stdout


async def test_models_check_ends_with_1_when_a_model_is_not_there(stage: Rehearsal) -> None:
    """A script that checks its panel learns by the exit code that a model is gone or retired."""
    stage.perform(Script(lists=Played(gone=("x-ai/*",), expires={"google/gemini-3-flash-preview": "2025-01-31"})))
    done = await invoke("panels", "check", "seed", "--json")
    states = {row["status"]["model"]: row["status"]["state"] for row in json.loads(done.stdout)["models"]}
    assert FAILED == done.exit_code
    assert ("unlisted", "retired", "listed") == (
        states[GROK],
        states["openrouter:google/gemini-3-flash-preview"],
        states[OPUS],
    )


async def test_models_that_are_named_are_checked(stage: Rehearsal) -> None:
    """Models and tables of seats are checked without any panel, fallbacks too."""
    stage.perform(Script(lists=Played(gone=("x-ai/*",))))
    seats = '["google/gemini-3-flash-preview", {"models": ["anthropic/claude-opus-4.6", "x-ai/grok-4.1-fast"]}]'
    done = await invoke("panels", "check", "--models", seats, "--json")
    document = json.loads(done.stdout)
    found = {row["status"]["model"]: (row["status"]["state"], row["seats"]) for row in document["models"]}
    assert FAILED == done.exit_code
    assert {OPUS: ("listed", ["models p2"]), GROK: ("unlisted", ["models p2"])}.items() <= found.items()
    assert ("listed", ["models p1"]) == found[ModelId("openrouter:google/gemini-3-flash-preview")]


STUDY = """\
name = "checked"
rehearse = true
[dataset]
path = "rows.csv"
id = "id"
question = "question"
[panels.own]
models = [
    { models = ["anthropic/claude-opus-4.6", "x-ai/grok-4.1-fast"], temperature = 0.1 },
    "google/gemini-3-flash-preview",
]
[[arms]]
protocol = "council"
panel = "own"
[[arms]]
name = "alone"
protocol = "single"
options = { models = ["google/gemini-3-flash-preview"] }
"""


async def test_the_arms_of_a_study_file_are_checked(stage: Rehearsal, tmp_path: Path) -> None:
    """Each model is there once with the seats of its arms that are asked; the scripted ones of a rehearsal are not."""
    (tmp_path / "study.toml").write_text(STUDY)
    done = await invoke("panels", "check", "--study", str(tmp_path / "study.toml"))
    assert VERDICT == done.exit_code
    assert [
        "council-own p1, chair",
        "council-own p1, chair",
        "council-own p2; alone p1",
    ] == [line.strip() for line in done.stdout.splitlines() if line.startswith("    council-own")]
    assert f"study {tmp_path / 'study.toml'}: 3 models, 0 not there, 0 not checked" in done.stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["nope"], "there is no panel 'nope'"),
        (["small", "--models", "a/b"], "panel and models are given, and one of them is checked; leave the others out"),
        (["--models", " , "], "there is nothing to check; name models: --models a/b,c/d"),
        (["--models", "a b"], "model 'a b' is not a name such as"),
        (["--models", '{"model": "a/b", "temprature": 1}'], "'temprature' is no key of a seat. Did you mean"),
        (
            ["--models", 'a/b,{"model": "c/d", "seed": 7}'],
            'write seats with settings as one list: ["a/b", {"model": "c/d"}]',
        ),
        (["--study", "nothing.toml"], "there is no file 'nothing.toml'"),
    ],
)
def test_a_check_of_nothing_is_refused(given: list[str], message: str) -> None:
    """What cannot be checked is refused in one sentence before any provider is asked."""
    done = CliRunner().invoke(parley, ["panels", "check", *given])
    assert message in done.stderr
    assert 1 == len(done.stderr.splitlines())


async def test_doctor_names_models_that_are_not_there(stage: Rehearsal, tmp_path: Path) -> None:
    """The check-up looks at the default panel and at the user's own, and says what to do about a model that is gone."""
    (tmp_path / "panels.toml").write_text('[panels.mine]\nmodels = ["x-ai/grok-4.1-fast"]')
    stage.perform(Script(lists=Played(gone=("x-ai/*",))))
    found = {check.name: check for check in await examine(load_settings())}
    assert "all 5 are listed; 5 take a JSON schema" == found["models of panel default"].found
    assert "does not list 'x-ai/grok-4.1-fast'" in found["models of panel mine"].found
    assert "parley panels check mine" in found["models of panel mine"].remedy


async def test_doctor_marks_models_that_could_not_be_looked_at(stage: Rehearsal) -> None:
    """Without a list nothing is known of a panel: no sign of a good end, and no count of models with a schema."""
    stage.perform(Script(lists=Played(fault="status-500")))
    found = {check.name: check for check in await examine(load_settings())}["models of panel default"]
    assert (True, False) == (found.ok, found.is_checked)
    assert found.found.startswith("not checked, ")
    assert "JSON schema" not in found.found
    out = Console(file=io.StringIO(), width=200, record=True)
    out.print(checks([found]))
    assert out.export_text().startswith("? models of panel default: not checked")


async def test_doctor_wants_no_key_that_the_default_panel_does_not_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One key is enough: the key of a provider that no default seat needs may be missing."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-canary-000000")
    found = {check.name: check for check in await examine(load_settings())}
    assert (
        True,
        "keys go to: CEREBRAS_API_KEY → https://api.cerebras.ai:443; key missing; the panel 'default' needs none",
    ) == (
        found["provider cerebras"].ok,
        found["provider cerebras"].found,
    )
    monkeypatch.delenv("OPENROUTER_API_KEY")
    assert not {check.name: check for check in await examine(load_settings())}["provider openrouter"].ok
