"""The client: one object for an account, its groups of endpoints as attributes."""

from __future__ import annotations

import re
from types import TracebackType

import httpx

from ._generated.client import AuthenticatedClient
from ._generated.models import ExplainedOrder, FoundFill, LoginRequest, RegisterRequest
from ._generated.api.users import login as login_operation
from ._generated.api.users import register as register_operation
from .account import Account
from .billing import Billing
from .calls import EXCHANGE, answered, idempotency_key
from .dashboard import Dashboard
from .errors import UnknownIdError
from .transport import RetryingTransport

_BASE = re.compile(rf"^(?P<origin>.+?)(?:/v1/exchanges/{EXCHANGE}(?:/key/(?P<key>[^/]+))?)?/*$")


class PaperPerps:
    """An account of a Paper perps exchange.

    Args:
        url: where the exchange is: ``https://paper.example.com``, or the address that a bot uses, with or without the key
            in it (``…/v1/exchanges/perpx/key/<key>``).
        api_key: reads the dashboard, explains, resets the account. Taken from the address where it is there.
        access_token: from ``register`` or ``login``; for keys, sessions and billing.
        timeout: seconds that one attempt may take.
        attempts: how often a request is sent where repeating is safe: questions, and what has an idempotency key.
        longest_wait: seconds that a repetition waits at most; a ``Retry-After`` beyond it is raised at once.
        transport: for tests and proxies; HTTP without it.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        access_token: str | None = None,
        timeout: float = 30.0,
        attempts: int = 3,
        longest_wait: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        match = _BASE.match(url)
        if match is None:
            raise ValueError(f"not an address of an exchange: {url!r}")
        key = api_key or match["key"]
        #: For operations that have no method here: modules of ``paper_perps._generated.api``.
        self.generated = AuthenticatedClient(
            base_url=match["origin"],
            token=key or "",
            prefix="",
            auth_header_name="X-API-Key",
            timeout=httpx.Timeout(timeout),
            httpx_args={
                "transport": RetryingTransport(
                    transport or httpx.HTTPTransport(), attempts=attempts, longest_wait=longest_wait
                )
            },
        )
        self._http = self.generated.get_httpx_client()
        if key is None:
            del self._http.headers["X-API-Key"]
        if access_token is not None:
            self._take(access_token)
        self.account = Account(self.generated)
        self.billing = Billing(self.generated)
        self.dashboard = Dashboard(self.generated)

    def register(self, email: str, password: str) -> str:
        """Makes a user with an account, and uses its access token from now on. Returns the token."""
        body = RegisterRequest(email=email, password=password)
        answer = register_operation.sync(client=self.generated, body=body, idempotency_key=idempotency_key(None))
        return self._take(answered(answer).access_token)

    def login(self, email: str, password: str, *, code: str | None = None) -> str:
        """Gets an access token for a password, and uses it from now on. Returns the token.

        Args:
            code: of the authenticator, where the user has a second factor.
        """
        body = LoginRequest(email=email, password=password)
        if code is not None:
            body.code = code
        return self._take(answered(login_operation.sync(client=self.generated, body=body)).access_token)

    def explain_fill(self, tid: int, *, account: str | None = None) -> FoundFill:
        """Why a fill could happen: what the market showed, in words (``evidence.text``) and in numbers.

        Args:
            account: address of one of the user's accounts; without it that of the key.

        Raises:
            UnknownIdError: the account has no such fill.
        """
        answer = self._ask({"type": "explainFill", "tid": tid}, account)
        if answer["status"] == "unknownTid":
            raise UnknownIdError(f"the account has no fill {tid}")
        return FoundFill.from_dict(answer)

    def explain_order(self, oid: int | str, *, account: str | None = None) -> ExplainedOrder:
        """What became of an order, what each of its fills rests on, and what it waits for while it is open.

        Args:
            oid: the exchange's id, or the client's own (``0x…``).
            account: address of one of the user's accounts; without it that of the key.

        Raises:
            UnknownIdError: the account has no such order.
        """
        answer = self._ask({"type": "explainOrder", "oid": oid}, account)
        if answer["status"] == "unknownOid":
            raise UnknownIdError(f"the account has no order {oid}")
        return ExplainedOrder.from_dict(answer)

    def close(self) -> None:
        """Ends the connections."""
        self._http.close()

    def __enter__(self) -> PaperPerps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, access_token: str) -> str:
        self._http.headers["Authorization"] = f"Bearer {access_token}"
        return access_token

    def _ask(self, question: dict[str, object], account: str | None) -> dict[str, object]:
        if account is not None:
            question["user"] = account
        answer: dict[str, object] = self._http.post(f"/v1/exchanges/{EXCHANGE}/info", json=question).json()
        return answer
