"""What ``.env`` may set, which may have come with its directory."""

import os
from pathlib import Path

import pytest

from runtime.errors import SettingsError
from runtime.settings import CONFIRM_PROVIDERS, PROVIDERS_FILE, load_settings, read_env_file


@pytest.fixture
def env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of ``.env``; what it sets is gone after the test."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".env"


def test_settings_and_keys_are_taken(env_file: Path) -> None:
    """Settings of Parley, of Temporal and of OpenTelemetry, and keys of providers, may be in the file."""
    names = ["PARLEY_UI_PORT", "TEMPORAL_ADDRESS", "OTEL_SERVICE_NAME", "LAB_API_KEY", "LAB_KEY", "COMPANY_TOKEN"]
    env_file.write_text("".join(f"{name}=9001\n" for name in names))
    read_env_file(env_file)
    assert ["9001"] * len(names) == [os.environ[name] for name in names]


@pytest.mark.parametrize(
    "name", ["PYTHONPATH", "PYTHONSTARTUP", "LD_PRELOAD", "SSL_CERT_FILE", "XDG_DATA_HOME", "PATH"]
)
def test_nothing_else_is(env_file: Path, name: str) -> None:
    """No variable that changes which code runs, whom it trusts or where it keeps things comes from the file."""
    before = os.environ.get(name)
    env_file.write_text(f"{name}=./evil\n")
    read_env_file(env_file)
    assert before == os.environ.get(name)


def test_the_environment_wins(env_file: Path) -> None:
    """A variable that is set is never set again."""
    os.environ["LAB_API_KEY"] = "mine"
    env_file.write_text("LAB_API_KEY=theirs\n")
    read_env_file(env_file)
    assert "mine" == os.environ["LAB_API_KEY"]


@pytest.mark.parametrize(
    ("environment", "file", "must_confirm"),
    [
        ({}, "", True),
        ({PROVIDERS_FILE: "mine.toml"}, "", False),
        ({}, f"{PROVIDERS_FILE}=theirs.toml\n", True),
        ({PROVIDERS_FILE: "mine.toml"}, f"{PROVIDERS_FILE}=theirs.toml\n", False),
        ({PROVIDERS_FILE: "mine.toml", CONFIRM_PROVIDERS: "true"}, "", True),
        ({CONFIRM_PROVIDERS: "false"}, "", False),
    ],
)
def test_only_the_environment_vouches_for_a_providers_file(
    env_file: Path, environment: dict[str, str], file: str, *, must_confirm: bool
) -> None:
    """A file that the environment names is trusted; one that ``.env`` names, or that is here, is not."""
    os.environ.update(environment)
    env_file.write_text(file)
    assert [must_confirm] * 2 == [load_settings().confirm_providers for _ in range(2)]


def test_the_file_cannot_do_without_an_agreement(env_file: Path) -> None:
    """The file that could need an agreement does not say that none is needed."""
    env_file.write_text(f"{CONFIRM_PROVIDERS}=false\n")
    with pytest.raises(SettingsError, match="only the environment itself may set it"):
        read_env_file(env_file)


def test_a_key_of_the_environment_goes_to_no_server_of_the_file(env_file: Path) -> None:
    """Temporal's key of the environment is not sent to an address that only the file names."""
    os.environ["TEMPORAL_API_KEY"] = "mine"
    env_file.write_text("TEMPORAL_ADDRESS=evil.example:7233\n")
    with pytest.raises(SettingsError, match="TEMPORAL_ADDRESS"):
        read_env_file(env_file)


def test_a_file_that_is_no_text_is_one_sentence(env_file: Path) -> None:
    """A file in another encoding is named, with what to do."""
    env_file.write_bytes(b"\xff\xfeP\x00A\x00")
    with pytest.raises(SettingsError, match="save it as UTF-8"):
        read_env_file(env_file)
