"""An exchange for tests: started by ``bin/start --ci`` or found at an address, moved by its control calls."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import httpx

from .client import PaperPerps
from .export import ExportEnd
from .transport import RetryingTransport

#: Seconds that a control call may take: a scenario works for 220, and the last way of it for a minute more.
_CONTROL_TIMEOUT = 330.0
#: Seconds in which a started exchange ends by itself.
_STOP_TIMEOUT = 60.0


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
    def start(cls, command: str | os.PathLike[str] = "bin/start", *, seed: int = 1) -> Venue:
        """Starts an exchange of its own, which ends with ``close``.

        Args:
            command: path of the exchange's ``bin/start``.
            seed: of its market, which is the same each time.

        Raises:
            RuntimeError: it did not start, with what it printed.
        """
        # A file, because nobody reads what it prints meanwhile.
        words = tempfile.TemporaryFile("w+")
        try:
            process = subprocess.Popen(
                [os.fspath(command), "--ci", "--seed", str(seed)], stdout=subprocess.PIPE, stderr=words, text=True
            )
        except OSError:
            words.close()
            raise
        try:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                process.wait()
                words.seek(0)
                raise RuntimeError(f"{command} --ci ended with {process.returncode}:\n{words.read()[-4000:]}")
            venue = cls(json.loads(line)["exchangeUrl"])
        except BaseException:
            _end(process)
            words.close()
            raise
        venue._process, venue._words = process, words
        return venue

    @property
    def is_own(self) -> bool:
        """Whether ``start`` started it: then nobody else uses its account."""
        return self._process is not None

    def control(self, action: str, **fields: object) -> dict[str, Any]:
        """Moves the market or time, as the exchange's docs/control.md says. Returns the answer.

        Raises:
            ServiceError: it was refused; then it changed nothing.
        """
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
        """Sets the exchange's time ahead, at most a day; returns when all that became due has been done."""
        return self.control("advance", ms=ms)

    def keep_journal(self, path: str | os.PathLike[str]) -> ExportEnd:
        """Saves the account's journal anew as a file, which ``bin/admin verify`` proves and the dashboard opens."""
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f"{place.name}.part")
        beside.unlink(missing_ok=True)
        end = self.perps.dashboard.export(beside)
        shutil.move(beside, place)
        return end

    def close(self) -> None:
        """Ends the connections, and the exchange where ``start`` started it."""
        self.perps.close()
        self._control.close()
        if self._process is not None:
            _end(self._process)
        if self._words is not None:
            self._words.close()

    def __enter__(self) -> Venue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
