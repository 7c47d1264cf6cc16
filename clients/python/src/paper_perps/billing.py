"""Plans, the subscription and its invoices. An access token is needed, but for the plans."""

from __future__ import annotations

from collections.abc import Iterator

from ._generated.api.billing import (
    apply_discount,
    cancel_subscription,
    list_invoices,
    list_plans,
    show_subscription,
    subscribe,
)
from ._generated.client import AuthenticatedClient
from ._generated.models import (
    ApplyDiscountRequest,
    BillingPeriod,
    Discount,
    Invoice,
    Plan,
    PlanName,
    SubscribeRequest,
    Subscription,
)
from .calls import answered, idempotency_key, pages


class Billing:
    """What there is to buy, and what was bought."""

    def __init__(self, client: AuthenticatedClient) -> None:
        self._client = client

    def plans(self) -> list[Plan]:
        """What there is to buy."""
        return answered(list_plans.sync(client=self._client)).plans

    def subscription(self) -> Subscription:
        """The plan, and how far it is paid for."""
        return answered(show_subscription.sync(client=self._client))

    def subscribe(
        self, plan: PlanName, period: BillingPeriod, *, discount_code: str | None = None, repeat_key: str | None = None
    ) -> Invoice:
        """An invoice for a plan, which holds when it is paid."""
        body = SubscribeRequest(plan=plan, period=period, discount_code=discount_code)
        return answered(subscribe.sync(client=self._client, body=body, idempotency_key=idempotency_key(repeat_key)))

    def invoices(self) -> Iterator[Invoice]:
        """All invoices, newest first, read page by page."""
        return pages(lambda cursor: answered(list_invoices.sync(client=self._client, cursor=cursor)))

    def apply_discount(self, code: str) -> Discount:
        """Reserves one use of a discount code for the next invoice."""
        return answered(apply_discount.sync(client=self._client, body=ApplyDiscountRequest(code=code)))

    def cancel(self) -> Subscription:
        """The subscription ends with what is paid for."""
        return answered(cancel_subscription.sync(client=self._client))
