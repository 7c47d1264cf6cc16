"""Trades with the client that openapi-python-client has made of the published contract, and reads the account with it."""

import json
import os
from importlib import import_module
from pkgutil import walk_packages

import paper_exchange
from paper_exchange import AuthenticatedClient
from paper_exchange.api.api_keys import list_api_keys
from paper_exchange.api.billing import list_plans, show_subscription
from paper_exchange.api.dashboard import (
    list_fills,
    list_open_orders,
    list_positions,
    show_analytics,
    show_equity_curve,
    show_overview,
)
from paper_exchange.api.trading import exchange, info
from paper_exchange.api.users import show_profile
from paper_exchange.models import (
    ApiError,
    CancelAction,
    CancelRequest,
    ClearinghouseState,
    ClearinghouseStateRequest,
    ElementError,
    ExchangeRequest,
    LimitOrderType,
    OrderAction,
    OrderFilled,
    OrderRequest,
    OrderResting,
    OrderType,
    Period,
    PlanName,
    SetBalanceRequest,
    Success,
    TradeSide,
)
from paper_exchange.api.accounts import set_balance

VENUE = "perpx"
ASSET = int(os.environ["ASSET"])

modules = [import_module(module.name) for module in walk_packages(paper_exchange.__path__, "paper_exchange.")]

bot = AuthenticatedClient(os.environ["API"], os.environ["KEY"], prefix="", auth_header_name="X-API-Key")
user = AuthenticatedClient(os.environ["API"], os.environ["ACCESS_TOKEN"])


def limit(*, buy, price, tif, reduce_only=False):
    kind = OrderType(limit=LimitOrderType(tif=tif))
    return OrderRequest(a=ASSET, b=buy, p=price, s="0.5", r=reduce_only, t=kind)


def place(order):
    action = OrderAction(type_="order", orders=[order], grouping="na")
    answer = exchange.sync(VENUE, client=bot, body=ExchangeRequest(action=action))
    [status] = answer.response.data.statuses
    return status


filled = place(limit(buy=True, price="0", tif="Ioc"))
assert isinstance(filled, OrderFilled), filled
resting = place(limit(buy=True, price="50", tif="Gtc"))
assert isinstance(resting, OrderResting), resting

[shown] = list_open_orders.sync(VENUE, client=bot).items
assert shown.oid == resting.resting.oid and shown.side is TradeSide.BUY, shown
cancel = CancelAction(type_="cancel", cancels=[CancelRequest(a=ASSET, o=shown.oid)])
answer = exchange.sync(VENUE, client=bot, body=ExchangeRequest(action=cancel))
assert answer.response.data.statuses == [Success.SUCCESS], answer
again = exchange.sync(VENUE, client=bot, body=ExchangeRequest(action=cancel))
assert isinstance(again.response.data.statuses[0], ElementError), again
assert list_open_orders.sync(VENUE, client=bot).items == []

[position] = list_positions.sync(VENUE, client=bot).items
state = info.sync(VENUE, client=bot, body=ClearinghouseStateRequest(type_="clearinghouseState"))
assert isinstance(state, ClearinghouseState), state
assert state.asset_positions[0].position.szi == position.size, state
closed = place(limit(buy=False, price="0", tif="Ioc", reduce_only=True))
assert isinstance(closed, OrderFilled), closed

fills = list_fills.sync(VENUE, client=bot).items
overview = show_overview.sync(VENUE, client=bot)
analytics = show_analytics.sync(VENUE, client=bot, period=Period("7d"))
curve = show_equity_curve.sync(VENUE, client=bot)
refused = set_balance.sync_detailed(VENUE, client=bot, body=SetBalanceRequest(balance="1"))
assert refused.status_code == 400 and isinstance(refused.parsed, ApiError), refused
unknown = info.sync(VENUE, client=AuthenticatedClient(os.environ["API"], "none", prefix="", auth_header_name="X-API-Key"), body=ClearinghouseStateRequest(type_="clearinghouseState"))
assert isinstance(unknown, ApiError) and unknown.code == "invalid_api_key", unknown

profile = show_profile.sync(client=user)
print(json.dumps({
    "modules": len(modules),
    "fills": [fill.direction for fill in fills],
    "openOrders": overview.open_orders,
    "trades": analytics.trades,
    "points": len(curve.points),
    "email": profile.email,
    "keys": len(list_api_keys.sync(client=user).api_keys),
    "plan": show_subscription.sync(client=user).plan == PlanName.BASIC,
    "plans": [plan.id.value for plan in list_plans.sync(client=user).plans],
}))
