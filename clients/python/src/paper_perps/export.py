"""Exports as files: one that was cut off goes on behind its last whole line."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

import httpx

from .calls import EXCHANGE
from .errors import IncompleteExportError

ExportKind = Literal["fills", "orders", "funding", "ledger", "equity", "journal"]

#: What a later attempt may not meet any more.
_TRANSIENT = {"store_unavailable", "busy", "too_many_reads", "internal_error", "timeout"}


@dataclass(frozen=True)
class ExportEnd:
    """The last line of a whole export.

    Attributes:
        next: where rows that come later begin.
        balance_usd: of a journal: the balance that it comes to.
        state_hash: of a journal: the name of the state that it comes to.
    """

    next: str
    balance_usd: str | None
    state_hash: str | None


def save(
    http: httpx.Client,
    path: str | os.PathLike[str],
    *,
    kind: ExportKind,
    account: str | None,
    attempts: int,
    sleep: Callable[[float], None] = time.sleep,
) -> ExportEnd:
    """Writes the export to the file, from where the file ends."""
    failures = 0
    with open(path, "r+b" if os.path.exists(path) else "w+b") as file:
        while True:
            place = _place(file)
            if isinstance(place, ExportEnd):
                return place
            wanted = {"kind": kind, **place, **({"account": account} if account is not None else {})}
            before = file.tell()
            try:
                _append(http, file, wanted)
            except httpx.TransportError:
                failures = 1 if file.tell() > before else failures + 1
                if failures >= attempts:
                    raise
                sleep(0.25 * 2**failures)
            except IncompleteExportError as error:
                failures = 1 if file.tell() > before else failures + 1
                if error.code not in _TRANSIENT or failures >= attempts:
                    raise
                sleep(0.25 * 2**failures)


def _append(http: httpx.Client, file: BinaryIO, wanted: dict[str, str]) -> None:
    """Writes the lines that come. Raises IncompleteExportError when the last one says that the rest is missing."""
    with http.stream("GET", f"/v1/exchanges/{EXCHANGE}/account/export", params=wanted) as response:
        lines = _lines(response.iter_bytes())
        if "from" in wanted and wanted["kind"] != "journal":
            # The head of rows is in the file already; that of a journal's part says what the part goes on from, and is verified with it.
            next(lines, b"")
        for line in lines:
            end = _end_of(line)
            if end is not None and end["complete"] is not True:
                raise IncompleteExportError(end["error"]["code"], end["error"]["detail"])
            file.write(line)
    if file.tell() == 0 or _end_of(_last_line(file)) is None:
        raise httpx.RemoteProtocolError("the export has no last line")


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Whole lines, each with its newline: what was cut off is left out."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line + b"\n"


def _place(file: BinaryIO) -> ExportEnd | dict[str, str]:
    """Where the file goes on, or its end where it is whole. What is behind its last whole row is cut off."""
    last = _last_line(file)
    end = _end_of(last)
    if end is not None:
        return ExportEnd(next=str(end["next"]), balance_usd=end.get("balance_usd"), state_hash=end.get("state_hash"))
    body = json.loads(last) if last else {}
    for name in ("entry", "state"):
        if name in body:
            return {"from": str(body[name]["seq"] + 1), "chain": body["hash"]}
    if "next" in body:
        return {"from": body["next"]}
    # Nothing, or a head without a line behind it.
    file.seek(0)
    file.truncate()
    return {}


def _last_line(file: BinaryIO) -> bytes:
    """The last whole line; one that says that the rest is missing is none. The file ends behind it then, and is written from there."""
    file.seek(0)
    last, at = b"", 0
    for line in file:
        if not line.endswith(b"\n") or b'"end":{"complete":false' in line[:120]:
            break
        last, at = line, at + len(line)
    file.seek(at)
    file.truncate()
    return last


def _end_of(line: bytes) -> dict | None:  # type: ignore[type-arg]
    body = json.loads(line) if line else {}
    end: dict | None = body.get("end")  # type: ignore[type-arg]
    return end
