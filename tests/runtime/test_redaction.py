"""What never is in a line that is printed."""

import pytest

from runtime.redaction import MASK, redactor, secrets_of, without_password

CANARY = 'canary"key\\with/odd+signs=='


@pytest.mark.parametrize(
    "line",
    [
        CANARY,
        f"{CANARY!r}",
        f"{{'k': {CANARY.encode()!r}}}",
        '{"k": "canary\\"key\\\\with/odd+signs=="}',
        "https://x.example/?q=canary%22key%5Cwith%2Fodd%2Bsigns%3D%3D",
    ],
)
def test_known_secret_is_masked_in_every_spelling(line: str) -> None:
    """A secret is masked as it is, as Python or JSON print it, and inside an address."""
    assert "odd" not in redactor({CANARY})(line)


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer canary.canary-canary",
        "authorization=bearer%20canarycanary",
        "key sk-or-v1-canarycanary was refused",
        "key csk-canarycanary was refused",
        "GET https://x.example/v1?api_key=canarycanary&a=b",
        "https://user:canarycanary@x.example/v1",
        "postgresql+asyncpg://parley:canarycanary@db/parley",
    ],
)
def test_unknown_secret_is_masked_by_its_shape(line: str) -> None:
    """A bearer token, a provider's key and a password in an address are masked."""
    masked = redactor(())(line)

    assert "canary" not in masked
    assert MASK in masked


@pytest.mark.parametrize("line", ["the bearer of news", "task-queue", "https://x.example/a?page=2", "risk-averse"])
def test_ordinary_words_stay(line: str) -> None:
    """A text without a secret is printed unchanged."""
    assert line == redactor(())(line)


def test_secrets_are_known_by_telling_names() -> None:
    """Values of variables named as secrets are secrets, key rings in parts; short words and other values are not."""
    environment = {
        "OPENROUTER_API_KEY": " canary-one ",
        "PARLEY_ENCRYPTION_KEYS": "k1:canary-two,k2:canary-three",
        "SHORT_API_KEY": "abc",
        "HOME": "/home/somebody",
    }

    assert {"canary-one", "canary-two", "canary-three"} <= secrets_of(environment)
    assert not {"abc", "/home/somebody"} & secrets_of(environment)


def test_password_leaves_an_address() -> None:
    """Only the password of an address is masked."""
    assert without_password("postgresql://me:canary@db/x") == f"postgresql://me:{MASK}@db/x"
    assert without_password("sqlite:////home/x.db") == "sqlite:////home/x.db"
