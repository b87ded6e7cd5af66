"""The choices of a question as they may be spelled, and patterns that find them."""

import re
import unicodedata
from functools import lru_cache

from protocols.answer_text import DECORATION, normalised


def same_choice(line: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that ``line`` is, but for decoration and capitals."""
    plain = normalised(line)
    return _plain_choices(choices).get(plain)


def spelled(written: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that ``written`` is, as the question spells it; hyphens and low lines are blanks."""
    return _plain_choices(choices).get(_joined(written))


def _joined(written: str) -> str:
    return re.sub(r"[\s_-]+", " ", normalised(written))


@lru_cache(maxsize=64)
def _plain_choices(choices: tuple[str, ...]) -> dict[str, str]:
    return {form(choice): choice for form in (_joined, normalised) for choice in choices}


def _alternatives(choices: tuple[str, ...]) -> str:
    plain = sorted((unicodedata.normalize("NFKC", choice).strip(DECORATION) for choice in choices), key=_longest_first)
    return "|".join(re.sub(r"(?:\\?[\s_-])+", lambda _: r"[\s_-]{1,3}", re.escape(choice)) for choice in plain)


def _longest_first(choice: str) -> tuple[int, str]:
    return -len(choice), choice


@lru_cache(maxsize=64)
def beginning(choices: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of any choice, the longest first."""
    return re.compile(f"(?:{_alternatives(choices)})", re.IGNORECASE)


@lru_cache(maxsize=64)
def judged(choices: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of ``B is the correct answer``, ``**H. False, True** is correct``, ``(A) is wrong``."""
    return re.compile(
        rf"(?<![\w'’.-])(?P<choice>{_alternatives(choices)})(?!\w)(?:[)\].:*_]{{1,4}}\s?[^\n.;?!]{{0,60}}?)?[\s*_\")\]”]{{1,4}}"
        r"(?:is|seems|remains|would be|must be|has to be|isn't|is thus|is therefore|is clearly|is definitely)"
        r"\s(?P<not>not\s)?(?:the\s)?(?:only\s|most\s|single\s|clearly\s|definitely\s|therefore\s){0,2}"
        r"(?P<what>correct|right|best|incorrect|wrong|accurate|appropriate|answer)\b",
        re.IGNORECASE,
    )
