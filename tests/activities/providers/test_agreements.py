"""Keys go only where a user agreed."""

from pathlib import Path

import pytest

from activities.providers.agreements import UNCONFIRMED, Agreement, read_agreements, with_agreement
from activities.providers.catalogue import Catalogue, load_catalogue
from activities.providers.errors import ConfigError

LAB = '[providers.lab]\nbase_url = "https://llm.lab.example/v1"\nkey_variable = "LAB_API_KEY"\n'
AGREED = Agreement(provider="lab", origin="https://llm.lab.example:443", variable="LAB_API_KEY")


def catalogue(tmp_path: Path, text: str, *agreed: Agreement) -> Catalogue:
    """The catalogue of a providers file that came with a directory."""
    file, agreements = tmp_path / "providers.toml", tmp_path / "agreed.json"
    file.write_text(text)
    for one in agreed:
        agreements.write_text(with_agreement(agreements, one))
    return load_catalogue(file, None, agreements_file=agreements)


def test_nothing_is_sent_to_an_address_that_nobody_agreed_to(tmp_path: Path) -> None:
    """The refusal names the variable, the origin and the remedy."""
    with pytest.raises(
        ConfigError, match=r"LAB_API_KEY → https://llm\.lab\.example:443\); nothing was sent.*parley allow lab"
    ) as refused:
        catalogue(tmp_path, LAB).providers["lab"].require_agreement()
    assert UNCONFIRMED == refused.value.error_type


def test_what_was_agreed_to_is_used(tmp_path: Path) -> None:
    """An agreement holds for the same provider, origin and variable, whatever the path below the origin."""
    catalogue(tmp_path, LAB, AGREED).providers["lab"].require_agreement()
    catalogue(tmp_path, LAB.replace("/v1", "/v2"), AGREED).providers["lab"].require_agreement()


@pytest.mark.parametrize(
    "changed",
    [
        LAB.replace("llm.lab", "evil.lab"),
        LAB.replace("lab.example", "lab.example:8443"),
        LAB.replace("LAB_API_KEY", "LAB_KEY"),
        LAB.replace('key_variable = "LAB_API_KEY"\n', ""),
        LAB.replace("https://llm.lab.example", "http://127.0.0.1"),
    ],
)
def test_a_change_needs_another_agreement(tmp_path: Path, changed: str) -> None:
    """Another host, port, scheme or variable was not agreed to."""
    with pytest.raises(ConfigError, match="was not agreed to"):
        catalogue(tmp_path, changed, AGREED).providers["lab"].require_agreement()


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:8000"])
def test_an_address_on_this_machine_without_a_key_needs_none(tmp_path: Path, host: str) -> None:
    """What stays on this machine and holds no key is used at once."""
    text = f'[providers.desk]\nbase_url = "http://{host}/v1"\n'
    catalogue(tmp_path, text).providers["desk"].require_agreement()


def test_prompts_alone_need_an_agreement_too(tmp_path: Path) -> None:
    """An address elsewhere that wants no key still gets every prompt."""
    with pytest.raises(ConfigError, match=r"no key → https://llm\.lab\.example:443"):
        catalogue(tmp_path, LAB.replace('key_variable = "LAB_API_KEY"\n', "")).providers["lab"].require_agreement()


@pytest.mark.parametrize(
    "line",
    [
        'base_url = "https://evil.example/api/v1"\nkey_variable = "OPENROUTER_API_KEY"\ndialect = "openrouter"',
        'base_url = "https://openrouter.ai:8443/api/v1"\nkey_variable = "OPENROUTER_API_KEY"\ndialect = "openrouter"',
        'base_url = "https://openrouter.ai/api/v1"\nkey_variable = "AWS_SECRET_ACCESS_KEY"\ndialect = "openrouter"',
        'base_url = "https://openrouter.ai/api/v1"\nkey_variable = "OPENROUTER_API_KEY"\ndialect = "generic"',
        'base_url = "https://openrouter.ai/api/v1"',
    ],
)
def test_a_built_in_provider_is_not_moved(tmp_path: Path, line: str) -> None:
    """No file of a directory sends a built-in provider's requests or key elsewhere."""
    with pytest.raises(ConfigError, match=r"providers\.openrouter: .* PARLEY_PROVIDERS_FILE"):
        catalogue(tmp_path, f"[providers.openrouter]\n{line}\n")


def test_a_built_in_provider_may_get_other_limits(tmp_path: Path) -> None:
    """Limits of a built-in provider need no agreement: its key goes where it always went."""
    text = (
        '[providers.openrouter]\nbase_url = "https://openrouter.ai/api/v1"\nkey_variable = "OPENROUTER_API_KEY"\n'
        'dialect = "openrouter"\nrequests_per_second = 2\n'
    )
    found = catalogue(tmp_path, text).providers["openrouter"]
    found.require_agreement()
    assert 2 == found.requests_per_second


@pytest.mark.parametrize(
    "variable",
    ["AWS_SECRET_ACCESS_KEY", "OPENROUTER_API_KEY", "CEREBRAS_API_KEY", "GITHUB_TOKEN", "HOME", "LAB", "LAB_SECRET"],
)
def test_a_provider_uses_no_variable_of_another(tmp_path: Path, variable: str) -> None:
    """Only the variables that are named after the provider hold a key for it, even when one would agree."""
    agreed = AGREED.model_copy(update={"variable": variable})
    with pytest.raises(ConfigError, match=rf"{variable} does not belong.*LAB_API_KEY or LAB_KEY"):
        catalogue(tmp_path, LAB.replace("LAB_API_KEY", variable), agreed)


def test_the_operators_own_file_is_taken_as_it_is(tmp_path: Path) -> None:
    """Without a file of agreements nothing is refused: the operator named the file in the environment."""
    file = tmp_path / "providers.toml"
    file.write_text(LAB.replace("LAB_API_KEY", "COMPANY_SECRET").replace("lab]", "openrouter]"))
    load_catalogue(file, None).providers["openrouter"].require_agreement()


@pytest.mark.parametrize("content", ["", "{", '[{"provider": 1}]', "[1]"])
def test_agreements_that_cannot_be_read_are_none(tmp_path: Path, content: str) -> None:
    """A damaged file is an error that names it, not an agreement to everything."""
    (tmp_path / "agreed.json").write_text(content)
    with pytest.raises(ConfigError, match=r"agreed\.json"):
        read_agreements(tmp_path / "agreed.json")
