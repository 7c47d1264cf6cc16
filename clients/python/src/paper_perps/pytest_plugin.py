"""Fixtures for pytest, which finds them by itself where the package is installed: an exchange for all tests, and its account for each.

A test that fails keeps the account's journal as a file.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .venue import Venue

_VENUE = pytest.StashKey["Venue"]()
_STARTED = pytest.StashKey["Venue"]()
#: Longest name of a file, without what follows it.
_NAME_MAX = 120
#: What the name of a file cannot have, and what of that every node id has.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")
_IN_ALL_IDS = re.compile(r"::|[/\[\] -]")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, each with a variable of the environment for it."""
    group = parser.getgroup("paper", "an exchange for tests (paper_perps)")
    group.addoption("--paper-url", default=os.environ.get("PAPER_URL"), help="a bot's address of one that runs (PAPER_URL)")
    start = os.environ.get("PAPER_START", "bin/start")
    group.addoption("--paper-start", default=start, help="path of bin/start, which starts one (PAPER_START)")
    limit = "seconds in which a started one has to be ready; the first start installs and builds"
    group.addoption("--paper-timeout", type=float, default=900.0, help=limit)
    group.addoption("--paper-seed", type=int, default=1, help="seed of the started one's market")
    journals = os.environ.get("PAPER_JOURNALS", "journals")
    group.addoption("--paper-journals", default=journals, help="folder for journals of failed tests (PAPER_JOURNALS)")


@pytest.fixture(scope="session")
def paper_venue(pytestconfig: pytest.Config) -> Iterator[Venue]:
    """The exchange of all tests: the one at ``--paper-url``, or one of its own."""
    # Not before a test asks for it: other projects' tests run where the package is installed, too.
    from .venue import Venue

    url: str | None = pytestconfig.getoption("--paper-url")
    if url:
        with Venue(url) as venue:
            yield venue
        return
    start: str = pytestconfig.getoption("--paper-start")
    seed: int = pytestconfig.getoption("--paper-seed")
    # Closed when all is reported: the last test may fail in its teardown, and its journal is asked for after that.
    venue = Venue.start(start, seed=seed, timeout=pytestconfig.getoption("--paper-timeout"))
    pytestconfig.stash[_STARTED] = venue
    yield venue


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the started exchange, also after Ctrl-C."""
    venue = config.stash.get(_STARTED, None)
    if venue is not None:
        del config.stash[_STARTED]
        venue.close()


@pytest.fixture
def paper(paper_venue: Venue, request: pytest.FixtureRequest) -> Venue:
    """The exchange for one test. The account of a started one is reset before, so that its journal is that of the test."""
    path = _journal_of(request.node)
    path.unlink(missing_ok=True)  # of an earlier run, in which it failed
    request.node.stash[_VENUE] = paper_venue
    paper_venue.require_running()
    if paper_venue.is_own:
        paper_venue.perps.account.reset()
    return paper_venue


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps the journal of a test that fails, in its setup and teardown as well, and says where."""
    report = yield
    venue = item.stash.get(_VENUE, None)
    if report.failed and venue is not None:
        path = _journal_of(item)
        try:
            end = venue.keep_journal(path)
            report.sections.append(("paper journal", f"{path}\nbalance {end.balance_usd}"))
        except Exception as error:  # the failure of the test is what is told first
            report.sections.append(("paper journal", f"{path} was not kept: {error!r}"))
    return report


def _journal_of(item: pytest.Item) -> Path:
    return Path(item.config.getoption("--paper-journals"), f"{_file_name(item.nodeid)}.jsonl").absolute()


def _file_name(nodeid: str) -> str:
    """Names of two tests differ, also where what differs cannot be in the name of a file."""
    name = _NOT_IN_NAMES.sub("-", nodeid).strip("-.")
    is_whole = len(name) <= _NAME_MAX and not _NOT_IN_NAMES.search(_IN_ALL_IDS.sub("", nodeid))
    return name if is_whole else f"{name[-_NAME_MAX:]}-{hashlib.sha256(nodeid.encode()).hexdigest()[:8]}"
