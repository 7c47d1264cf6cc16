"""What this package raises, beside the errors of httpx for connections that fail."""

from __future__ import annotations

import json

import httpx


class ServiceError(Exception):
    """The service refused a request, or could not answer it.

    Attributes:
        status: HTTP status.
        code: what is wrong, for programs; ``"unreadable"`` when something before the service answered.
        message: what is wrong, in words.
        request_id: names the request in the service's logs; say it when you ask for help.
        retry_after: seconds after which a repetition makes sense, where the service says so.
    """

    def __init__(
        self, *, status: int, code: str, message: str, request_id: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{status} {code}: {message}" + (f" (request {request_id})" if request_id else ""))
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id
        self.retry_after = retry_after

    @classmethod
    def of(cls, response: httpx.Response) -> ServiceError:
        """Reads the body of an error; a proxy's page is one without a code."""
        try:
            body = json.loads(response.content)
            code, message = str(body["code"]), str(body["detail"])
        except (ValueError, KeyError, TypeError):
            code, message = "unreadable", response.text[:200]
        return cls(
            status=response.status_code,
            code=code,
            message=message,
            request_id=response.headers.get("X-Request-Id"),
            retry_after=retry_after(response),
        )


class UnknownIdError(LookupError):
    """The account has no fill or order with this id."""


class IncompleteExportError(Exception):
    """An export ended before its end, and says why; the file has what came. The same call goes on behind it.

    Attributes:
        code: why, for programs; ``"seq_forgotten"`` = rows that the file goes on from are no longer kept.
        message: why, in words.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def retry_after(response: httpx.Response) -> float | None:
    """Seconds that the service asks for; None where it does not, or gives a date."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdigit() else None
