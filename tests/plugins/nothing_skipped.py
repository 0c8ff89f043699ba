"""For a machine that has everything: a test skipped for lack of a tool fails instead. Used by .ci/run with `-p`."""

from collections.abc import Generator

import pytest

TOOLS = ("browser", "node", "nginx")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    tool = next((name for name in TOOLS if item.get_closest_marker(name)), None)
    if report.skipped and tool and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"This test needs {tool} and was skipped where {tool} must be there: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"A whole module was skipped: {collector.nodeid}"
    return report
