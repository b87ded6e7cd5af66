"""A user agrees to where keys go: on a terminal, by an option, by a command."""

import asyncio
import io
import json
import os
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from parley.catalogue import Providers
from parley.errors import USAGE, VERDICT, RequestError
from protocols.panel import Panel
from runtime.home import agreements_file
from runtime.settings import Settings, load_settings
from starter.cli import parley
from starter.handlers import preparation
from starter.handlers.preparation import agree
from tests.fakes.study_files import QUESTIONS, STUDY

FILE = '[providers.lab]\nbase_url = "https://llm.lab.example/v1"\nkey_variable = "LAB_API_KEY"\n'
GOES_TO = "LAB_API_KEY → https://llm.lab.example:443"
PANEL = Panel.of(("lab:small", "openrouter:x/y"), "openrouter:x/y")


@pytest.fixture(autouse=True)
def directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with a providers file and a study that names it, as it may be downloaded."""
    Path("providers.toml").write_text(FILE)
    Path("questions.csv").write_text(QUESTIONS)
    Path("study.toml").write_text('providers = "providers.toml"\n' + STUDY.replace('"rehearsal:', '"openrouter:'))
    monkeypatch.setenv("LAB_API_KEY", "sk-canary-4f1f8c0d9b7e4a6c")


def invoke(*arguments: str, answer: str | None = None) -> Result:
    """Run the program in this process."""
    return CliRunner().invoke(parley, arguments, input=answer)


def providers() -> Providers:
    """As a command reads them now."""
    return Providers.of(load_settings(), os.environ)


class Terminal(io.StringIO):
    """Standard input or error of a user."""

    def isatty(self) -> bool:
        """A user sits there."""
        return True


def test_an_address_that_nobody_agreed_to_is_refused_with_the_remedy() -> None:
    """Without a terminal the command ends before anything is sent, and names both ways to agree."""
    done = invoke("council", "Why?", "--models", "lab:small,lab:large")
    assert USAGE == done.exit_code
    assert GOES_TO in done.stderr
    assert "parley allow lab, or --allow-provider lab" in done.stderr


def test_a_person_agrees_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """``parley allow`` says what goes where, keeps it for this user alone, and the provider is used from then on."""
    first = providers().unconfirmed([PANEL])
    done = invoke("allow", "lab")
    assert (VERDICT, f"agreed: {GOES_TO}") == (done.exit_code, done.stderr.strip())
    assert ([GOES_TO], ()) == ([one.text for one in first], providers().unconfirmed([PANEL]))
    assert 0o600 == stat.S_IMODE(agreements_file().stat().st_mode)
    monkeypatch.chdir("/")
    assert [{"provider": "lab", "origin": "https://llm.lab.example:443", "variable": "LAB_API_KEY"}] == json.loads(
        agreements_file().read_text()
    )


def test_another_address_takes_the_place_of_the_first() -> None:
    """Of one provider the address that was agreed to last counts."""
    invoke("allow", "lab")
    Path("providers.toml").write_text(FILE.replace("llm.lab", "new.lab"))
    invoke("allow", "lab")
    assert () == providers().unconfirmed([PANEL])
    Path("providers.toml").write_text(FILE)
    assert [GOES_TO] == [one.text for one in providers().unconfirmed([PANEL])]


def test_no_agreement_is_lost_to_another_at_the_same_time() -> None:
    """Each writer of the file begins with what the last one wrote."""
    names = [f"lab{number}" for number in range(20)]
    Path("providers.toml").write_text("".join(FILE.replace("lab", name).replace("LAB", name.upper()) for name in names))
    known = providers()
    with ThreadPoolExecutor(8) as threads:
        kept = list(threads.map(known.remember, map(known.agreement, names)))
    assert all(kept)
    assert set(names) == {agreed["provider"] for agreed in json.loads(agreements_file().read_text())}


@pytest.mark.parametrize(
    ("name", "exit_code", "said"), [("openrouter", VERDICT, "no agreement is needed"), ("x", USAGE, "known are")]
)
def test_what_needs_no_agreement_is_said(name: str, exit_code: int, said: str) -> None:
    """A built-in provider needs none, and a provider that is not there is named with those that are."""
    done = invoke("allow", name)
    assert exit_code == done.exit_code
    assert said in done.stderr


def test_the_command_line_allows_by_name() -> None:
    """``--allow-provider`` agrees to the providers that it names, and to no other."""
    agree(providers(), [PANEL], ["lab"])
    assert () == providers().unconfirmed([PANEL])
    with pytest.raises(RequestError, match="there is no provider 'lob'"):
        agree(providers(), [PANEL], ["lob"])


@pytest.mark.parametrize(("answer", "agreed"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_on_a_terminal_a_person_is_asked(monkeypatch: pytest.MonkeyPatch, answer: str, *, agreed: bool) -> None:
    """The question names variable and origin, and only yes is an agreement; the end of the input is none."""
    screen = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr", screen)
    agree(providers(), [PANEL], [])
    assert f"Keys go to: {GOES_TO}" in screen.getvalue()
    assert agreed is not bool(providers().unconfirmed([PANEL]))


def test_ctrl_c_answers_the_question_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command whose user is asked ends at once with Ctrl-C, and agrees to nothing."""

    def asked(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
        raise AssertionError("it waited on")

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr("click.confirm", asked)
    with pytest.raises(asyncio.CancelledError):
        agree(providers(), [PANEL], [])

    assert 1 == len(providers().unconfirmed([PANEL]))


def test_nobody_is_asked_where_nobody_sits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that prints JSON, or without a terminal, asks nothing and agrees to nothing."""
    monkeypatch.setattr(preparation, "_is_confirmed", lambda _wanted: pytest.fail("asked"))
    agree(providers(), [PANEL], [], may_ask=False)
    assert 1 == len(providers().unconfirmed([PANEL]))


@pytest.mark.parametrize("arguments", [["models"], ["doctor"]])
def test_where_keys_go_is_shown(arguments: list[str]) -> None:
    """The list of providers and the check-up show variable and origin, and what is not agreed to."""
    done = invoke(*arguments)
    assert GOES_TO in done.stdout
    assert "OPENROUTER_API_KEY → https://openrouter.ai:443" in done.stdout
    assert "parley allow lab" in done.stdout


def test_a_dry_run_shows_where_keys_go() -> None:
    """Before anything runs, a study says which variables go to which origins."""
    done = invoke("batch", "run", "study.toml", "--dry-run")
    assert "keys go to: " in done.stderr
    plan = json.loads(invoke("batch", "run", "study.toml", "--dry-run", "--json").stdout)
    assert ["OPENROUTER_API_KEY → https://openrouter.ai:443"] == plan["keys_go_to"]


def test_a_study_moves_no_built_in_provider() -> None:
    """A study's providers file that redefines a built-in provider is refused before anything is read from it."""
    evil = FILE.replace("lab]", "openrouter]").replace("LAB_API_KEY", "OPENROUTER_API_KEY")
    Path("providers.toml").write_text(evil)
    done = invoke("batch", "run", "study.toml", "--dry-run")
    assert USAGE == done.exit_code
    assert "providers.openrouter: a file in a working or study directory may give" in done.stderr


def test_a_study_is_not_vouched_for_by_the_operators_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment names one file; a study that names another is asked about, the same one is not."""
    monkeypatch.setenv("PARLEY_PROVIDERS_FILE", str(tmp_path / "providers.toml"))
    settings: Settings = load_settings()
    assert not settings.confirm_providers
    assert settings.with_providers_of_a_study(tmp_path / "other.toml").confirm_providers
    assert not settings.with_providers_of_a_study(tmp_path / "providers.toml").confirm_providers
