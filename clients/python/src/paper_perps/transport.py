"""Requests that fail are sent again where that is safe, and refusals become exceptions."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

from .errors import ServiceError, retry_after

#: Statuses after which another attempt may succeed. A 429 was not done, whatever it was.
_TRANSIENT = {429, 502, 503, 504}


class RetryingTransport(httpx.BaseTransport):
    """Sends questions, and whatever has an ``Idempotency-Key``, up to ``attempts`` times.

    Everything else is sent once, unless the answer is 429: then nothing was done.
    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        *,
        attempts: int,
        longest_wait: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._inner = inner
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answers below 400 are returned.

        Raises:
            ServiceError: all others, after the last attempt.
            httpx.TransportError: no answer came, after the last attempt.
        """
        attempt = 1
        while True:
            may_repeat = attempt < self._attempts
            try:
                response = self._inner.handle_request(request)
            except httpx.TransportError:
                if not (may_repeat and _is_repeatable(request)):
                    raise
                wait = _backoff(attempt)
            else:
                if response.status_code < 400:
                    return response
                response.read()
                wait = retry_after(response) or _backoff(attempt)
                is_safe = response.status_code == 429 or _is_repeatable(request)
                if not (may_repeat and is_safe and response.status_code in _TRANSIENT and wait <= self._longest_wait):
                    raise ServiceError.of(response)
            self._sleep(wait)
            attempt += 1

    def close(self) -> None:
        """Ends the connections."""
        self._inner.close()


def _is_repeatable(request: httpx.Request) -> bool:
    is_question = request.method == "GET" or request.url.path.endswith("/info")
    return is_question or "Idempotency-Key" in request.headers


def _backoff(attempt: int) -> float:
    return float(0.25 * 2 ** (attempt - 1))
