"""NautilusTrader, live: a strategy has an order that rests canceled, opens and closes a position, and hears of all of it.

Ends by itself; the status is 0 when all of that has happened.
"""

import os
import sys

from nautilus_trader.core.nautilus_pyo3.common import Environment
from nautilus_trader.core.nautilus_pyo3.hyperliquid import HyperliquidDataClientConfig
from nautilus_trader.core.nautilus_pyo3.hyperliquid import HyperliquidDataClientFactory
from nautilus_trader.core.nautilus_pyo3.hyperliquid import HyperliquidExecClientConfig
from nautilus_trader.core.nautilus_pyo3.hyperliquid import HyperliquidExecFactoryConfig
from nautilus_trader.core.nautilus_pyo3.hyperliquid import HyperliquidExecutionClientFactory
from nautilus_trader.core.nautilus_pyo3.live import LiveNode
from nautilus_trader.core.nautilus_pyo3.model import AccountId
from nautilus_trader.core.nautilus_pyo3.model import InstrumentId
from nautilus_trader.core.nautilus_pyo3.model import OrderSide
from nautilus_trader.core.nautilus_pyo3.model import Price
from nautilus_trader.core.nautilus_pyo3.model import Quantity
from nautilus_trader.core.nautilus_pyo3.model import StrategyId
from nautilus_trader.core.nautilus_pyo3.model import TraderId
from nautilus_trader.core.nautilus_pyo3.trading import Strategy
from nautilus_trader.core.nautilus_pyo3.trading import StrategyConfig

BASE = os.environ["BASE"]
ETH = InstrumentId.from_str("ETH-USD-PERP.HYPERLIQUID")
SIZE = Quantity.from_str("0.01")


class Round(Strategy):
    """Each event is followed by the next order."""

    def __init__(self) -> None:
        super().__init__(StrategyConfig(strategy_id=StrategyId("ROUND-001")))
        self.resting = None
        self.is_closed = False

    def on_start(self) -> None:
        self.subscribe_quotes(ETH)

    def on_quote(self, quote) -> None:
        if self.resting is None:
            price = Price(round(float(quote.bid_price) * 0.9), 1)
            order = self.order_factory.limit(ETH, OrderSide.BUY, SIZE, price)
            self.resting = order.client_order_id
            self.submit_order(order)

    def on_order_accepted(self, event) -> None:
        if event.client_order_id == self.resting:
            print(f"resting {event.venue_order_id}", flush=True)
            self.cancel_order(event.client_order_id)

    def on_order_canceled(self, event) -> None:
        print(f"canceled {event.venue_order_id}", flush=True)
        self.submit_order(self.order_factory.market(ETH, OrderSide.BUY, SIZE))

    def on_order_filled(self, event) -> None:
        print(f"filled {event.order_side} {event.last_qty} at {event.last_px}", flush=True)

    def on_position_opened(self, event) -> None:
        print(f"position {event.signed_qty} at {event.avg_px_open}", flush=True)
        self.close_all_positions(ETH)

    def on_position_closed(self, event) -> None:
        print(f"closed, {event.realized_pnl}", flush=True)
        self.is_closed = True
        self.shutdown_system("the round is over")


def main() -> None:
    trader = TraderId("TRADER-001")
    data = HyperliquidDataClientConfig(base_url_http=f"{BASE}/info", base_url_ws=f"ws{BASE.removeprefix('http')}/ws")
    execution = HyperliquidExecClientConfig(
        private_key=os.environ["WALLET_PRIVATE_KEY"],
        base_url_http=f"{BASE}/info",
        base_url_exchange=f"{BASE}/exchange",
        base_url_ws=f"ws{BASE.removeprefix('http')}/ws",
    )
    factory = HyperliquidExecFactoryConfig(trader, AccountId("HYPERLIQUID-001"), execution)
    node = (
        LiveNode.builder("ROUND", trader, Environment.LIVE)
        .add_data_client(None, HyperliquidDataClientFactory(), data)
        .add_exec_client(None, HyperliquidExecutionClientFactory(), factory)
        .build()
    )
    strategy = Round()
    node.add_strategy(strategy)
    node.run()
    if not strategy.is_closed:
        sys.exit("the round did not come to its end")


main()
