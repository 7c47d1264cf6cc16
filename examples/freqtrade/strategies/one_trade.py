"""One trade from its entry to its exit: buys, has its stop on the exchange, moves the stop, sells, and ends the bot."""

import os
import signal
from datetime import datetime

from freqtrade.persistence import Trade
from freqtrade.strategy import IStrategy
from pandas import DataFrame


class OneTrade(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    startup_candle_count = 0
    process_only_new_candles = False
    minimal_roi = {}
    stoploss = -0.2

    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def leverage(self, pair: str, current_time: datetime, current_rate: float, proposed_leverage: float,
                 max_leverage: float, entry_tag: str | None, side: str, **kwargs) -> float:
        return 3

    use_custom_stoploss = True

    def custom_stoploss(self, pair: str, trade: Trade, current_time: datetime, current_rate: float,
                        current_profit: float, after_fill: bool, **kwargs) -> float | None:
        return -0.1 if stops_of(trade) else None

    def custom_exit(self, pair: str, trade: Trade, current_time: datetime, current_rate: float,
                    current_profit: float, **kwargs) -> str | None:
        return "the stop has moved" if stops_of(trade) == 2 else None

    def bot_loop_start(self, current_time: datetime, **kwargs) -> None:
        if Trade.get_trades_proxy(is_open=False):
            os.kill(os.getpid(), signal.SIGINT)


def stops_of(trade: Trade) -> int:
    """How many stops the trade has had on the exchange."""
    return sum(order.ft_order_side == "stoploss" for order in trade.orders)
