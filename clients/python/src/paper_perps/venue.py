"""An exchange for tests: started by ``bin/start --ci`` or found at an address, moved by its control calls."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import httpx

from .client import PaperPerps
from .errors import ServiceError
from .export import ExportEnd
from .transport import RetryingTransport

#: Seconds that a control call may take: a scenario works for 220, and the last way of it for a minute more.
_CONTROL_TIMEOUT = 330.0
#: Seconds in which a started exchange ends by itself.
_STOP_TIMEOUT = 60.0
#: Seconds in which one gets ready: the first start installs and builds.
_START_TIMEOUT = 900.0
#: Seconds in which a process of the exchange that died is back.
_BACK_WITHIN = 60.0
#: Calls of a minute in which an advance has to be done.
_ADVANCES_MAX = 10
#: Characters of what it printed that an error repeats.
_WORDS_MAX = 4000


class Venue:
    """An exchange whose ``CONTROL`` is on, and an account on it.

    Attributes:
        base_url: of the API.
        exchange_url: what a bot is given, with the key in it.
        api_key: of the account.
        perps: the account's dashboard, explanations and exports.
    """

    def __init__(self, url: str) -> None:
        """``url`` is the address that a bot uses, with an API key in it."""
        origin, found, key = url.rstrip("/").partition("/v1/exchanges/perpx/key/")
        if not found or not key:
            raise ValueError("an address with a key in it is needed: …/v1/exchanges/perpx/key/<key>")
        self.base_url = origin
        self.exchange_url = url.rstrip("/")
        self.api_key = key
        self.perps = PaperPerps(self.exchange_url)
        transport = RetryingTransport(httpx.HTTPTransport(), attempts=3, longest_wait=30.0)
        self._control = httpx.Client(transport=transport, timeout=_CONTROL_TIMEOUT, headers={"X-API-Key": key})
        self._process: subprocess.Popen[str] | None = None
        self._words: IO[str] | None = None

    @classmethod
    def start(
        cls, command: str | os.PathLike[str] = "bin/start", *, seed: int = 1, timeout: float = _START_TIMEOUT
    ) -> Venue:
        """Starts an exchange of its own, which ends with ``close``, and with this program at the latest, however it ends.

        Args:
            command: path of the exchange's ``bin/start``.
            seed: of its market, which is the same each time.
            timeout: seconds in which it has to be ready; the first start installs and builds.

        Raises:
            RuntimeError: it did not start, with what it printed.
        """
        # A file, because nobody reads what it prints meanwhile.
        words = tempfile.TemporaryFile("w+")
        try:
            # With --attached it ends with its standard input. A session of its own: Ctrl-C reaches it through us alone.
            process = subprocess.Popen(
                [os.fspath(command), "--ci", "--attached", "--seed", str(seed)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                text=True,
                start_new_session=True,
            )
        except OSError:
            words.close()
            raise
        late = threading.Event()

        def give_up() -> None:
            late.set()
            _stop(process)

        timer = threading.Timer(timeout, give_up)
        timer.daemon = True
        timer.start()
        try:
            line = process.stdout.readline() if process.stdout else ""
            try:
                url = str(json.loads(line)["exchangeUrl"])
            except (ValueError, KeyError, TypeError):
                _end(process)
                how = f"was not ready within {timeout:g} s" if late.is_set() else f"ended with {process.returncode}"
                raise RuntimeError(f"{command} --ci {how}:\n{line}{_last(words)}") from None
            venue = cls(url)
        except BaseException:
            _end(process)
            words.close()
            raise
        finally:
            timer.cancel()
        venue._process, venue._words = process, words
        return venue

    def require_running(self) -> None:
        """Does nothing while the exchange may answer.

        Raises:
            RuntimeError: the exchange that ``start`` started has ended by itself, with the last that it printed.
        """
        if self._process is not None and self._words is not None and self._process.poll() is not None:
            raise RuntimeError(f"the exchange has ended with {self._process.returncode}:\n{_last(self._words)}")

    @property
    def is_own(self) -> bool:
        """Whether ``start`` started it: then nobody else uses its account."""
        return self._process is not None

    def control(self, action: str, **fields: object) -> dict[str, Any]:
        """Moves the market or time, as the exchange's docs/control.md says. Returns the answer.

        Raises:
            ServiceError: it was refused; then it changed nothing.
            RuntimeError: the exchange has ended by itself.
        """
        self.require_running()
        answer = self._control.post(f"{self.base_url}/control", json={"action": action, **fields})
        body: dict[str, Any] = answer.json()
        return body

    def scenario(
        self, file: str | os.PathLike[str], *, until: str | None = None, after: str | None = None
    ) -> dict[str, Any]:
        """Runs a scenario file to its end.

        Args:
            file: its path.
            until: ends with the step of that name.
            after: begins behind the step of that name.
        """
        parts = {name: value for name, value in (("until", until), ("after", after)) if value is not None}
        return self.control("scenario", file=Path(file).read_text(encoding="utf-8"), **parts)

    def advance(self, ms: int) -> dict[str, Any]:
        """Sets the exchange's time ahead, at most a day; returns when all that became due has been done.

        A way that takes a call more than its minute is gone on with.

        Raises:
            ServiceError: it was refused, or is not done after ten calls.
        """
        name = uuid.uuid4().hex
        for _ in range(_ADVANCES_MAX - 1):
            try:
                return self.control("advance", ms=ms, id=name)
            except ServiceError as error:
                if error.code != "advance_unfinished":
                    raise
                time.sleep(error.retry_after or 0)
        return self.control("advance", ms=ms, id=name)

    def keep_journal(self, path: str | os.PathLike[str]) -> ExportEnd:
        """Saves the account's journal anew as a file, which ``bin/admin verify`` proves and the dashboard opens."""
        self.require_running()
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        # Of this process alone: two may run the same test.
        beside = place.with_name(f"{place.name}.{os.getpid()}.part")
        try:
            end = self._export(beside)
            shutil.move(beside, place)
        finally:
            beside.unlink(missing_ok=True)
        return end

    def _export(self, beside: Path) -> ExportEnd:
        give_up = time.monotonic() + _BACK_WITHIN
        while True:
            self.require_running()
            try:
                beside.unlink(missing_ok=True)
                return self.perps.dashboard.export(beside)
            except (httpx.TransportError, ServiceError) as error:
                # A process of it that died is started again.
                is_back = isinstance(error, ServiceError) and error.status < 500
                if is_back or not self.is_own or time.monotonic() > give_up:
                    raise
            time.sleep(0.2)

    def close(self) -> None:
        """Ends the connections, and the exchange where ``start`` started it."""
        self.perps.close()
        self._control.close()
        if self._process is not None:
            _end(self._process)
        if self._words is not None:
            self._words.close()
            self._words = None

    def __enter__(self) -> Venue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _end(process: subprocess.Popen[str]) -> None:
    _stop(process)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _stop(process: subprocess.Popen[str]) -> None:
    _signal(process, signal.SIGTERM)
    try:
        process.wait(_STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """To all of its session: the program may be a shell around the start."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:  # it has ended meanwhile
            pass


def _last(words: IO[str]) -> str:
    words.seek(0)
    return words.read()[-_WORDS_MAX:]
