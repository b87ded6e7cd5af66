"""Secrets taken out of text, in every form in which they come back."""

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.secret_text import SecretScrubber

KEY = "sk-or-Can4ry/9+f1f8c0d9b7e4a6c"
SCRUB = SecretScrubber([KEY], "[key]")

FORMS: dict[str, Callable[[str], str]] = {
    "itself": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "swapped case": str.swapcase,
    "json": lambda key: json.dumps({"k": key}),
    "json twice": lambda key: json.dumps(json.dumps({"k": f'{key}"'})),
    "json escapes": lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
    "repr of bytes": lambda key: repr({"Authorization": key.encode()}),
    "python escapes": lambda key: "".join(f"\\x{ord(c):02x}" for c in key),
    "address": lambda key: f"https://x.example/?q={quote(key, safe='')}",
    "whole address": lambda key: "".join(f"%{ord(c):02X}" for c in key),
    "page": html.escape,
    "entities": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "hexadecimal entities": lambda key: "".join(f"&#x{ord(c):X};" for c in key),
    "hexadecimal": lambda key: key.encode().hex(),
    "upper hexadecimal": lambda key: key.encode().hex().upper(),
    "dump": lambda key: key.encode().hex(" "),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "basic": lambda key: base64.b64encode(f":{key}".encode()).decode(),
    "basic with a user": lambda key: base64.b64encode(f"me:{key}".encode()).decode(),
    "basic with a long user": lambda key: base64.b64encode(f"user:{key}:x".encode()).decode(),
    "base64 for addresses": lambda key: base64.urlsafe_b64encode(f"a{key}".encode()).decode(),
}


def is_in(part: str, text: str) -> bool:
    """Whether a form of the key, without its ends that others share, is still there."""
    middle = part[len(part) // 4 : -len(part) // 4]
    return middle.lower() in text.lower()


@pytest.mark.parametrize("form", FORMS)
def test_a_known_secret_goes_in_every_form(form: str) -> None:
    """Whatever a provider made of the key, it is taken out, and what is around it stays."""
    written = FORMS[form](KEY)
    scrubbed = SCRUB(f"before {written} behind")
    assert not is_in(written, scrubbed)
    assert "[key]" in scrubbed
    assert scrubbed.startswith("before ")
    assert scrubbed.endswith(" behind")


@given(st.binary(max_size=9), st.binary(max_size=9))
def test_base64_is_known_wherever_the_secret_begins_in_it(before: bytes, behind: bytes) -> None:
    """A secret within other bytes leaves at most the characters that it shares with its neighbours."""
    encoded = base64.b64encode(before + KEY.encode() + behind).decode()
    assert len(SCRUB(encoded)) <= len(before) * 2 + len(behind) * 2 + len("[key]") + 8


@given(st.integers(0, 400), st.integers(1, 60), st.sampled_from([20, 20_000]))
def test_no_part_of_a_secret_is_left_at_a_cut(before: int, longest: int, behind: int) -> None:
    """Wherever a text is cut, six characters of the key never be in what is kept."""
    text = "." * before + KEY + "." * behind
    head = SCRUB.head(text, before + longest)
    assert len(head) <= before + longest
    assert KEY[:6] not in head


@given(st.integers(6, len(KEY)))
def test_a_secret_that_is_half_written_is_not_shown(written: int) -> None:
    """The beginning of the key at the end of a text goes, as it does while a model is still writing it."""
    assert "it is [key]" == SCRUB.without_cut_end(SCRUB(f"it is {KEY[:written]}"))[: len("it is [key]")]


def test_many_secrets_before_a_cut_do_not_bring_a_part_of_one_behind_it() -> None:
    """Masks are shorter than what they mean, so that what lay behind the cut moves before it."""
    head = SCRUB.head(KEY * 2_000, 5_000)
    assert KEY[:6] not in head


@pytest.mark.parametrize("text", ["", "no secret", "sk-or-", "Bearer of news, skill-or-luck", "c2s="])
def test_other_text_stays(text: str) -> None:
    """What is no secret is left as it is."""
    assert text == SCRUB(text) == SCRUB.head(text, 100) == SCRUB.exactly(text)


def test_a_word_is_no_secret() -> None:
    """A secret that is too short to be distinguished from words is not looked for."""
    assert "a test" == SecretScrubber(["test"], "[key]")("a test")


def test_a_models_own_words_lose_exact_secrets_only() -> None:
    """What only looks like a secret goes from messages, not from what a model wrote."""
    scrub = SecretScrubber([KEY], "[key]", [(re.compile("Bearer x"), "Bearer [key]")])
    assert ("Bearer x [key]", "Bearer [key] [key]") == (scrub.exactly(f"Bearer x {KEY}"), scrub(f"Bearer x {KEY}"))


@pytest.mark.parametrize("key", ["ollama", "lm-studio", "rehearsal", "not needed"])
def test_a_key_like_a_word_stays_in_a_models_own_words(key: str) -> None:
    """Local servers take any word as a key; a reply with the word is kept as written, an error message is not."""
    scrub = SecretScrubber([key], "[key]")

    assert (f"run {key} first", "run [key] first") == (scrub.exactly(f"run {key} first"), scrub(f"run {key} first"))
