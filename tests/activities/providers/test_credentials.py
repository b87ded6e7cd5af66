"""Keys are read once and never shown."""

import pytest

from activities.providers.catalogue import load_catalogue
from activities.providers.credentials import read_key, scrubber
from activities.providers.errors import ConfigError
from tests.fakes.calls import provider

KEYED = provider(key_variable="LAB_KEY")


def test_a_key_is_stripped() -> None:
    """The line break that a file leaves at the end of a key is no part of it."""
    key = read_key(KEYED, {"LAB_KEY": " sk-canary-1\n"})
    assert key is not None
    assert key.get_secret_value() == "sk-canary-1"


def test_a_key_does_not_print() -> None:
    """Neither ``str`` nor ``repr`` shows a key."""
    key = read_key(KEYED, {"LAB_KEY": "sk-canary-1"})
    assert "canary" not in f"{key}{key!r}"


@pytest.mark.parametrize(
    "bad", ["sk-canary\nX: y", "sk canary", "sk-canäry", "sk-canary\0", "x" * 5000, '"sk-canary"', "'sk-canary'"]
)
def test_what_cannot_be_a_key_is_refused_unseen(bad: str) -> None:
    """A key with characters that no key has is refused by its variable's name alone."""
    with pytest.raises(ConfigError) as refused:
        read_key(KEYED, {"LAB_KEY": bad})
    assert "LAB_KEY" in str(refused.value)
    assert "canary" not in repr(refused.value)


@pytest.mark.parametrize("environ", [{}, {"LAB_KEY": ""}, {"LAB_KEY": "  "}])
def test_a_missing_key_names_the_variable_to_set(environ: dict[str, str]) -> None:
    """Without a key the error says which variable is to be set."""
    with pytest.raises(ConfigError, match="LAB_KEY"):
        read_key(KEYED, environ)


def test_no_key_is_read_where_none_is_wanted() -> None:
    """A provider without a key variable gets no key."""
    assert read_key(provider(), {"OPENROUTER_API_KEY": "x"}) is None


@pytest.mark.parametrize(
    "said",
    [
        "bad key sk-canary-123456",
        "Incorrect API key provided: sk-can**********ary9",
        "Authorization: Bearer canary.canary",
        "Authorization: canary",
        '{"api_key": "canary-value"}',
        "see https://user:canary@host/x?token=canary&x=1",
        "csk-canary12345 is not valid",
    ],
)
def test_what_looks_like_a_key_is_taken_out(said: str) -> None:
    """A provider's message loses whatever looks like a key, known or not."""
    assert "canary" not in scrubber(None)(said)
    assert "[key]" in scrubber(None)(said)


def test_the_known_key_is_taken_out_wherever_it_stands() -> None:
    """The key itself goes even where it does not look like one."""
    key = read_key(KEYED, {"LAB_KEY": "plainword99"})
    assert scrubber(key)("you sent xplainword99y") == "you sent x[key]y"


def test_scripted_models_are_sent_no_secret() -> None:
    """What means a key at the rehearsal server is a word of its addresses and answers, and stays in both."""
    rehearsal = load_catalogue(None, "http://127.0.0.1:1").providers["rehearsal"]
    scrub = scrubber(read_key(rehearsal, {}))

    assert "https://rehearsal.invalid/1" == scrub("https://rehearsal.invalid/1")
