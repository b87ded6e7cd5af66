"""Settings of a process: environment variables that begin with ``PARLEY_``, read once at startup.

``load_settings`` first copies the lines of ``.env`` into the environment, never over a variable that is already there,
so that ``TEMPORAL_…`` variables and provider keys may be in that file too. Then every ``PARLEY_``
variable is read, and an unknown one is an error: a misspelt setting that is silently ignored costs an afternoon.

Where Temporal is (address, TLS, API key, profile) is not asked here: the SDK's own variables say it, see ``target``.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote, unquote

from dotenv import dotenv_values
from pydantic import AfterValidator, Field, SecretStr, ValidationError, field_serializer, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from protocols.constraints import did_you_mean, quoted, sentence_of
from runtime.capacity import calls_that_fit, worker_processes
from runtime.errors import SettingsError
from runtime.home import agreements_file, default_home
from runtime.ports import HIGHEST_PORT, beside
from runtime.redaction import redactor, secrets_of, without_password

PREFIX = "PARLEY_"
_FILE = "sqlite:///"

Port = Annotated[int, Field(ge=1, le=HIGHEST_PORT)]
Folder = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]
Directory = Annotated[Folder, AfterValidator(lambda path: _no_file(path))]  # noqa: PLW0108 - defined below
_TAKEN = re.compile(r"(?:PARLEY|TEMPORAL|OTEL)_\w+|\w+_(?:API_KEY|KEY|TOKEN|SECRET)")
PROVIDERS_FILE = "PARLEY_PROVIDERS_FILE"
CONFIRM_PROVIDERS = "PARLEY_CONFIRM_PROVIDERS"
"""Whether a user must agree to the addresses in the providers file; said by no file of a directory."""
_ADDRESSES = ("TEMPORAL_ADDRESS", "TEMPORAL_CONFIG_FILE", "TEMPORAL_PROFILE")
_TEMPORAL_KEY = "TEMPORAL_API_KEY"
_SHORTEST_TOKEN = 16
_LONGEST_SHOWN = 300
_SECRET = {"encryption_keys", "codec_token", "database_url", "otlp_endpoint", "rehearsal_url", "metrics_address"}
"""Settings that are secret, or an address that may contain a secret: their values are never shown."""


class Settings(BaseSettings):
    """The settings of a process. Paths are absolute; secrets are masked when printed."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    home: Directory = Field(default_factory=default_home, validate_default=True)
    """Where this installation keeps what it must not lose; by default the nearest ``.parley``, see ``runtime.home``."""
    database_url: str = Field(default_factory=lambda got: f"{_FILE}{quote(str(got['home']))}/parley.db", repr=False)
    """The results database, as SQLAlchemy writes it. May contain a password, so it is never printed whole."""
    blobs: Directory = Field(default_factory=lambda read: read["home"] / "blobs")
    """Where large texts are kept; every worker and client of one installation needs the same directory."""
    blob_threshold_bytes: int = Field(default=8192, ge=256, le=1_000_000)
    """A payload of at least so many bytes is stored as a blob and travels by reference."""
    providers_file: Folder | None = Field(default_factory=lambda: _existing(Path("providers.toml")))
    confirm_providers: bool = True
    """Whether a user must agree to the addresses in the providers file; not when the environment names the file."""
    panels_file: Folder | None = Field(
        default_factory=lambda read: _existing(Path("panels.toml")) or _existing(read["home"] / "panels.toml")
    )
    """Named panels beside those that Parley brings; by default ``panels.toml`` in the working directory or the home."""
    datasets: Folder | None = None
    """Below it a worker reads datasets for batches that other Temporal clients start; nowhere without it."""
    check_models: bool = True
    """Ask the providers once a day, without a key, which models they have, to warn before one is asked in vain."""
    rehearsal_url: str | None = Field(default=None, repr=False)
    """Base address of the rehearsal server; only then does the provider ``rehearsal`` exist."""

    server_port: Port = 7233
    """Where the embedded server listens; all other ports are by default at a fixed distance from it."""
    http_port: Port = Field(default_factory=lambda read: beside(read["server_port"], "http_port"))
    """Where the embedded server's HTTP interface listens, which answers no request."""
    server_metrics_port: Port = Field(default_factory=lambda read: beside(read["server_port"], "server_metrics_port"))
    ui_port: Port = Field(default_factory=lambda read: beside(read["server_port"], "ui_port"))
    codec_port: Port = Field(default_factory=lambda read: beside(read["server_port"], "codec_port"))
    rehearsal_port: Port = Field(default_factory=lambda read: beside(read["server_port"], "rehearsal_port"))
    namespace: str = Field(default="default", min_length=1)
    allow_plaintext: bool = False
    """Speak to a Temporal server on another machine without TLS; for a private network such as Compose's."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["auto", "json", "console"] = "auto"
    metrics_address: str | None = Field(default=None, pattern=r"^[^:\s]+:\d{1,5}$")
    """``host:port`` under which Prometheus finds the metrics of the first worker; none by default."""
    otlp_endpoint: str | None = Field(default=None, pattern=r"^https?://", repr=False)
    """Where OpenTelemetry spans go (OTLP over HTTP); none by default."""

    encryption_keys: SecretStr | None = None
    """``id:base64,id:base64`` with 32 bytes each: the first encrypts, all decrypt."""
    codec_token: SecretStr | None = None
    """When set, the codec endpoint answers only requests that carry it as a bearer token."""

    max_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Most dollars of one deliberation that is no part of a study, where it has no budget of its own."""
    max_concurrent_calls: int = Field(default_factory=calls_that_fit, ge=1, le=1000)
    """Model calls that one worker makes at once; also how many a ``kill -9`` of it can repeat."""
    max_cached_workflows: int = Field(default=500, ge=0, le=100_000)
    """More than the deliberations that run at once: below that number every step is a full replay."""
    sandbox: bool = False
    """Run workflows in Temporal's sandbox, at a third more processor time; tests and replays always do."""
    graceful_shutdown_seconds: float = Field(default=150, ge=0, le=3600)
    """How long a worker that is asked to stop waits for the calls in flight."""
    worker_silence_seconds: float = Field(default=30, ge=0, le=86_400)
    """A worker whose event loop has not turned for so long is replaced by the command that started it; 0 is never."""
    workers: int = Field(default_factory=worker_processes, ge=1, le=64)
    """Worker processes of ``parley up``; by default one for every two cores."""
    worker_number: int = Field(default=1, ge=1)
    """Which of them this one is."""
    worker_ready_file: Folder | None = None
    """Written by a worker when it polls."""
    liveness_fd: int | None = Field(default=None, ge=3)
    """The pipe over which a worker shows the command that started it that it lives; see ``runtime.liveness``."""
    parent_pid: int | None = Field(default=None, ge=1)
    """A worker that a command started for its own use ends when that process is gone."""

    @property
    def rehearsal_address(self) -> str:
        """Return the base address of the rehearsal server: the configured one, otherwise that of this machine."""
        return self.rehearsal_url or f"http://127.0.0.1:{self.rehearsal_port}"

    @property
    def ledger_file(self) -> Path | None:
        """Return the file of the ledger; ``None`` where a server keeps it."""
        path = self.database_url.removeprefix(_FILE)
        return None if path == self.database_url else Path(unquote(path))

    @property
    def written_folders(self) -> tuple[Path, ...]:
        """Return the folders of home, ledger and blobs; everything waits while the disk of one of them is full."""
        ledger = self.ledger_file
        return (self.home, *([ledger.parent] if ledger else []), self.blobs)

    @property
    def agreements_file(self) -> Path | None:
        """Return the file that must record the user's agreement to provider addresses; ``None`` if none is needed."""
        return agreements_file() if self.confirm_providers else None

    def with_providers_of_a_study(self, file: Path) -> "Settings":
        """Return these settings with the providers file of a study, which is untrusted unless it is the operator's."""
        is_own = not self.confirm_providers and file == self.providers_file
        return self.model_copy(update={"providers_file": file, "confirm_providers": not is_own})

    @field_validator("log_level", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("codec_token")
    @classmethod
    def _long_enough(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and len(token.get_secret_value()) < _SHORTEST_TOKEN:
            raise ValueError(f"a token of at least {_SHORTEST_TOKEN} characters is needed")
        return token

    @field_serializer("database_url")
    def _masked(self, url: str) -> str:
        return without_password(url)


def load_settings(env_file: str | Path | None = ".env") -> Settings:
    """Read the settings of this process from ``env_file`` and the environment, which wins.

    Raises:
        SettingsError: a ``PARLEY_`` variable is not known or cannot be read; the message names it and the remedy.
    """
    if env_file is not None and Path(env_file).is_file():
        read_env_file(Path(env_file))
    _refuse_unknown(os.environ)
    try:
        settings = Settings()
    except ValidationError as error:
        # A default that is made from another setting fails with it, and says nothing of its own.
        own = [one for one in error.errors() if one["type"] != "default_factory_not_called"]
        raise SettingsError("\n".join(map(_explained, own))) from None
    is_operators_word = PROVIDERS_FILE in os.environ and CONFIRM_PROVIDERS not in os.environ
    return settings.model_copy(update={"confirm_providers": False}) if is_operators_word else settings


def _no_file(path: Path) -> Path:
    if path.exists() and not path.is_dir():
        raise ValueError("it is a file; name a directory")
    return path


def _existing(path: Path) -> Path | None:
    return path.absolute() if path.is_file() else None


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in known)
    if unknown:
        otherwise = "The settings are listed in .env.example; remove or rename the variable."
        hints = (f"{name} is not a setting. {did_you_mean(name, known, otherwise)}" for name in unknown)
        raise SettingsError("\n".join(hints))


def _explained(error: ErrorDetails) -> str:
    field = str(error["loc"][0])
    value = redactor(secrets_of()).head(str(error["input"]), _LONGEST_SHOWN + 1)
    shown = "has a value that" if field in _SECRET else f"is {quoted(value, _LONGEST_SHOWN)}, which"
    return f"{PREFIX}{field.upper()} {shown} cannot be used: {sentence_of(error)}. See .env.example."


def read_env_file(path: Path) -> None:
    """Copy the settings and keys in ``path`` into the environment, never over a variable that is already there.

    The file may have come with the directory, as a study that was downloaded. So only names of settings and of keys
    are taken from it: ``PYTHONPATH`` or ``SSL_CERT_FILE`` there would have a worker run a stranger's code, or trust a
    stranger's server. Nor does a key of the environment go to an address that only the file names.

    Raises:
        SettingsError: the file cannot be read, or says what only the environment may say.
    """
    try:
        lines = dotenv_values(path, interpolate=False)
    except (OSError, ValueError):
        raise SettingsError(f"{str(path)!r} cannot be read; save it as UTF-8 text, or remove it") from None
    new = {name: value for name, value in lines.items() if value is not None and name not in os.environ}
    if CONFIRM_PROVIDERS in new:
        raise SettingsError(f"{CONFIRM_PROVIDERS} is set in {str(path)!r}; only the environment itself may set it")
    moved = next((name for name in _ADDRESSES if name in new), None)
    if moved and _TEMPORAL_KEY in os.environ:
        raise SettingsError(
            f"{str(path)!r} sets {moved}, and {_TEMPORAL_KEY} of the environment would be sent there; set both in the "
            "environment, or both in the file"
        )
    if PROVIDERS_FILE in new:
        # The environment would pass for the operator's, here and in every child.
        new.setdefault(CONFIRM_PROVIDERS, os.environ.get(CONFIRM_PROVIDERS, "true"))
    os.environ.update({name: value for name, value in new.items() if _TAKEN.fullmatch(name)})
