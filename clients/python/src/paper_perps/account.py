"""The user, its API keys, and the account as a whole."""

from __future__ import annotations

from ._generated.api.accounts import fork_account, reset_account, set_balance, top_up
from ._generated.api.api_keys import create_api_key, list_api_keys, revoke_api_key
from ._generated.api.users import show_profile
from ._generated.client import AuthenticatedClient
from ._generated.models import (
    ApiKey,
    Balance,
    CreateApiKeyRequest,
    Fork,
    ForkAccountRequest,
    KeyScope,
    NewApiKey,
    Profile,
    SetBalanceRequest,
)
from ._generated.types import UNSET
from .calls import EXCHANGE, answered, idempotency_key


class Account:
    """Keys and the profile need an access token; the account itself takes an API key, too."""

    def __init__(self, client: AuthenticatedClient) -> None:
        self._client = client

    def profile(self) -> Profile:
        """The user behind the access token: plan, trial, address."""
        return answered(show_profile.sync(client=self._client))

    def keys(self) -> list[ApiKey]:
        """The active API keys, without the keys themselves."""
        return answered(list_api_keys.sync(client=self._client)).api_keys

    def create_key(
        self,
        name: str,
        *,
        account: str | None = None,
        scopes: list[KeyScope] | None = None,
        repeat_key: str | None = None,
    ) -> NewApiKey:
        """Makes an API key, which is shown this once (``api_key``).

        Args:
            account: address of the only account that the key reaches; without it all of the user.
            scopes: ``["read"]`` for one that cannot trade; without it both.
            repeat_key: Idempotency-Key: the same call with the same one makes no second key.
        """
        body = CreateApiKeyRequest(name=name, account=account, scopes=scopes)
        return answered(create_api_key.sync(client=self._client, body=body, idempotency_key=idempotency_key(repeat_key)))

    def revoke_key(self, key_id: str) -> None:
        """Ends an API key, and the sockets that it has opened."""
        answered(revoke_api_key.sync(key_id, client=self._client))

    def reset(self, *, account: str | None = None, repeat_key: str | None = None) -> Balance:
        """Ends everything open, deletes the history and begins anew; a sub-account with nothing.

        Args:
            account: address of the master account or of a sub-account; without it the key's own.
        """
        key = idempotency_key(repeat_key)
        meant = account if account is not None else UNSET
        return answered(reset_account.sync(EXCHANGE, client=self._client, account=meant, idempotency_key=key))

    def set_balance(self, balance: str, *, account: str | None = None, repeat_key: str | None = None) -> Balance:
        """Cash becomes exactly that, while nothing is open.

        Args:
            balance: USD as decimal text.
            account: as in ``reset``.
        """
        key = idempotency_key(repeat_key)
        body = SetBalanceRequest.from_dict({"balance": balance})
        meant = account if account is not None else UNSET
        return answered(
            set_balance.sync(EXCHANGE, client=self._client, body=body, account=meant, idempotency_key=key)
        )

    def fork(
        self, name: str, *, seq: int | None = None, time: str | None = None, account: str | None = None
    ) -> Fork:
        """Makes a sub-account that begins with the state of an entry. The same call again answers the same fork.

        Args:
            name: of the new sub-account.
            seq: the entry; or
            time: ISO 8601 with its zone: the newest entry that is not later.
            account: the account that is forked, as in ``reset``.
        """
        place = {"seq": seq, "time": time}
        body = ForkAccountRequest.from_dict({"name": name, **{key: at for key, at in place.items() if at is not None}})
        meant = account if account is not None else UNSET
        return answered(fork_account.sync(EXCHANGE, client=self._client, body=body, account=meant))

    def top_up(self, *, repeat_key: str | None = None) -> Balance:
        """A master account worth less than 100 USD gets the balance of its plan again."""
        return answered(top_up.sync(client=self._client, idempotency_key=idempotency_key(repeat_key)))
