"""The settings of a process, and how it refuses what it does not understand."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.encryption import read_keys
from runtime.errors import SettingsError
from runtime.logs import _given
from runtime.redaction import redactor
from runtime.settings import Settings, load_settings


def test_defaults_stand_in_one_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Results and blobs are below the home directory unless they are named."""
    monkeypatch.setenv("PARLEY_HOME", str(tmp_path / "house"))
    read = load_settings(None)

    assert tmp_path / "house" / "blobs" == read.blobs
    assert f"sqlite:///{tmp_path}/house/parley.db" == read.database_url


def test_home_is_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative home is taken from where the process was started, once."""
    monkeypatch.setenv("PARLEY_HOME", "house")
    assert Path.cwd() / "house" == load_settings(None).home


def test_a_named_home_goes_before_the_nearest_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``PARLEY_HOME`` is used where a ``.parley`` lies, too."""
    (Path.cwd() / ".parley").mkdir()
    found = load_settings(None).home
    monkeypatch.setenv("PARLEY_HOME", str(tmp_path / "named"))

    assert (Path.cwd() / ".parley", tmp_path / "named") == (found, load_settings(None).home)


def test_ports_of_the_server_stand_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another server port moves all others, none of which leaves the range of ports, save those that are set."""
    monkeypatch.setenv("PARLEY_SERVER_PORT", "7300")
    moved = load_settings(None)
    monkeypatch.setenv("PARLEY_UI_PORT", "8080")
    monkeypatch.setenv("PARLEY_SERVER_PORT", "65530")
    highest = load_settings(None)

    assert (7310, 7311, 8300, 8367, 8466) == (
        *(moved.http_port, moved.server_metrics_port, moved.ui_port, moved.codec_port, moved.rehearsal_port),
    )
    assert 8080 == highest.ui_port
    assert (65520, 65519) == (highest.http_port, highest.server_metrics_port)


def test_a_default_that_is_made_of_a_wrong_setting_is_no_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong value is one line, though other settings are derived from it."""
    monkeypatch.setenv("PARLEY_SERVER_PORT", "abc")
    with pytest.raises(SettingsError) as refused:
        load_settings(None)

    assert 1 == len(str(refused.value).splitlines())


def test_environment_wins_over_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A variable that is already set is not changed by the file."""
    monkeypatch.setenv("PARLEY_SERVER_PORT", "7001")
    monkeypatch.setenv("PARLEY_UI_PORT", "will be restored")
    monkeypatch.delenv("PARLEY_UI_PORT")
    (tmp_path / ".env").write_text("PARLEY_SERVER_PORT=7002\nPARLEY_UI_PORT=7003\n")
    read = load_settings()

    assert (read.server_port, read.ui_port) == (7001, 7003)


def test_file_reaches_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Temporal's variables and provider keys may be in the file; a dollar sign in a key is a dollar sign."""
    monkeypatch.setenv("PLANTED_API_KEY", "will be restored")
    monkeypatch.delenv("PLANTED_API_KEY")
    (tmp_path / ".env").write_text("PLANTED_API_KEY=ab${HOME}cd\n")
    load_settings()

    assert os.environ["PLANTED_API_KEY"] == "ab${HOME}cd"


def test_unknown_setting_is_refused_with_near_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt variable is an error that names what was probably meant."""
    monkeypatch.setenv("PARLEY_SERVER_PROT", "7001")

    with pytest.raises(SettingsError, match=r"PARLEY_SERVER_PROT is not a setting.*PARLEY_SERVER_PORT"):
        load_settings(None)


def test_unusable_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error names the variable and the value it found."""
    monkeypatch.setenv("PARLEY_SERVER_PORT", "70000")

    with pytest.raises(SettingsError, match=r"PARLEY_SERVER_PORT is '70000'.*write 65535 or less"):
        load_settings(None)


@pytest.mark.parametrize("make", [Path.touch, os.mkfifo])
@pytest.mark.parametrize("name", ["PARLEY_HOME", "PARLEY_BLOBS"])
def test_a_directory_that_is_a_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    """Before anything is made, the error names the variable, its value and the remedy; a device is a file, too."""
    make(tmp_path / "mine")
    monkeypatch.setenv(name, str(tmp_path / "mine"))
    with pytest.raises(SettingsError, match=rf"{name} is '.*mine'.*it is a file; name a directory"):
        load_settings(None)


def test_a_long_path_is_shown_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A path that was cut would be another; what is too long for a message ends with a mark."""
    path = tmp_path / ("a" * 100) / "mine"
    path.parent.mkdir()
    path.touch()
    monkeypatch.setenv("PARLEY_HOME", str(path))
    with pytest.raises(SettingsError, match=rf"PARLEY_HOME is '{path}', which cannot be used: it is a file"):
        load_settings(None)
    monkeypatch.setenv("PARLEY_SERVER_PORT", "7" * 1000)
    with pytest.raises(SettingsError, match=r"PARLEY_SERVER_PORT is '7{299}…', which cannot be used"):
        load_settings(None)


def test_unusable_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error about a secret names the variable and never the value."""
    monkeypatch.setenv("PARLEY_CODEC_TOKEN", "canary")
    with pytest.raises(SettingsError) as refusal:
        load_settings(None)

    assert "PARLEY_CODEC_TOKEN" in str(refusal.value)
    assert "canary" not in str(refusal.value)


def test_secrets_are_masked_when_printed() -> None:
    """Neither the printed nor the dumped settings hold a key, a token or a database password."""
    url = "postgresql+asyncpg://parley:canary-password@db/parley"
    chosen = Settings.model_validate(
        {"encryption_keys": "k1:canary-key", "codec_token": "canary-token-canary", "database_url": url}
    )

    assert "canary" not in f"{chosen!r} {chosen} {chosen.model_dump()} {chosen.model_dump_json()}"
    assert chosen.database_url == url


def test_settings_cannot_be_changed(settings: Settings) -> None:
    """Settings are read once and never changed."""
    with pytest.raises(ValueError, match="frozen"):
        settings.server_port = 1  # type: ignore[misc]  # the test tries what mypy forbids


def test_log_level_is_read_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level may be written small."""
    monkeypatch.setenv("PARLEY_LOG_LEVEL", "debug")

    assert load_settings(None).log_level == "DEBUG"


def test_example_file_lists_every_setting() -> None:
    """The example file names each variable, so that an error may point to it."""
    example = (Path(__file__).parents[2] / ".env.example").read_text()
    missing = [name for name in Settings.model_fields if f"PARLEY_{name.upper()}=" not in example]

    assert missing == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PARLEY_CODEC_TOKEN", "sekret-1"),
        ("PARLEY_OTLP_ENDPOINT", "ftp://me:sekret-1@host"),
        ("PARLEY_METRICS_ADDRESS", "me:sekret-1@host:1"),
        ("PARLEY_ENCRYPTON_KEYS", "sekret-1"),
        ("PARLEY_MY_SECRET", "sekret-1"),
        ("PARLEY_UI_PORT", "sekret-1-of-another-variable"),
    ],
)
def test_an_error_shows_no_secret(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """A setting that cannot be used is named, and its value is shown only where it can be no secret."""
    monkeypatch.setenv("LAB_API_KEY", "sekret-1-of-another-variable")
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name) as refused:
        load_settings(None)
    assert "sekret" not in str(refused.value)


@pytest.mark.parametrize("keys", ["sekret1sekret1", "k1:sekret-1", "sekret+1/=="])
def test_a_key_ring_that_cannot_be_read_shows_no_key(keys: str) -> None:
    """A key that was written without its id is not taken for an id and shown."""
    with pytest.raises(SettingsError, match="key 1 of PARLEY_ENCRYPTION_KEYS") as refused:
        read_keys(keys)
    assert "sekret" not in str(refused.value)


def test_addresses_with_a_password_are_not_printed() -> None:
    """Neither the printed settings nor a line of the log show what is before the host of an address."""
    settings = Settings(
        otlp_endpoint="http://me:sek%40ret1@host",
        rehearsal_url="http://me:sek%40ret1@h",
        database_url="postgresql://u:sek%40ret1@h/d",
    )
    assert "ret1" not in repr(settings)
    assert "ret1" not in redactor(_given(settings))("sek%40ret1 sek@ret1")
