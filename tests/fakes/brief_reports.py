"""Fewer messages from the processes that run tests to the one that shows the results."""

from typing import Any

import pytest
from _pytest.runner import runtestprotocol


def is_enough(option: Any) -> bool:
    """Whether no option needs whole reports, for times, for a line when a test begins, or to end with a failure."""
    return not (option.durations or option.xmlpath or option.verbose > 0 or option.maxfail)


class BriefReports:
    """A pytest plugin: it reports no begin of a test, and no setup and no teardown that passed.

    Of six messages for each test, which cost a millisecond of both processes, three show the same.
    """

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test, and report its call and what did not pass."""
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True
