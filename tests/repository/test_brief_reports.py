"""The process that shows the results has every outcome, in few messages."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes import brief_reports
from tests.fakes.brief_reports import BriefReports, is_enough

ASKED = {"durations": None, "xmlpath": None, "verbose": -1, "maxfail": 0}


def told(monkeypatch: pytest.MonkeyPatch, **outcomes: str) -> list[str]:
    """What is reported of a test whose phases have these outcomes."""
    reports = [
        SimpleNamespace(when=when, outcome=outcome, passed=outcome == "passed") for when, outcome in outcomes.items()
    ]
    monkeypatch.setattr(brief_reports, "runtestprotocol", lambda *_, **__: reports)
    said: list[str] = []
    hooks = SimpleNamespace(
        pytest_runtest_logreport=lambda report: said.append(f"{report.when} {report.outcome}"),
        pytest_runtest_logfinish=lambda **_: said.append("end"),
    )
    item: Any = SimpleNamespace(ihook=hooks, nodeid="test", location=())
    assert BriefReports().pytest_runtest_protocol(item, None)
    return said


def test_the_call_is_reported_and_what_did_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setup or a teardown that passed says nothing that its call does not say."""
    assert ["call passed", "end"] == told(monkeypatch, setup="passed", call="passed", teardown="passed")
    assert ["call failed", "teardown failed", "end"] == told(
        monkeypatch, setup="passed", call="failed", teardown="failed"
    )
    assert ["setup skipped", "end"] == told(monkeypatch, setup="skipped", teardown="passed")


@pytest.mark.parametrize("asked", [{"durations": 9}, {"xmlpath": "junit.xml"}, {"verbose": 1}, {"maxfail": 1}])
def test_whole_reports_are_sent_where_an_option_needs_them(asked: dict[str, object]) -> None:
    """Times, a file for other programs, a line at the begin of a test, and an end with the first failure need all."""
    assert is_enough(SimpleNamespace(**ASKED))
    assert not is_enough(SimpleNamespace(**ASKED | asked))
