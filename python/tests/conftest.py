"""How many of scikit-learn's own tests passed against Mercer, told at the end of a run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
import sklearn

OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each file of `scikit/`, and one for all."""
    files: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for outcome in OUTCOMES:
        for report in terminalreporter.getreports(outcome):
            file = Path(report.nodeid.partition("::")[0])
            if file.name.startswith("test_scikit_"):
                kind = kind_of_skip(report) if outcome == "skipped" else outcome
                files[file.name][kind].append(report.nodeid)
                files["all"][kind].append(report.nodeid)
    if files:
        terminalreporter.section(f"scikit-learn {sklearn.__version__}'s own tests, run against Mercer")
    for file, kinds in sorted(files.items(), key=lambda item: (item[0] == "all", item[0])):
        counts = (f"{len(cases)} {kind} ({tests(cases)} tests)" for kind, cases in kinds.items())
        terminalreporter.line(f"{file}: {', '.join(counts)}")


def kind_of_skip(report: pytest.TestReport) -> str:
    """Skips of our list carry a word in front of their reason."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    return "justified skips" if "justified: " in reason else "skips of scikit-learn's own"


def tests(cases: list[str]) -> int:
    """The number of tests without their parameters."""
    return len({case.partition("[")[0] for case in cases})
