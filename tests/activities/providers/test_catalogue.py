"""The providers file and what it makes."""

from pathlib import Path

import pytest

from activities.providers.catalogue import fairness_key, load_catalogue, queue_of
from activities.providers.errors import ConfigError
from protocols.panel import route


def written(path: Path, text: str) -> Path:
    """A providers file with ``text``."""
    file = path / "providers.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_three_providers_need_no_file() -> None:
    """OpenRouter, Cerebras and Ollama are there without a file."""
    assert {"openrouter", "cerebras", "ollama"} == set(load_catalogue(None, None).providers)


def test_the_file_adds_a_provider_with_a_queue_of_its_own(tmp_path: Path) -> None:
    """A provider whose rate is limited waits on its own task queue."""
    file = written(tmp_path, '[providers.lab]\nbase_url="https://lab.example/v1/"\nrequests_per_second=2\n')
    catalogue = load_catalogue(file, None)
    assert catalogue.provider(route("lab:x")).base_url == "https://lab.example/v1"
    assert queue_of(catalogue.provider(route("lab:x"))) == "models.lab"
    assert catalogue.queues() == {"lab": "models.lab"}


def test_a_provider_without_a_rate_waits_with_all_others() -> None:
    """Without a limit there is one queue for all models."""
    assert queue_of(load_catalogue(None, None).providers["ollama"]) == "parley"


def test_a_long_name_in_any_script_is_a_key_that_the_server_takes() -> None:
    """The server counts the bytes of a fairness key, and takes 64: letters of other scripts have several."""
    assert fairness_key("lab", "a-model") == "lab/a-model"
    assert 60 < len(fairness_key("lab", "模型" * 40).encode()) <= 64


def test_a_dialect_brings_its_defaults(tmp_path: Path) -> None:
    """A Cerebras-like endpoint takes the newer name and always gets a limit."""
    file = written(tmp_path, '[providers.lab]\nbase_url="https://lab.example/v1"\ndialect="cerebras"\n')
    lab = load_catalogue(file, None).providers["lab"]
    assert (lab.max_tokens_field, lab.default_max_tokens) == ("max_completion_tokens", 8192)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[providers.lab\n", "line 1"),
        ("[providers.lab]\n", "providers.lab.base_url"),
        ('[providers.lab]\nbase_url="https://l.example"\nkey="sk-canary"\n', "key_variable"),
        ('[providers.lab]\nbase_url="https://l.example"\nmax_concurrent=0\n', "max_concurrent"),
        ('[providers.lab]\nbase_url="https://l.example"\nrequests_per_second=nan\n', "requests_per_second"),
        ('[providers.lab]\nbase_url="https://l.example"\nrehearsal=true\n', "no such field"),
        ('[providers.rehearsal]\nbase_url="https://l.example"\n', "--rehearse"),
        ('[providers."Bad Name"]\nbase_url="https://l.example"\n', "name"),
        (
            '[provider.lab]\nbase_url="https://l.example"\n',
            "provider: a providers file has only tables [providers.NAME]",
        ),
        ('[providers.lab]\nbase_url="https://u:sk-canary@l.example"\n', "environment variable"),
    ],
)
def test_a_wrong_file_is_refused_by_field_and_without_its_values(tmp_path: Path, text: str, named: str) -> None:
    """What is wrong in the file is named with its place, and a key written there is not repeated."""
    with pytest.raises(ConfigError) as refused:
        load_catalogue(written(tmp_path, text), None)
    assert named in str(refused.value)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"#" * 1_000_001])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    """A providers file that is not UTF-8 or far too large is refused with its name."""
    file = tmp_path / "providers.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"providers\.toml"):
        load_catalogue(file, None)


@pytest.mark.parametrize("name", ["absent.toml", "nul\0.toml", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    """A path that leads to no file is a clear error."""
    with pytest.raises(ConfigError, match="cannot be read"):
        load_catalogue(tmp_path / name, None)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/v1",
        "http://10.0.0.5/v1",
        "http://2130706433/v1",
        "http://0x7f.1/v1",
        "http://127.1/v1",
        "http://0.0.0.0/v1",
        "http://[::ffff:127.0.0.1]/v1",
        "http://localhost.example/v1",
        "http://127.0.0.1@evil.example/v1",
        "https://user:pass@host.example/v1",
        "https://host.example/v1?key=x",
        "https://host.example/v1#x",
        "https://host.example:99999/v1",
        "https:///v1",
        "ftp://host.example/v1",
        "file:///etc/passwd",
        "https://host.example\\@evil/v1",
        "https://höst.example/v1",
        "https://host.example/v1/chat/completions/",
        "",
    ],
)
def test_only_https_and_plain_loopback_are_addresses(tmp_path: Path, url: str) -> None:
    """An address that is not https, or hides something, is refused (the spellings that get round name filters too)."""
    file = written(tmp_path, f"[providers.lab]\nbase_url='{url}'\n")
    with pytest.raises(ConfigError, match="base_url"):
        load_catalogue(file, None)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "http://[::1]:1/v1", "http://localhost:1/v1"])
def test_plain_http_reaches_this_machine(tmp_path: Path, url: str) -> None:
    """Loopback needs no certificate."""
    assert (
        load_catalogue(written(tmp_path, f"[providers.lab]\nbase_url='{url}'\n"), None).providers["lab"].base_url == url
    )


def test_rehearsal_is_there_only_when_it_was_started() -> None:
    """Asking for a rehearsal model without a rehearsal server shows how to start one."""
    with pytest.raises(ConfigError, match="--rehearse"):
        load_catalogue(None, None).provider(route("rehearsal:x"))
    there = load_catalogue(None, "http://127.0.0.1:8080/").provider(route("rehearsal:x"))
    assert (there.rehearsal, there.base_url) == (True, "http://127.0.0.1:8080/openrouter/api/v1")


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    """A model that no one serves is a clear error that states who is there."""
    with pytest.raises(ConfigError, match="cerebras, ollama, openrouter"):
        load_catalogue(None, None).provider(route("nowhere:x"))
