"""What the groups of endpoints share."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from ._generated.models import ApiError
from ._generated.types import UNSET, Unset

EXCHANGE: Literal["perpx"] = "perpx"

T = TypeVar("T")
Item = TypeVar("Item")


def answered(answer: T | ApiError | None) -> T:
    """The answer of a generated operation. Refusals were raised by the transport before it was read."""
    if answer is None or isinstance(answer, ApiError):
        raise TypeError(f"not an answer of this version's contract: {answer}")
    return answer


def idempotency_key(given: str | None) -> str:
    """The caller's key, or a new one: a repetition of this call by the transport is then done once."""
    return given if given is not None else str(uuid.uuid4())


def iso(moment: datetime | None) -> str | Unset:
    """A time as requests have it. Raises ValueError for one without a zone."""
    if moment is None:
        return UNSET
    if moment.tzinfo is None:
        raise ValueError("a time needs a zone: datetime(..., tzinfo=UTC)")
    return moment.isoformat()


class Page(Protocol[Item]):
    """A page of a list, and where the next one begins."""

    @property
    def items(self) -> list[Item]: ...

    @property
    def next_cursor(self) -> str | None: ...


def pages(read: Callable[[str | Unset], Page[T]]) -> Iterator[T]:
    """The rows of all pages, each page read when its first row is asked for."""
    cursor: str | Unset = UNSET
    while True:
        page = read(cursor)
        yield from page.items
        if page.next_cursor is None:
            return
        cursor = page.next_cursor
