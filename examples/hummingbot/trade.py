"""hummingbot's connector: an order that rests is canceled, a position is opened and closed, and each step is heard as an event."""

import asyncio
import os
from decimal import Decimal

from eth_account import Account
from hummingbot.connector.derivative.hyperliquid_perpetual import hyperliquid_perpetual_constants as CONSTANTS

# The connector reads its addresses from here whenever it connects.
CONSTANTS.PERPETUAL_BASE_URL = os.environ["BASE"]
CONSTANTS.PERPETUAL_WS_URL = f"ws{os.environ['BASE'].removeprefix('http')}/ws"

from hummingbot.connector.derivative.hyperliquid_perpetual.hyperliquid_perpetual_derivative import (  # noqa: E402
    HyperliquidPerpetualDerivative,
)
from hummingbot.core.clock import Clock, ClockMode  # noqa: E402
from hummingbot.core.data_type.common import OrderType, PositionAction  # noqa: E402
from hummingbot.core.event.event_logger import EventLogger  # noqa: E402
from hummingbot.core.event.events import MarketEvent  # noqa: E402

PAIR = "ETH-USD"
SIZE = Decimal("0.01")
PATIENCE_S = 60


async def main() -> None:
    secret = os.environ["WALLET_PRIVATE_KEY"]
    connector = HyperliquidPerpetualDerivative(
        hyperliquid_perpetual_secret_key=secret,
        hyperliquid_perpetual_address=Account.from_key(secret).address,
        trading_pairs=[PAIR],
        enable_hip3_markets=False,
    )
    heard = EventLogger()
    for event in (MarketEvent.BuyOrderCreated, MarketEvent.OrderCancelled, MarketEvent.OrderFilled, MarketEvent.OrderFailure):
        connector.add_listener(event, heard)
    clock = Clock(ClockMode.REALTIME)
    clock.add_iterator(connector)
    with clock:
        running = asyncio.create_task(clock.run())
        try:
            await asyncio.wait_for(trade(connector, heard), PATIENCE_S)
        finally:
            running.cancel()
            await connector.stop_network()


async def trade(connector: HyperliquidPerpetualDerivative, heard: EventLogger) -> None:
    while not connector.ready:
        await asyncio.sleep(1)
    print(f"balance {connector.get_balance('USD')}")

    price = connector.quantize_order_price(PAIR, connector.get_mid_price(PAIR) * Decimal("0.9"))
    resting = connector.buy(PAIR, SIZE, OrderType.LIMIT, price, position_action=PositionAction.OPEN)
    await event_of(heard, resting, "BuyOrderCreatedEvent")
    print(f"resting {[order.price for order in connector.in_flight_orders.values()]}")
    connector.cancel(PAIR, resting)
    await event_of(heard, resting, "OrderCancelledEvent")
    print(f"canceled {resting}")

    bought = connector.buy(PAIR, SIZE, OrderType.MARKET, position_action=PositionAction.OPEN)
    fill = await event_of(heard, bought, "OrderFilledEvent")
    print(f"filled {fill.trade_type.name} {fill.amount} at {fill.price}")
    sold = connector.sell(PAIR, SIZE, OrderType.MARKET, position_action=PositionAction.CLOSE)
    fill = await event_of(heard, sold, "OrderFilledEvent")
    print(f"filled {fill.trade_type.name} {fill.amount} at {fill.price}")


async def event_of(heard: EventLogger, order_id: str, name: str):
    """Waits for the event of that name about the order."""
    while True:
        for event in heard.event_log:
            if event.order_id == order_id and type(event).__name__ == name:
                return event
        await asyncio.sleep(0.1)


asyncio.run(main())
