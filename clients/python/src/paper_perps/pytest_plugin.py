"""Fixtures for pytest, which finds them by itself where the package is installed: an exchange for all tests, and its account for each.

A test that fails keeps the account's journal as a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .venue import Venue

_VENUE = pytest.StashKey["Venue"]()
#: Longest name of a file, without what follows it.
_NAME_MAX = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, each with a variable of the environment for it."""
    group = parser.getgroup("paper", "an exchange for tests (paper_perps)")
    group.addoption("--paper-url", default=os.environ.get("PAPER_URL"), help="a bot's address of one that runs (PAPER_URL)")
    start = os.environ.get("PAPER_START", "bin/start")
    group.addoption("--paper-start", default=start, help="path of bin/start, which starts one (PAPER_START)")
    group.addoption("--paper-seed", type=int, default=1, help="seed of the started one's market")
    journals = os.environ.get("PAPER_JOURNALS", "journals")
    group.addoption("--paper-journals", default=journals, help="folder for journals of failed tests (PAPER_JOURNALS)")


@pytest.fixture(scope="session")
def paper_venue(pytestconfig: pytest.Config) -> Iterator[Venue]:
    """The exchange of all tests: the one at ``--paper-url``, or one of its own."""
    # Not before a test asks for it: other projects' tests run where the package is installed, too.
    from .venue import Venue

    url: str | None = pytestconfig.getoption("--paper-url")
    start: str = pytestconfig.getoption("--paper-start")
    with Venue(url) if url else Venue.start(start, seed=pytestconfig.getoption("--paper-seed")) as venue:
        yield venue


@pytest.fixture
def paper(paper_venue: Venue, request: pytest.FixtureRequest) -> Venue:
    """The exchange for one test. The account of a started one is reset before, so that its journal is that of the test."""
    if paper_venue.is_own:
        paper_venue.perps.account.reset()
    request.node.stash[_VENUE] = paper_venue
    return paper_venue


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps the journal of a test that fails, and says where."""
    report = yield
    venue = item.stash.get(_VENUE, None)
    if report.when == "call" and report.failed and venue is not None:
        path = Path(item.config.getoption("--paper-journals"), f"{_file_name(item.nodeid)}.jsonl").absolute()
        try:
            end = venue.keep_journal(path)
            report.sections.append(("paper journal", f"{path}\nbalance {end.balance_usd}"))
        except Exception as error:  # the failure of the test is what is told first
            report.sections.append(("paper journal", f"{path} was not kept: {error!r}"))
    return report


def _file_name(nodeid: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", nodeid).strip("-.")[-_NAME_MAX:]
