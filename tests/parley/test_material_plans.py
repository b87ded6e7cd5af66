"""What attached files and searches of the web add to an estimate."""

from pathlib import Path
from typing import Any

import pytest

from parley.call_plans import Range
from parley.estimates import Estimate, estimate_calls
from parley.specs import PROTOCOLS
from protocols.attachments import BLOCK_TOKENS
from protocols.sources import SEARCH_USD
from tests.fakes.files import png, written
from tests.fakes.specified import chosen


def estimated(name: str, **options: Any) -> Estimate:
    """Return the estimate of a protocol with prices of nothing but searches."""
    spec, picked = PROTOCOLS[name], chosen(name, **options)
    return estimate_calls(name, spec.plan(picked, picked.seated(), None), lambda *_: 0.0, clarify=False)


@pytest.mark.parametrize("name", ["council", "consensus", "fire-circle", "vote", "mixture"])
def test_a_file_is_charged_in_every_call(name: str, tmp_path: Path) -> None:
    """Where every seat is shown the files, each call has their tokens and those of the marks."""
    bare, shown = estimated(name), estimated(name, attach=written(tmp_path, "chart.png", png()))

    more, calls = 258 + BLOCK_TOKENS, bare.total.calls
    assert bare.total.prompt_tokens.low + calls.low * more == shown.total.prompt_tokens.low
    assert bare.total.prompt_tokens.high + calls.high * more == shown.total.prompt_tokens.high


@pytest.mark.parametrize(("name", "answers"), [("council", 3), ("vote", 3), ("mixture", 6), ("consensus", 1)])
def test_a_search_is_priced_for_each_answer(name: str, answers: int) -> None:
    """As many as the participants answer; without the option there is none."""
    searched = estimated(name, web=True)

    assert Range(low=answers, high=answers) == searched.searches
    assert searched.total.usd is not None
    assert pytest.approx(answers * SEARCH_USD) == searched.total.usd.low
    assert Range(low=0, high=0) == estimated(name).searches
